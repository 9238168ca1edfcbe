// Dual decomposition by the projected subgradient method (Rush 2010; Koo 2010).
#pragma once

#include "graph/solver.hpp"

namespace headlong {

// Polyak: a step of (dual - target) / |direction|^2 (Polyak 1969), where the target is the value of the best
// assignment, or nearer, a distance below the best dual (after Goffin and Kiwiel 1999). The distance begins with the
// first gap, doubles when half of it has been gained, and is halved, the search going back to the best multipliers,
// when 150 iterations did not. The direction is that of the disagreements and half of the one before. No step has to be
// chosen.
//
// The others shrink with t, the number of times the dual went up. Koo 2010, appendix A.1: delta / (1 + t), where delta
// is the gap after the first iteration; Rush 2010, appendix B: 0.5 / 2^t. The sum of Rush's steps is finite: it suits
// problems of a few large factors that agree soon, and stops short of the optimum, and of seeing that a problem is
// infeasible, where many factors have to be reconciled.
enum class StepRule : std::uint8_t { Polyak, Koo, Rush };

struct SubgradientOptions {
  Index max_iterations = 5000;
  StepRule rule = StepRule::Polyak;
  double step = 0.0;        // the first step, in Polyak's rule the first distance; 0: by the rule
  double tolerance = 1e-9;  // a relative gap between bound and value below this is a certificate and ends the run
  bool lazy = true;         // do not solve a subproblem again whose scores have not changed (Koo 2010, section 7.4)
  double time_limit = 0.0;  // seconds; 0: none
  bool trace = false;
  Start start = {};
};

// Minimizes the dual; ends with Optimal when all factors agree or bound and value meet, and otherwise with Unconverged.
// `relaxed` is the mean of what the factors wanted over the later iterations, which tends to a solution of the
// relaxation. The residuals are the root mean square of the disagreements, and the last step in units of scores. An
// iteration takes one maximization a factor whose scores have changed, and no memory.
SolverResult subgradient(const Graph& graph, const SubgradientOptions& options, GraphWorkspace& workspace,
                         Fixed fixed = {});

}  // namespace headlong
