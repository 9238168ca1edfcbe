#include "parser/extra_decoder.hpp"

#include <chrono>
#include <cmath>

#include "parts/keep.hpp"
#include "solvers/branch.hpp"

namespace headlong {

namespace {

constexpr Index SWEEPS_A_ROUND = 8;  // between looks at which arcs may go

class ExtraDecoding final : public Rounder {
 public:
  ExtraDecoding(const Frames& frames, const Extras& extras, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution)
      : frames_(&frames),
        extras_(&extras),
        arc_scores_(arc_scores),
        options_(options),
        workspace_(workspace),
        solution_(solution) {}

  void run();

 private:
  bool has_tree() const { return solution_.score > NEGATIVE_INFINITY; }
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  bool offer_tree(std::span<const Score> scores);
  void offer(Score value);
  void keep();
  bool drop_arcs(Score bound);
  void reduce();
  bool is_closed() const {
    return has_tree() && std::isfinite(solution_.bound) && closes(solution_.score, solution_.bound, options_.tolerance);
  }
  Score threshold() const {
    return solution_.score + 0.5 * options_.tolerance * std::max(1.0, std::abs(solution_.score));
  }
  SolverResult call_solver(const Start& start) const;
  void solve();

  const Frames* frames_;
  const Extras* extras_;
  std::span<const Score> arc_scores_;
  const TreeOptions& options_;
  TreeWorkspace& workspace_;
  TreeSolution& solution_;
  std::vector<ExtraVariable> variables_;
  std::vector<ExtraSlots> slots_;
  Extras kept_[2];                      // for the frames of the workspace
  int buffer_ = 0;                      // which of them come next
  Score excluded_ = NEGATIVE_INFINITY;  // no tree with an arc that was dropped is worth more
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The best tree under the relaxed values of the arcs, the scores breaking ties, improved by local search.
bool ExtraDecoding::round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) {
  Score largest = 1.0;
  for (Score score : arc_scores_)
    if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  workspace_.scores.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc)
    workspace_.scores[arc] = relaxed[arc] + 1e-3 * arc_scores_[arc] / largest;
  if (!offer_tree(workspace_.scores)) return false;
  extra_assignment(*frames_, variables_, workspace_.heads, assignment);
  return true;
}

// Climbs from the best tree under the scores (with the method Arcs, stays there), and keeps the result if it is better.
// False: there is no tree.
bool ExtraDecoding::offer_tree(std::span<const Score> scores) {
  std::vector<Index>& heads = workspace_.heads;
  heads.resize(frames_->size);
  if (best_tree(*frames_, scores, options_.rules, heads, workspace_) == NEGATIVE_INFINITY) return false;
  if (options_.method == TreeMethod::Arcs)
    offer(tree_value(*frames_, arc_scores_, heads, workspace_.climb, extras_));
  else if (tree_value(*frames_, arc_scores_, heads, workspace_.climb) > NEGATIVE_INFINITY)
    offer(
        climb(*frames_, arc_scores_, options_.rules.root, options_.rules.projective, heads, workspace_.climb, extras_));
  return true;
}

// Takes over the heads of the workspace if they are better.
void ExtraDecoding::offer(Score value) {
  if (!(value > solution_.score)) return;
  solution_.score = value;
  solution_.heads.assign(workspace_.heads.begin(), workspace_.heads.end());
}

// Goes on with the arcs that are marked in workspace_.keep.
void ExtraDecoding::keep() {
  Frames& frames = workspace_.frames[buffer_];
  std::vector<Score>& scores = workspace_.arc_scores[buffer_];
  keep_arcs(*frames_, workspace_.keep, frames, workspace_.kept);
  keep_extras(*frames_, *extras_, frames, slots_, kept_[buffer_]);
  scores.resize(workspace_.kept.size());
  for (std::size_t arc = 0; arc < scores.size(); ++arc) scores[arc] = arc_scores_[workspace_.kept[arc]];
  frames_ = &frames;
  extras_ = &kept_[buffer_];
  arc_scores_ = scores;
  buffer_ = 1 - buffer_;
}

// Drops the arcs that no better tree has, but for those of the best tree; false if that is not worth the while.
bool ExtraDecoding::drop_arcs(Score bound) {
  workspace_.keep.resize(frames_->arcs());
  needed_arcs(*frames_, bound, threshold(), workspace_.descent, workspace_.keep);
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc)
    if (solution_.heads[frames_->arc_modifiers[arc]] == frames_->arc_heads[arc]) workspace_.keep[arc] = 1;
  if (std::count(workspace_.keep.begin(), workspace_.keep.end(), 1) > 0.95 * frames_->arcs()) return false;
  excluded_ = threshold();
  keep();
  return true;
}

