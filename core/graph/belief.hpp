// Loopy belief propagation, sum-product and max-product, which needs only the marginals of factors (Martins 2010,
// sections 2 and 3 and table 1).
//
// A message is one number per link: the log-odds of its variable being on. Given the incoming messages as link scores,
// a factor returns its link marginals. The outgoing message is the log-odds of the marginal minus the incoming message.
// Max-product uses the difference of the max-marginals instead of the log-odds. A sweep calls each factor once.
//
// Certainties. If a factor allows a variable only one value, the variable is fixed permanently and all its factors are
// told: its links are forbidden (-inf) or forced, by a score larger than the sum of all scores in the graph. (For
// Python factors that do not report their lowest own score, own scores below about -1e5 count as forbidden beside a
// forced link.) So messages stay finite, infinities are never subtracted, and a contradiction shows up as a factor
// without an allowed configuration: the graph is infeasible. A marginal near 1 does not determine its log-odds. In that
// case the factor is called again with the link forbidden, and the difference of the log-partitions recovers the lost
// digits.
#pragma once

#include "graph/solver.hpp"

namespace headlong {

struct BeliefOptions {
  Index max_iterations = 500;
  double tolerance = 1e-8;  // the run ends when no message changes by more than this
  double damping = 0.0;     // weight of the old message, in [0, 1)
  bool max_product = false;
  double time_limit = 0.0;  // seconds; 0: none
};

struct BeliefResult {
  std::vector<double> marginals;  // [variables] belief that each variable is on (max-product: from max-marginals)
  // The Bethe approximation of the log-partition, exact on acyclic graphs. Max-product: the value of the best
  // assignment, in the same sense. -inf if the graph is infeasible. NaN if there was no time for it.
  double log_partition = std::numeric_limits<double>::quiet_NaN();
  // The Bethe entropy in nats (sum-product). NaN in max-product, and if a Python factor does not report its expected
  // own score.
  double entropy = std::numeric_limits<double>::quiet_NaN();
  Index iterations = 0;  // number of sweeps over all factors
  double change = 0.0;   // largest change of a message in the last sweep
  bool converged = false;
  bool infeasible = false;  // proved by certainties alone
  bool acyclic = false;     // if true, the converged result is exact
  // The best assignment found by rounding the beliefs. If the graph is acyclic and max-product has converged, it has a
  // bound and can be Optimal. Infeasible if that was proved.
  SolverResult rounded;
};

// Sweeps over the factors in their order, forward and backward in turn. Throws std::invalid_argument if a factor lacks
// marginals (or max-marginals). One call per factor and sweep; each nearly certain link costs another call.
BeliefResult belief_propagation(const Graph& graph, const BeliefOptions& options, GraphWorkspace& workspace);

}  // namespace headlong
