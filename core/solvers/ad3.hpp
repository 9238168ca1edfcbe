// AD3: dual decomposition with the alternating directions method (Martins 2011a; Martins 2013, section 2.2).
#pragma once

#include "solvers/solver.hpp"

namespace headlong {

struct Ad3Options {
  Index max_iterations = 1000;
  double residual = 1e-6;  // primal and dual residuals below this end the run
  double penalty = 0.1;    // the first one; adapted by the ratio of the residuals
  Index adapt_every = 10;
  double time_limit = 0.0;  // seconds; 0: none
  bool trace = false;
};

SolverResult ad3(const Graph& graph, const Ad3Options& options, GraphWorkspace& workspace, Fixed fixed = {});

}  // namespace headlong
