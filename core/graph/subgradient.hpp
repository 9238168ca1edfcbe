// Dual decomposition by the projected subgradient method (Rush 2010; Koo 2010).
#pragma once

#include "graph/solver.hpp"

namespace headlong {

// Polyak: the step is (dual - target) / |direction|^2 (Polyak 1969). The target is the value of the best assignment, or
// a level at some distance below the best dual if that is closer (after Goffin and Kiwiel 1999). The distance starts as
// the first gap. It doubles when the dual has gained half of it. If 150 iterations do not gain that much, it is halved
// and the search returns to the best multipliers. The direction is the disagreements plus half of the previous
// direction. No step size has to be chosen.
//
// The other rules shrink the step with t, the number of times the dual went up. Koo 2010, appendix A.1: delta / (1 +
// t), where delta is the gap after the first iteration. Rush 2010, appendix B: 0.5 / 2^t. Rush's steps have a finite
// sum: the rule suits problems with a few large factors that agree soon. With many factors to reconcile, it stops short
// of the optimum and does not detect infeasible problems.
enum class StepRule : std::uint8_t { Polyak, Koo, Rush };

struct SubgradientOptions {
  Index max_iterations = 5000;
  StepRule rule = StepRule::Polyak;
  double step = 0.0;        // the first step (Polyak: the first distance); 0: chosen by the rule
  double tolerance = 1e-9;  // a relative gap between bound and value below this ends the run
  bool proves = true;       // whether to close such a gap up to rounding errors, for a certificate (`prove`)
  bool lazy = true;         // skip subproblems whose scores have not changed (Koo 2010, section 7.4)
  double time_limit = 0.0;  // seconds; 0: none
  bool trace = false;
  Start start = {};
};

// Minimizes the dual. The status is Optimal if all factors agree or bound and value meet, and otherwise Unconverged (or
// Infeasible, if that was proved). `relaxed` is the mean of the factors' configurations over the later iterations,
// which tends to a solution of the relaxation. The residuals are the root mean square of the disagreements, and the
// last step in units of scores. An iteration takes one maximization per factor whose scores have changed, and allocates
// no memory.
SolverResult subgradient(const Graph& graph, const SubgradientOptions& options, GraphWorkspace& workspace,
                         Fixed fixed = {});

}  // namespace headlong
