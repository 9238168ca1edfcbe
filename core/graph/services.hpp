// The services of all factors of a graph, by the factor's number: what solvers call.
#pragma once

#include "graph/logic.hpp"
#include "graph/qp.hpp"

namespace headlong {

// Scratch memory for all factors of one graph, for one thread. Structured factors keep a workspace each; those with a
// quadratic problem of their own keep its active set between calls, as a warm start.
struct GraphWorkspace {
  explicit GraphWorkspace(const Graph& graph);

  std::vector<std::unique_ptr<FactorWorkspace>> structured;  // [factors], empty for others
  std::vector<ActiveSet> active_sets;                        // [factors], used by dense and structured ones
  std::vector<std::uint8_t> on;                              // scratch of whoever evaluates assignments
  std::vector<double> chances;                               // scratch of `entropy`
  LogicWorkspace logic;
  QpWorkspace qp;
};

// `scores` and all outputs are by link, after negation.
Score maximize(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
               Configuration& best);
Score own_score(const Graph& graph, Index factor, std::span<const std::uint8_t> on, GraphWorkspace& workspace);
bool has_marginals(const Graph& graph, Index factor);
Score marginals(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
                std::span<double> out);
// The mean of own(z) under the distribution of `marginals`; NaN for factors in Python that do not tell.
double expected_own(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace);
// The entropy of that distribution in nats, log-partition - mean of all scores; NaN as above, 0 if nothing is allowed.
double entropy(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace);
// A lower bound on own(z) of all allowed z; nothing for factors in Python that do not tell.
std::optional<Score> lowest_own(const Graph& graph, Index factor);
bool has_max_marginals(const Graph& graph, Index factor);
Score max_marginals(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);
// The maximizer of own_scale * own(z) - |z - values|^2 / 2 over the factor's polytope.
void project(const Graph& graph, Index factor, std::span<const double> values, double own_scale,
             GraphWorkspace& workspace, std::span<double> out);
// The own score of the point that `project` found for this factor last.
Score projected_own(const Graph& graph, Index factor, std::span<const double> point, const GraphWorkspace& workspace);

}  // namespace headlong
