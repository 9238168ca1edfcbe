#include "parser/tree_decoders.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "parts/keep.hpp"
#include "solvers/ad3.hpp"
#include "solvers/branch.hpp"
#include "solvers/subgradient.hpp"

namespace headlong {

Score best_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeRules& rules, std::span<Index> heads,
                TreeWorkspace& workspace) {
  const std::size_t size = frames.size;
  workspace.dense.assign(size * size, NEGATIVE_INFINITY);
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    workspace.dense[frames.arc_heads[arc] * size + frames.arc_modifiers[arc]] = arc_scores[arc];
  return rules.projective ? eisner(workspace.dense, frames.size, rules.root, heads, workspace.eisner)
                          : maximum_spanning_tree(workspace.dense, frames.size, rules.root, heads, workspace.mst);
}

namespace {

constexpr Index SWEEPS_A_ROUND = 8;  // between looks at the tree

// One sentence: its candidates, as far as they are not yet excluded, and the best tree so far.
class Decoding final : public Rounder {
 public:
  Decoding(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
           TreeWorkspace& workspace, TreeSolution& solution)
      : frames_(&frames), arc_scores_(arc_scores), options_(options), workspace_(workspace), solution_(solution) {}

  void run();

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  bool out_of_time() const { return options_.time_limit > 0.0 && seconds() > options_.time_limit; }
  bool has_tree() const { return solution_.score > NEGATIVE_INFINITY; }
  bool is_closed() const {
    return has_tree() && std::isfinite(solution_.bound) &&
           closes(solution_.score, solution_.bound, options_.tolerance);
  }

  // The best tree under the relaxed values, the scores breaking ties, improved by local search.
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  bool offer_tree(std::span<const Score> scores);
  void offer(Score value);
  void lower(Score bound) { solution_.bound = std::min(solution_.bound, std::max(bound, excluded_)); }
  void keep(std::span<const std::uint8_t> marks);
  bool drop_arcs();
  void ascend();
  void run_solver(bool ascended);

  const Frames* frames_;
  std::span<const Score> arc_scores_;
  const TreeOptions& options_;
  TreeWorkspace& workspace_;
  TreeSolution& solution_;
  Score excluded_ = NEGATIVE_INFINITY;  // no tree with an arc that was dropped is worth more
  int buffer_ = 0;                      // which frames of the workspace come next
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

bool Decoding::round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) {
  Score largest = 1.0;
  for (Score score : arc_scores_)
    if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  workspace_.scores.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc)
    workspace_.scores[arc] = relaxed[arc] + 1e-3 * arc_scores_[arc] / largest;
  if (!offer_tree(workspace_.scores)) return false;
  assignment_of(*frames_, workspace_.heads, assignment);
  return true;
}

// Climbs from the best tree under the scores, and keeps the result if it is better. False: there is no tree.
bool Decoding::offer_tree(std::span<const Score> scores) {
  std::vector<Index>& heads = workspace_.heads;
  heads.resize(frames_->size);
  if (best_tree(*frames_, scores, options_.rules, heads, workspace_) == NEGATIVE_INFINITY) return false;
  if (tree_value(*frames_, arc_scores_, heads, workspace_.climb) > NEGATIVE_INFINITY)
    offer(climb(*frames_, arc_scores_, options_.rules.root, options_.rules.projective, heads, workspace_.climb));
  return true;
}

// Takes over the heads of the workspace if they are better.
void Decoding::offer(Score value) {
  if (!(value > solution_.score)) return;
  solution_.score = value;
  solution_.heads.assign(workspace_.heads.begin(), workspace_.heads.end());
}

// Goes on with the arcs that are marked.
void Decoding::keep(std::span<const std::uint8_t> marks) {
  Frames& reduced = workspace_.frames[buffer_];
  std::vector<Score>& scores = workspace_.arc_scores[buffer_];
  keep_arcs(*frames_, marks, reduced, workspace_.kept);
  scores.resize(workspace_.kept.size());
  for (std::size_t arc = 0; arc < scores.size(); ++arc) scores[arc] = arc_scores_[workspace_.kept[arc]];
  frames_ = &reduced;
  arc_scores_ = scores;
  buffer_ = 1 - buffer_;
}

// Drops the arcs that no better tree has; false if that is not worth the while.
bool Decoding::drop_arcs() {
  if (!has_tree()) return false;
  Ascent& ascent = workspace_.ascent;
  const Score bound = sweep(*frames_, Direction::Still, ascent);
  // Half of what a certificate allows, so that ties go as well.
  const Score threshold = solution_.score + 0.5 * options_.tolerance * std::max(1.0, std::abs(solution_.score));
  workspace_.keep.resize(frames_->arcs());
  needed_arcs(*frames_, bound, threshold, ascent, workspace_.keep);
  std::size_t count = 0;
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc) {
    workspace_.keep[arc] |= solution_.heads[frames_->arc_modifiers[arc]] == frames_->arc_heads[arc];
    count += workspace_.keep[arc];
  }
  if (count > 0.9 * frames_->arcs()) return false;
  excluded_ = std::max(excluded_, threshold);
  keep(workspace_.keep);
  restrict_ascent(*frames_, workspace_.kept, ascent);
  if (count + 1 == static_cast<std::size_t>(frames_->size)) lower(solution_.score);
  return true;
}

