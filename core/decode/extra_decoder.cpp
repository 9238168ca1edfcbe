#include "decode/extra_decoder.hpp"

#include "decode/decoding.hpp"
#include "graph/branch.hpp"
#include "parts/filter.hpp"

namespace headlong {

namespace {

class ExtraDecoding final : public Decoding {
 public:
  ExtraDecoding(const Frames& frames, const Extras& extras, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution)
      : Decoding(frames, &extras, arc_scores, options, workspace, solution) {}

  void run();

 private:
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  void keep_marked();
  bool drop_arcs(Score bound);
  void set_optimistic_scores();
  void reduce();
  void bound_automata();
  SolverResult call_solver(const Start& start) const;
  void solve();

  std::vector<ExtraVariable> variables_;
  std::vector<ExtraSlots> slots_;
  Extras kept_[2];  // for the frames of the workspace
};

bool ExtraDecoding::round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) {
  if (!offer_rounded(relaxed)) return false;
  extra_assignment(*frames_, variables_, workspace_.heads, assignment);
  return true;
}

// Goes on with the arcs that are marked in workspace_.keep, and with their extras.
void ExtraDecoding::keep_marked() {
  const Frames& before = *frames_;
  Extras& kept = kept_[buffer_];
  keep(before, arc_scores_, workspace_.keep);
  filter_extras(before, *extras_, *frames_, slots_, kept);
  extras_ = &kept;
}

// Drops the arcs that no better tree has, but for those of the best tree; false if that is not worth the while.
bool ExtraDecoding::drop_arcs(Score bound) {
  workspace_.keep.resize(frames_->arcs());
  needed_arcs(*frames_, bound, threshold(), workspace_.descent, workspace_.keep);
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc)
    if (solution_.heads[frames_->arc_modifiers[arc]] == frames_->arc_heads[arc]) workspace_.keep[arc] = 1;
  if (std::count(workspace_.keep.begin(), workspace_.keep.end(), 1) > 0.95 * frames_->arcs()) return false;
  excluded_ = threshold();
  keep_marked();
  return true;
}

// What arcs are worth with the best that extras can add, in workspace_.scores.
void ExtraDecoding::set_optimistic_scores() {
  workspace_.scores.assign(arc_scores_.begin(), arc_scores_.end());
  add_optimism(*frames_, *extras_, options_.rules.projective, workspace_.scores);
}

// The descent on optimistic scores of the arcs, dropping arcs. With fewer arcs, optimism is smaller, and more can go.
void ExtraDecoding::reduce() {
  std::vector<Score>& scores = workspace_.scores;
  bool dropped = true;
  while (dropped && solution_.sweeps < options_.max_sweeps) {
    set_optimistic_scores();
    workspace_.keep.resize(frames_->arcs());
    std::ranges::transform(scores, workspace_.keep.begin(), [](Score score) { return score > NEGATIVE_INFINITY; });
    if (std::count(workspace_.keep.begin(), workspace_.keep.end(), 0) > 0) {
      keep_marked();
      continue;
    }
    start_descent(*frames_, scores, workspace_.descent);
    for (Index count = 0; count < SWEEPS_A_ROUND; ++count, ++solution_.sweeps)
      sweep(*frames_, count % 2 == 0 ? Direction::Forward : Direction::Backward, workspace_.descent);
    ask_tree(*frames_, options_.rules.root, workspace_.descent);
    const Score bound = sweep(*frames_, Direction::Still, workspace_.descent);
    lower(bound);
    if (is_closed()) return;
    dropped = drop_arcs(bound);
    // The best tree alone is left.
    if (is_decided()) lower(solution_.score);
    if (is_closed()) return;
  }
}

// A bound where there is no tree yet to drop arcs by: the automata's best choices under the optimistic scores.
void ExtraDecoding::bound_automata() {
  set_optimistic_scores();
  start_descent(*frames_, workspace_.scores, workspace_.descent);
  lower(sweep(*frames_, Direction::Still, workspace_.descent));
}

SolverResult ExtraDecoding::call_solver(const Start& start) const {
  if (options_.method != TreeMethod::Exact) return relax(workspace_.graph, options_, start, seconds_left());
  BranchOptions branch_options;
  branch_options.ad3.max_iterations = options_.max_iterations;
  branch_options.ad3.tolerance = options_.tolerance;
  branch_options.ad3.start = start;
  branch_options.max_nodes = options_.max_nodes;
  branch_options.time_limit = seconds_left();
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
  take(call_solver(start));
}

void ExtraDecoding::run() {
  solution_ = {};
  if (!proves()) solution_.status = Status::Approximate;
  solution_.arcs = static_cast<Index>(frames_->arcs());
  const bool possible = offer_first();
  if (!has_tree()) solution_.heads = workspace_.heads;
  if (!possible)
    solution_.bound = NEGATIVE_INFINITY;
  else if (goes_on()) {
    if (proves() && has_tree()) reduce();
    if (climbs() && proves() && !has_tree()) bound_automata();
    if (!is_closed()) climbs() ? climb_often(arc_scores_) : solve();
  }
  conclude();
}

}  // namespace

void solve_tree(const Frames& frames, const Extras& extras, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution) {
  // A sentence without words has none of these parts.
  if (!extras.any() || frames.size == 1) return solve_tree(frames, arc_scores, options, workspace, solution);
  ExtraDecoding(frames, extras, arc_scores, options, workspace, solution).run();
}

}  // namespace headlong
