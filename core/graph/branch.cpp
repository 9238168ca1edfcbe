#include "graph/branch.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

#include "base/stop.hpp"
#include "base/stopwatch.hpp"

namespace headlong {

namespace {

constexpr Index NONE = -1;
// Nodes to close from the tolerance to rounding errors. Nearly all graphs need none: AD3 ends each node with `prove`.
constexpr Index EXTRA_NODES = 300;

// A node stores only what it fixes beyond its parent. A chain of parents takes less memory than all fixed variables.
struct Node {
  Index parent;
  Index variable;
  std::int8_t on;
  Index depth;
  Score bound;
};

class Search {
 public:
  Search(const Graph& graph, const BranchOptions& options, GraphWorkspace& workspace)
      : graph(graph),
        options(options),
        workspace(workspace),
        degrees(graph.degrees()),
        fixed(graph.variables(), -1),
        closed_bound(NEGATIVE_INFINITY),
        split(split_scores(graph, {}, workspace)) {}

  SolverResult run();

 private:
  // Largest bound first, then deepest, then newest: among equals the search dives.
  struct Order {
    const std::vector<Node>& nodes;
    bool operator()(Index a, Index b) const {
      return std::tuple(nodes[a].bound, nodes[a].depth, a) < std::tuple(nodes[b].bound, nodes[b].depth, b);
    }
  };

  // A bound must exceed this for a node to stay open, or to be more than the tolerance above the best value.
  Score threshold() const {
    return options.ad3.proves ? best.value + std::max(split.rounding, 0.5 * split.step) : tolerance_threshold();
  }
  Score tolerance_threshold() const {
    if (best.value == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;
    return best.value + options.tolerance * std::max(std::min(1.0, split.scale), std::abs(best.value));
  }

  // Fixes the variables of a node. Returns how many.
  Index fix(Index node) {
    std::fill(fixed.begin(), fixed.end(), -1);
    Index count = 0;
    for (; nodes[node].parent != NONE; node = nodes[node].parent, ++count) fixed[nodes[node].variable] = nodes[node].on;
    return count;
  }

  // Returns the free variable whose relaxed value is nearest to one half; ties go to the one with the most links.
  Index most_fractional(std::span<const double> relaxed) const {
    Index found = NONE;
    std::pair<double, Index> most;
    for (Index v = 0; v < graph.variables(); ++v) {
      if (fixed[v] >= 0) continue;
      const std::pair<double, Index> key(std::min(relaxed[v], 1.0 - relaxed[v]), degrees[v]);
      if (found == NONE || key > most) found = v, most = key;
    }
    return found;
  }

  void take(const SolverResult& found) {
    if (found.assignment.size() != graph.scores.size() || !(found.value > best.value)) return;
    best.value = found.value;
    best.assignment = found.assignment;
  }

  // Solves a node and splits it if it stays open.
  void expand(Index node, std::priority_queue<Index, std::vector<Index>, Order>& open);

  const Graph& graph;
  const BranchOptions& options;
  GraphWorkspace& workspace;
  std::vector<Index> degrees;
  std::vector<std::int8_t> fixed;  // [variables] of the current node
  std::vector<Node> nodes;
  SolverResult best;
  Score closed_bound;  // the largest bound among closed nodes
  const Split split;   // of the whole graph
  Stopwatch stopwatch;
};

void Search::expand(Index node, std::priority_queue<Index, std::vector<Index>, Order>& open) {
  const Index count = fix(node);
  Score bound = nodes[node].bound;
  if (count == graph.variables()) {
    SolverResult only;
    only.assignment.assign(fixed.begin(), fixed.end());
    only.value = value(graph, only.assignment, workspace);
    take(only);
    closed_bound = std::max(closed_bound, only.value);
    return;
  }
  Ad3Options ad3_options = options.ad3;
  ad3_options.cutoff = threshold();
  ad3_options.trace = false;
  if (node != 0) ad3_options.start.assignment = {};
  ad3_options.time_limit = 0.0;  // that of the search holds
  const SolverResult found = ad3(graph, ad3_options, workspace, fixed);
  take(found);
  if (node == 0) {
    best.relaxed = found.relaxed;
    best.relaxed_value = found.relaxed_value;
    best.primal_residual = found.primal_residual;
    best.dual_residual = found.dual_residual;
  }
  if (found.status == Status::Infeasible) return;
  bound = std::min(bound, found.upper);
  const bool is_solved = found.status == (options.ad3.proves ? Status::Optimal : Status::Tolerance);
  if (is_solved || bound <= threshold()) {
    closed_bound = std::max(closed_bound, bound);
    return;
  }
  const Index variable = most_fractional(found.relaxed);
  const std::int8_t likely = found.relaxed[variable] > 0.5;
  for (std::int8_t on : {static_cast<std::int8_t>(1 - likely), likely}) {
    nodes.push_back({node, variable, on, count + 1, bound});
    open.push(static_cast<Index>(nodes.size()) - 1);
  }
}

SolverResult Search::run() {
  Index extra_nodes = 0;
  if (!options.ad3.start.assignment.empty()) offer(graph, {}, options.ad3.start.assignment, workspace, best);
  best.relaxed.assign(graph.variables(), 0.5);  // kept if no node is solved
  std::priority_queue<Index, std::vector<Index>, Order> open(Order{nodes});
  nodes.push_back({NONE, NONE, -1, 0, std::numeric_limits<Score>::infinity()});
  open.push(0);
  while (!open.empty() && nodes[open.top()].bound > threshold()) {
    if (best.iterations >= options.max_nodes || out_of_time()) break;
    const Index node = open.top();
    if (nodes[node].bound <= tolerance_threshold() && ++extra_nodes > EXTRA_NODES) break;
    open.pop();
    try {
      expand(node, open);
    } catch (const OutOfTime&) {
      open.push(node);  // its bound still counts
      break;
    }
    ++best.iterations;
    if (options.trace) {
      const Score bound =
          std::max({open.empty() ? NEGATIVE_INFINITY : nodes[open.top()].bound, closed_bound, best.value});
      best.trace.push_back({best.iterations, best.value, bound, 0.0, 0.0, stopwatch.seconds()});
    }
  }
  const Score open_bound = open.empty() ? NEGATIVE_INFINITY : nodes[open.top()].bound;
  best.bound = std::max({open_bound, closed_bound, best.value});
  if (open.empty() && best.value == NEGATIVE_INFINITY)
    best.status = Status::Infeasible;
  else if (options.ad3.proves && is_proved(split, best.value, best.bound))
    best.status = Status::Optimal;
  else
    best.status = best.bound <= tolerance_threshold() ? Status::Tolerance : Status::Unconverged;
  finish_bound(split, best);
  return std::move(best);
}

}  // namespace

SolverResult branch_and_bound(const Graph& graph, const BranchOptions& options, GraphWorkspace& workspace) {
  const TimeLimit limit(options.time_limit);
  try {
    return Search(graph, options, workspace).run();
  } catch (const OutOfTime&) {
    return unsolved(graph);
  }
}

}  // namespace headlong
