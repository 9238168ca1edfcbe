// Dual decomposition by projected subgradient (Rush 2010; Koo 2010).
#pragma once

#include "solvers/solver.hpp"

namespace headlong {

// Koo 2010, appendix A.1: delta / (1 + times the dual went up), delta being the first gap; Rush 2010, appendix B:
// initial / 2^times.
enum class StepRule : std::uint8_t { Koo, Rush };

struct SubgradientOptions {
  Index max_iterations = 5000;
  StepRule rule = StepRule::Koo;
  double step = 0.0;        // the first step; 0: by the rule (Koo: the first gap, Rush: 0.5)
  double tolerance = 1e-9;  // a gap between bound and value below this ends the run
  bool lazy = true;         // do not solve a subproblem again whose scores have not changed (Koo 2010, section 7.4)
  double time_limit = 0.0;
  bool trace = false;
};

SolverResult subgradient(const Graph& graph, const SubgradientOptions& options, GraphWorkspace& workspace,
                         Fixed fixed = {});

}  // namespace headlong
