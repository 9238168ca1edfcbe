// AD3: dual decomposition with the alternating directions method (Martins 2011a; Martins 2013, section 2.2).
#pragma once

#include "graph/solver.hpp"

namespace headlong {

struct Ad3Options {
  Index max_iterations = 1000;
  double residual = 1e-6;   // primal and dual residuals below this end the run, as does a relative gap of five times it
  double penalty = 0.2;     // the first one, in units of the largest score; adapted by the ratio of the residuals
  Index adapt_every = 10;   // 0: never
  Index bound_every = 5;    // how often a bound and a rounded assignment are computed
  double tolerance = 1e-9;  // a relative gap between bound and value below this is a certificate
  Score cutoff = NEGATIVE_INFINITY;  // a bound below this ends the run: branch and bound wants no more
  double time_limit = 0.0;           // seconds; 0: none
  bool trace = false;
  Start start = {};
};

// Solves the linear relaxation over the local polytopes of the factors, and the problem itself where the relaxation is
// tight. An iteration takes one projection a factor, but for factors whose input has not changed, and no memory
// (tests/allocation.cpp counts). Active sets get a few steps an iteration, and the next one goes on from them; after
// finitely many iterations all are exact, so that the proof of convergence stands (Eckstein and Bertsekas 1992).
SolverResult ad3(const Graph& graph, const Ad3Options& options, GraphWorkspace& workspace, Fixed fixed = {});

}  // namespace headlong
