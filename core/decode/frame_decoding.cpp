#include <algorithm>

#include "decode/decoding.hpp"
#include "graph/ad3.hpp"
#include "graph/subgradient.hpp"

namespace headlong {

SolverResult relax(const Graph& graph, const DecodeOptions& options, const Start& start) {
  GraphWorkspace workspace(graph);
  const auto limited = [&](auto solver_options) {
    solver_options.max_iterations = options.max_iterations;
    solver_options.tolerance = options.tolerance;
    solver_options.proves = false;  // `is_closed` decides
    solver_options.start = start;
    return solver_options;
  };
  if (options.method == Method::Subgradient) return subgradient(graph, limited(SubgradientOptions()), workspace);
  return ad3(graph, limited(Ad3Options()), workspace);
}

bool FrameDecoding::round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) {
  if (!offer_rounded(relaxed)) return false;
  assignment_of(frames(), workspace_.heads, assignment);
  return true;
}

// Drops the arcs that no better tree has. Returns false if too few would go.
bool FrameDecoding::drop_arcs(Score bound) {
  if (!has_tree()) return false;
  workspace_.marks.resize(frames().arcs());
  std::size_t count = mark_needed_arcs(frames(), bound, threshold(), workspace_.descent, workspace_.marks);
  // Before a search, the arcs of the best tree stay: the solver starts from it.
  for (std::size_t arc = 0; arc < frames().arcs() && workspace_.numbers.empty(); ++arc)
    if (!workspace_.marks[arc] && solution_.heads[frames().arc_modifiers[arc]] == frames().arc_heads[arc])
      workspace_.marks[arc] = 1, ++count;
  if (count > 0.9 * frames().arcs()) return false;
  excluded_ = std::max(excluded_, threshold());
  filter(frames(), problem_.arc_scores, workspace_.marks);
  save_split(workspace_.descent, workspace_.kept, workspace_.split);
  load_split(frames(), workspace_.split, workspace_.descent);
  for (std::size_t arc = 0; arc < count && !workspace_.numbers.empty(); ++arc)
    workspace_.numbers[arc] = workspace_.numbers[workspace_.kept[arc]];
  if (!workspace_.numbers.empty()) workspace_.numbers.resize(count);
  return true;
}

// Runs the descent while it makes progress, and rounds and drops arcs every SWEEPS_PER_ROUND sweeps. Returns a bound on
// all trees of the current arcs, or a value below `excluded_` if no such tree matters.
Score FrameDecoding::descend(Index max_sweeps) {
  Descent& descent = workspace_.descent;
  Score bound = std::numeric_limits<Score>::infinity(), earlier = bound;
  for (Index count = 1; count <= max_sweeps; ++count) {
    bound = sweep(frames(), count % 2 == 1 ? Direction::Forward : Direction::Backward, descent);
    ++solution_.sweeps;
    if (is_good_enough(bound) || out_of_time()) return bound;
    if (count % SWEEPS_PER_ROUND != 0) continue;
    bound = update_tree(frames(), problem_.rules.root, descent);
    if (is_good_enough(bound)) return bound;
    bound = sweep(frames(), Direction::Still, descent);
    workspace_.scores.resize(frames().arcs());
    for (std::size_t arc = 0; arc < frames().arcs(); ++arc) workspace_.scores[arc] = arc_deficit(descent, arc);
    offer_tree(workspace_.scores);
    if (is_good_enough(bound)) return bound;
    const bool dropped = drop_arcs(bound);
    if (lacks_candidate()) return excluded_;
    const Score gap = bound - solution_.score;
    if (!dropped && gap > 0.7 * earlier) break;
    earlier = gap;
  }
  return bound;
}

// Runs the descent on all arcs whose score is not -inf.
void FrameDecoding::start() {
  workspace_.marks.resize(frames().arcs());
  for (std::size_t arc = 0; arc < frames().arcs(); ++arc)
    workspace_.marks[arc] = problem_.arc_scores[arc] > NEGATIVE_INFINITY;
  if (std::count(workspace_.marks.begin(), workspace_.marks.end(), 0) > 0)
    filter(frames(), problem_.arc_scores, workspace_.marks);
  start_descent(frames(), problem_.arc_scores, workspace_.descent);
  workspace_.numbers.clear();
  lower(descend(std::max(options_.sweep_limit(), 1)));
  // One tree is left, and it has been tried.
  if (is_decided()) lower(solution_.score);
}

// Runs the solver on the remaining arcs, starting from the best tree and the multipliers that the descent reached.
SolverResult FrameDecoding::run_solver(bool descended) {
  build_graph(problem_, workspace_.graph);
  Start start;
  start.rounder = this;
  if (has_tree()) {
    workspace_.assignment.resize(frames().arcs());
    assignment_of(frames(), solution_.heads, workspace_.assignment);
    start.assignment = workspace_.assignment;
  }
  if (descended) {
    multipliers_of(frames(), workspace_.graph, workspace_.descent, workspace_.multipliers);
    start.multipliers = workspace_.multipliers;
  }
  SolverResult result = relax(workspace_.graph, options_, start);
  take(result);
  return result;
}

// Climbs with restarts on the remaining arcs. After a descent, trees are drawn by the arc costs in it, which reflect
// all parts instead of the arc scores alone.
void FrameDecoding::climb_remaining(bool descended) {
  solution_.arcs = static_cast<Index>(frames().arcs());
  if (!descended || !has_tree()) return climb_with_restarts(problem_.arc_scores);
  sweep(frames(), Direction::Still, workspace_.descent);
  workspace_.scores.resize(frames().arcs());
  for (std::size_t arc = 0; arc < frames().arcs(); ++arc) workspace_.scores[arc] = arc_deficit(workspace_.descent, arc);
  climb_with_restarts(workspace_.scores);
}

void FrameDecoding::run() {
  solution_ = {};
  if (!proves()) solution_.status = Status::Approximate;
  run_in_time([this] { find_tree(); });
  conclude();
}

void FrameDecoding::find_tree() {
  const bool possible = frames().size > 1 && offer_first();
  if (!has_tree()) solution_.heads = workspace_.heads;
  solution_.arcs = static_cast<Index>(frames().arcs());
  if (frames().size == 1) {
    workspace_.heads.assign(1, NO_HEAD);
    offer(frame_value(frames(), 0, 0, {}, {}));
    lower(solution_.score);
  } else if (!possible) {
    lower(NEGATIVE_INFINITY);
  } else if (continues()) {
    const bool searches = options_.method == Method::Exact;
    const bool descends = options_.sweep_limit() > 0 || searches;
    if (descends) start();
    if (!is_closed() && solution_.bound > NEGATIVE_INFINITY) {
      if (searches)
        search();
      else if (climbs())
        climb_remaining(descends);
      else
        run_solver(descends);
    }
  }
}

void solve_with_frames(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                       Solution& solution) {
  FrameDecoding(problem, options, workspace, solution).run();
}

}  // namespace headlong