// The descent on optimistic scores of the arcs, dropping arcs. With fewer arcs, optimism is smaller, and more can go.
void ExtraDecoding::reduce() {
  std::vector<Score>& scores = workspace_.scores;
  bool dropped = true;
  while (dropped && solution_.sweeps < options_.max_sweeps) {
    scores.assign(arc_scores_.begin(), arc_scores_.end());
    add_optimism(*frames_, *extras_, options_.rules.projective, scores);
    workspace_.keep.resize(frames_->arcs());
    std::ranges::transform(scores, workspace_.keep.begin(), [](Score score) { return score > NEGATIVE_INFINITY; });
    if (std::count(workspace_.keep.begin(), workspace_.keep.end(), 0) > 0) {
      keep();
      continue;
    }
    start_descent(*frames_, scores, workspace_.descent);
    for (Index count = 0; count < SWEEPS_A_ROUND; ++count, ++solution_.sweeps)
      sweep(*frames_, count % 2 == 0 ? Direction::Forward : Direction::Backward, workspace_.descent);
    ask_tree(*frames_, options_.rules.root, workspace_.descent);
    const Score bound = sweep(*frames_, Direction::Still, workspace_.descent);
    solution_.bound = std::min(solution_.bound, std::max(bound, excluded_));
    if (is_closed()) return;
    dropped = drop_arcs(bound);
    // The best tree alone is left.
    if (frames_->arcs() + 1 == static_cast<std::size_t>(frames_->size))
      solution_.bound = std::max(excluded_, solution_.score);
    if (is_closed()) return;
  }
}

SolverResult ExtraDecoding::call_solver(const Start& start) const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  // Never 0, which would mean no limit.
  const double left = options_.time_limit > 0.0 ? std::max(options_.time_limit - seconds, 1e-9) : 0.0;
  if (options_.method != TreeMethod::Exact) return relax(workspace_.graph, options_, start, left);
  BranchOptions branch_options;
  branch_options.ad3.max_iterations = options_.max_iterations;
  branch_options.ad3.tolerance = options_.tolerance;
  branch_options.ad3.start = start;
  branch_options.max_nodes = options_.max_nodes;
  branch_options.time_limit = left;
  branch_options.tolerance = options_.tolerance;
  GraphWorkspace workspace(workspace_.graph);
  return branch_and_bound(workspace_.graph, branch_options, workspace);
}

void ExtraDecoding::solve() {
  build_tree_graph(*frames_, arc_scores_, options_.rules, workspace_.graph);
  add_extras(*frames_, *extras_, options_.rules.projective, workspace_.graph, variables_);
  Start start;
  start.rounder = this;
  if (has_tree()) {
    workspace_.assignment.resize(workspace_.graph.variables());
    extra_assignment(*frames_, variables_, solution_.heads, workspace_.assignment);
    start.assignment = workspace_.assignment;
  }
  const SolverResult result = call_solver(start);
  solution_.arcs = static_cast<Index>(frames_->arcs());
  solution_.iterations = result.iterations;
  solution_.status = result.status;
  solution_.bound = std::min(solution_.bound, std::max(result.bound, excluded_));
  if (result.assignment.empty()) return;
  workspace_.heads.resize(frames_->size);
  heads_of(*frames_, result.assignment, workspace_.heads);
  offer(tree_value(*frames_, arc_scores_, workspace_.heads, workspace_.climb, extras_));
}

void ExtraDecoding::run() {
  solution_ = {};
  solution_.arcs = static_cast<Index>(frames_->arcs());
  const bool possible = offer_tree(arc_scores_);
  if (!has_tree()) solution_.heads = workspace_.heads;
  if (!possible)
    solution_.bound = NEGATIVE_INFINITY;
  else if (options_.method != TreeMethod::Climb && options_.method != TreeMethod::Arcs) {
    if (has_tree()) reduce();
    if (!is_closed()) solve();
  }
  conclude(solution_, [&] { return is_closed(); });
}

}  // namespace

void solve_tree(const Frames& frames, const Extras& extras, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution) {
  // A sentence without words has none of these parts.
  if (!extras.any() || frames.size == 1) return solve_tree(frames, arc_scores, options, workspace, solution);
  ExtraDecoding(frames, extras, arc_scores, options, workspace, solution).run();
}

}  // namespace headlong
