// The services of all factors of a graph, by factor number. This is the interface for solvers.
#pragma once

#include "base/stop.hpp"
#include "graph/logic.hpp"
#include "graph/qp.hpp"

namespace headlong {

// Scratch memory for all factors of one graph and one thread. Each structured factor has its own workspace. Dense and
// structured factors keep the active set of their quadratic problem between calls, as a warm start.
struct GraphWorkspace {
  explicit GraphWorkspace(const Graph& graph);

  std::vector<std::unique_ptr<FactorWorkspace>> structured;  // [factors], empty for other types
  std::vector<ActiveSet> active_sets;                        // [factors], used by dense and structured factors
  std::vector<std::uint8_t> on;                              // scratch for evaluating assignments
  std::vector<double> probabilities;                         // scratch of `entropy`
  LogicWorkspace logic;
  WorkCounter work;
  QpWorkspace qp;
};

// `scores` and all outputs are per link, after negation.
Score maximize(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
               Configuration& best);
Score own_score(const Graph& graph, Index factor, std::span<const std::uint8_t> on, GraphWorkspace& workspace);
bool has_marginals(const Graph& graph, Index factor);
Score marginals(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
                std::span<double> out);
// Returns the mean of own(z) under the distribution of `marginals`; NaN for Python factors that do not report it.
double expected_own(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace);
// Returns the entropy of that distribution in nats: log-partition - mean of all scores. NaN as above; 0 if nothing is
// allowed.
double entropy(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace);
// Returns a lower bound on own(z) over all allowed z; nothing for Python factors that do not report it.
std::optional<Score> lowest_own(const Graph& graph, Index factor);
bool has_max_marginals(const Graph& graph, Index factor);
Score max_marginals(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);
// Writes the maximizer of own_scale * own(z) - |z - values|^2 / 2 over the factor's polytope.
void project(const Graph& graph, Index factor, std::span<const double> values, double own_scale,
             GraphWorkspace& workspace, std::span<double> out);
// Returns the own score of the last point that `project` found for this factor.
Score projected_own(const Graph& graph, Index factor, std::span<const double> point, const GraphWorkspace& workspace);

}  // namespace headlong
