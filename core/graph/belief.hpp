// Loopy belief propagation, sum-product and max-product, from the marginals of factors alone (Martins 2010, sections 2
// and 3 and table 1).
//
// A message is one number a link, the log-odds of its variable being on. With incoming messages as link scores, a
// factor answers with its link marginals; the log-odds of a marginal minus the incoming message is the outgoing one. In
// max-product, the difference of the max-marginals stands for the log-odds. A sweep over all factors calls each once.
//
// Certainties. A variable that a factor allows one value only is fixed for good, and all its factors are told so: its
// links are forbidden (-inf), or forced by a score larger than what all scores of the graph can bring together (of
// factors in Python that do not tell their lowest own score, those below about -1e5 count as forbidden beside a forced
// link). So
// messages are finite, no difference of infinities is formed, and a contradiction shows as a factor without
// configuration: the graph is infeasible. Marginals near 1 do not determine their log-odds; the factor is asked again
// with that link forbidden, and the difference of the log-partitions gives the digits that are lost.
#pragma once

#include "graph/solver.hpp"

namespace headlong {

struct BeliefOptions {
  Index max_iterations = 500;
  double tolerance = 1e-8;  // largest change of a message that ends the run
  double damping = 0.0;     // share of the old message that is kept, in [0, 1)
  bool max_product = false;
  double time_limit = 0.0;  // seconds; 0: none
};

struct BeliefResult {
  std::vector<double> marginals;  // [variables] beliefs that each variable is on; max-product: of the max-marginals
  // The Bethe approximation of the log-partition, exact on acyclic graphs; max-product: the value of the best
  // assignment in the same sense. -inf if the graph is infeasible.
  double log_partition = 0.0;
  // The Bethe entropy in nats (sum-product). NaN in max-product, and if a factor in Python does not tell the mean of
  // its own scores.
  double entropy = 0.0;
  Index iterations = 0;  // sweeps over all factors
  double change = 0.0;   // of the messages in the last sweep
  bool converged = false;
  bool infeasible = false;  // proved by certainties alone
  bool acyclic = false;     // then the converged answer is exact
  // The best assignment that rounding the beliefs gives. It has a bound, and can be Optimal, if the graph is acyclic
  // and max-product has converged; Infeasible if that was proved.
  SolverResult rounded;
};

// Sweeps forth and back over the factors in their order. Throws std::invalid_argument if a factor lacks marginals (or
// max-marginals). O(factor calls) a sweep; a link that is nearly certain costs another call.
BeliefResult belief_propagation(const Graph& graph, const BeliefOptions& options, GraphWorkspace& workspace);

}  // namespace headlong
