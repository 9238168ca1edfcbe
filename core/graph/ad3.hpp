// AD3: dual decomposition with the alternating directions method of multipliers (Martins 2011a; Martins 2013, section
// 2.2).
#pragma once

#include "graph/solver.hpp"

namespace headlong {

struct Ad3Options {
  Index max_iterations = 1000;
  double residual =
      1e-6;  // the run ends when both residuals are below this, or the relative gap is below five times this
  double penalty = 0.2;     // the initial penalty, in units of the largest score; adapted by the ratio of the residuals
  Index adapt_every = 10;   // 0: never
  Index bound_every = 5;    // how often to compute a bound and round to an assignment
  double tolerance = 1e-9;  // a relative gap between bound and value below this ends the run
  bool proves = true;       // whether to close such a gap up to rounding errors, for a certificate (`prove`)
  Score cutoff = NEGATIVE_INFINITY;  // a bound below this ends the run; set by branch and bound
  double time_limit = 0.0;           // seconds; 0: none
  bool trace = false;
  Start start = {};
};

// Solves the linear relaxation over the local polytopes of the factors, and the problem itself if the relaxation is
// tight. An iteration takes one projection per factor whose input has changed, and allocates no memory
// (tests/core/allocation.cpp checks this). Active sets take a few steps per iteration and continue from there in the
// next one. After finitely many iterations all of them are exact, so the proof of convergence holds (Eckstein and
// Bertsekas 1992).
SolverResult ad3(const Graph& graph, const Ad3Options& options, GraphWorkspace& workspace, Fixed fixed = {});

}  // namespace headlong
