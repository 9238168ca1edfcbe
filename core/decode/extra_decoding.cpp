#include "decode/decoding.hpp"
#include "decode/extra_graph.hpp"
#include "graph/branch.hpp"
#include "parts/filter.hpp"

namespace headlong {

namespace {

class ExtraDecoding final : public Decoding {
 public:
  ExtraDecoding(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution)
      : Decoding(problem, options, workspace, solution) {}

  void run();

 private:
  void find_tree();
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  void filter_marked();
  bool drop_arcs(Score bound);
  void set_optimistic_scores();
  void reduce();
  void bound_automata();
  SolverResult call_solver(const Start& start) const;
  void solve();

  std::vector<ExtraVariable> variables_;
  std::vector<ExtraSlots> slots_;
  Extras kept_[2];  // extras that match the frames of the workspace
};

bool ExtraDecoding::round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) {
  if (!offer_rounded(relaxed)) return false;
  extra_assignment(frames(), variables_, workspace_.heads, assignment);
  return true;
}

// Reduces the problem to the arcs marked in workspace_.marks and to their extras.
void ExtraDecoding::filter_marked() {
  const Frames& before = frames();
  Extras& kept = kept_[buffer_];
  filter(before, problem_.arc_scores, workspace_.marks);
  filter_extras(before, *problem_.extras, frames(), slots_, kept);
  problem_.extras = &kept;
}

// Drops the arcs that no better tree has, but keeps those of the best tree. Returns false if too few would go.
bool ExtraDecoding::drop_arcs(Score bound) {
  workspace_.marks.resize(frames().arcs());
  mark_needed_arcs(frames(), bound, threshold(), workspace_.descent, workspace_.marks);
  for (std::size_t arc = 0; arc < frames().arcs(); ++arc)
    if (solution_.heads[frames().arc_modifiers[arc]] == frames().arc_heads[arc]) workspace_.marks[arc] = 1;
  if (std::count(workspace_.marks.begin(), workspace_.marks.end(), 1) > 0.95 * frames().arcs()) return false;
  excluded_ = threshold();
  filter_marked();
  return true;
}

// Writes the scores of arcs with the best that extras can add to workspace_.scores.
void ExtraDecoding::set_optimistic_scores() {
  workspace_.scores.assign(problem_.arc_scores.begin(), problem_.arc_scores.end());
  add_optimism(frames(), *problem_.extras, problem_.rules.projective, workspace_.scores);
}

// Runs the descent on optimistic arc scores and drops arcs. Fewer arcs mean less optimism, so more arcs can go.
void ExtraDecoding::reduce() {
  std::vector<Score>& scores = workspace_.scores;
  bool dropped = true;
  while (dropped && solution_.sweeps < options_.sweep_limit() && !out_of_time()) {
    set_optimistic_scores();
    workspace_.marks.resize(frames().arcs());
    std::ranges::transform(scores, workspace_.marks.begin(), [](Score score) { return score > NEGATIVE_INFINITY; });
    if (std::count(workspace_.marks.begin(), workspace_.marks.end(), 0) > 0) {
      filter_marked();
      continue;
    }
    start_descent(frames(), scores, workspace_.descent);
    for (Index count = 0; count < SWEEPS_PER_ROUND; ++count, ++solution_.sweeps)
      sweep(frames(), count % 2 == 0 ? Direction::Forward : Direction::Backward, workspace_.descent);
    update_tree(frames(), problem_.rules.root, workspace_.descent);
    const Score bound = sweep(frames(), Direction::Still, workspace_.descent);
    lower(bound);
    if (is_closed()) return;
    dropped = drop_arcs(bound);
    // Only the best tree is left.
    if (is_decided()) lower(solution_.score);
    if (is_closed()) return;
  }
}

// Computes a bound if there is no tree yet to drop arcs with: the best choices of the automata under the optimistic
// scores.
void ExtraDecoding::bound_automata() {
  set_optimistic_scores();
  start_descent(frames(), workspace_.scores, workspace_.descent);
  lower(sweep(frames(), Direction::Still, workspace_.descent));
}

SolverResult ExtraDecoding::call_solver(const Start& start) const {
  if (options_.method != Method::Exact) return relax(workspace_.graph, options_, start);
  BranchOptions branch_options;
  branch_options.ad3.max_iterations = options_.max_iterations;
  branch_options.ad3.tolerance = options_.tolerance;
  branch_options.ad3.proves = false;  // `is_closed` decides
  branch_options.ad3.start = start;
  branch_options.max_nodes = options_.node_limit();
  branch_options.tolerance = options_.tolerance;
  GraphWorkspace workspace(workspace_.graph);
  return branch_and_bound(workspace_.graph, branch_options, workspace);
}

void ExtraDecoding::solve() {
  build_graph(problem_, workspace_.graph);
  add_extra_factors(problem_, workspace_.graph, variables_);
  Start start;
  start.rounder = this;
  if (has_tree()) {
    workspace_.assignment.resize(workspace_.graph.variables());
    extra_assignment(frames(), variables_, solution_.heads, workspace_.assignment);
    start.assignment = workspace_.assignment;
  }
  take(call_solver(start));
}

void ExtraDecoding::run() {
  solution_ = {};
  if (!proves()) solution_.status = Status::Approximate;
  run_in_time([this] { find_tree(); });
  conclude();
}

void ExtraDecoding::find_tree() {
  solution_.arcs = static_cast<Index>(frames().arcs());
  const bool possible = offer_first();
  if (!has_tree()) solution_.heads = workspace_.heads;
  if (!possible)
    solution_.bound = NEGATIVE_INFINITY;
  else if (continues()) {
    if (proves() && has_tree()) reduce();
    if (climbs() && proves() && !has_tree()) bound_automata();
    if (!is_closed()) climbs() ? climb_with_restarts(problem_.arc_scores) : solve();
  }
}

}  // namespace

void solve_with_extras(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                       Solution& solution) {
  ExtraDecoding(problem, options, workspace, solution).run();
}

}  // namespace headlong
