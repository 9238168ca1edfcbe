// Loopy belief propagation, sum-product and max-product (Martins 2010, sections 2 and 3).
#pragma once

#include "solvers/solver.hpp"

namespace headlong {

struct BeliefOptions {
  Index max_iterations = 500;
  double tolerance = 1e-8;  // largest change of a message that ends the run
  double damping = 0.0;     // share of the old message that is kept
  bool max_product = false;
  double time_limit = 0.0;
};

struct BeliefResult {
  std::vector<double> marginals;  // [variables] beliefs that each variable is on
  double log_partition = 0.0;     // the Bethe approximation (sum-product); exact on trees
  Index iterations = 0;
  double change = 0.0;  // of the messages in the last iteration
  bool converged = false;
  SolverResult rounded;  // the best assignment that rounding the beliefs gives
};

BeliefResult belief_propagation(const Graph& graph, const BeliefOptions& options, GraphWorkspace& workspace);

}  // namespace headlong