// The ascent, with rounding and dropping arcs now and then, as long as it gets on.
void Decoding::ascend() {
  Ascent& ascent = workspace_.ascent;
  workspace_.keep.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc) workspace_.keep[arc] = arc_scores_[arc] > NEGATIVE_INFINITY;
  if (std::count(workspace_.keep.begin(), workspace_.keep.end(), 0) > 0) keep(workspace_.keep);
  start_ascent(*frames_, arc_scores_, ascent);
  Score earlier = std::numeric_limits<Score>::infinity();
  while (solution_.sweeps < options_.max_sweeps && !is_closed() && !out_of_time()) {
    const bool ascending = solution_.sweeps % 2 == 0;
    lower(sweep(*frames_, ascending ? Direction::Ascending : Direction::Descending, ascent));
    if (solution_.bound == NEGATIVE_INFINITY) return;
    if (++solution_.sweeps % SWEEPS_A_ROUND != 0 || is_closed()) continue;
    lower(ask_tree(*frames_, options_.rules.root, ascent));
    workspace_.scores.resize(frames_->arcs());
    for (std::size_t arc = 0; arc < frames_->arcs(); ++arc) {
      const Index link = ascent.lane_links[arc];
      workspace_.scores[arc] = ascent.deficits[link] + ascent.deficits[ascent.others[link]];
    }
    offer_tree(workspace_.scores);
    if (is_closed()) return;
    const bool dropped = drop_arcs();
    const Score gap = solution_.bound - solution_.score;
    if (!dropped && gap > 0.8 * earlier) return;
    earlier = gap;
  }
}

SolverResult call_solver(const Graph& graph, const TreeOptions& options, const Start& start, double seconds) {
  GraphWorkspace workspace(graph);
  if (options.method == TreeMethod::Subgradient) {
    SubgradientOptions subgradient_options;
    subgradient_options.max_iterations = options.max_iterations;
    subgradient_options.time_limit = seconds;
    subgradient_options.tolerance = options.tolerance;
    subgradient_options.start = start;
    return subgradient(graph, subgradient_options, workspace);
  }
  Ad3Options ad3_options;
  ad3_options.max_iterations = options.max_iterations;
  ad3_options.time_limit = seconds;
  ad3_options.tolerance = options.tolerance;
  ad3_options.start = start;
  if (options.method == TreeMethod::Ad3) return ad3(graph, ad3_options, workspace);
  BranchOptions branch_options;
  branch_options.ad3 = ad3_options;
  branch_options.max_nodes = options.max_nodes;
  branch_options.time_limit = seconds;
  branch_options.tolerance = options.tolerance;
  return branch_and_bound(graph, branch_options, workspace);
}

// Hands what is left to the solver, with the best tree and the multipliers that the ascent has reached.
void Decoding::run_solver(bool ascended) {
  build_tree_graph(*frames_, arc_scores_, options_.rules, workspace_.graph);
  Start start;
  start.rounder = this;
  if (has_tree()) {
    workspace_.assignment.resize(frames_->arcs());
    assignment_of(*frames_, solution_.heads, workspace_.assignment);
    start.assignment = workspace_.assignment;
  }
  if (ascended) {
    multipliers_of(*frames_, workspace_.graph, workspace_.ascent, workspace_.multipliers);
    start.multipliers = workspace_.multipliers;
  }
  // Never 0, which would mean no limit.
  const double left = options_.time_limit > 0.0 ? std::max(options_.time_limit - seconds(), 1e-9) : 0.0;
  const SolverResult result = call_solver(workspace_.graph, options_, start, left);
  solution_.arcs = static_cast<Index>(frames_->arcs());
  solution_.iterations = result.iterations;
  solution_.status = result.status;
  if (!result.assignment.empty()) {
    workspace_.heads.resize(frames_->size);
    heads_of(*frames_, result.assignment, workspace_.heads);
    offer(tree_value(*frames_, arc_scores_, workspace_.heads, workspace_.climb));
  }
  lower(result.bound);
}

void Decoding::run() {
  solution_ = {};
  const bool possible = frames_->size > 1 && offer_tree(arc_scores_);
  solution_.arcs = static_cast<Index>(frames_->arcs());
  if (frames_->size == 1) {
    workspace_.heads.assign(1, NO_HEAD);
    offer(frame_value(*frames_, 0, 0, {}, {}));
    lower(solution_.score);
  } else if (!possible) {
    lower(NEGATIVE_INFINITY);
  } else if (options_.method != TreeMethod::Climb) {
    const bool ascends = options_.max_sweeps > 0;
    if (ascends) ascend();
    if (!is_closed() && solution_.bound > NEGATIVE_INFINITY) run_solver(ascends);
  }
  if (!has_tree()) {
    solution_.heads = workspace_.heads;
    if (solution_.bound == NEGATIVE_INFINITY) solution_.status = Status::Infeasible;
    return;
  }
  solution_.bound = std::max(solution_.bound, solution_.score);
  solution_.certified = is_closed();
  if (solution_.certified)
    solution_.status = Status::Optimal;
  else if (solution_.status == Status::Optimal)
    solution_.status = Status::Unconverged;
}

}  // namespace

void solve_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
                TreeWorkspace& workspace, TreeSolution& solution) {
  Decoding(frames, arc_scores, options, workspace, solution).run();
}

}  // namespace headlong
