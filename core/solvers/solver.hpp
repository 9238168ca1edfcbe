// What all solvers of factor graphs share: limits, and what they answer.
#pragma once

#include <string_view>

#include "factors/services.hpp"

namespace headlong {

enum class Status : std::uint8_t {
  Optimal,      // an assignment whose value equals the bound
  Fractional,   // the relaxation is solved, and its solution is not integral
  Unconverged,  // a limit was reached
  Infeasible    // no assignment satisfies all factors
};

// One row of a convergence trace.
struct TracePoint {
  Index iteration;
  Score value;  // of the best assignment so far, -inf if there is none
  Score bound;  // the best upper bound so far
  double primal_residual, dual_residual;
  double seconds;
};

struct SolverResult {
  std::vector<double> relaxed;              // [variables] the solution of the relaxation (or beliefs), in [0, 1]
  std::vector<std::uint8_t> assignment;     // [variables] the best feasible assignment found; empty if none
  Score value = NEGATIVE_INFINITY;          // of `assignment`
  Score relaxed_value = NEGATIVE_INFINITY;  // of `relaxed`
  Score bound = std::numeric_limits<Score>::infinity();  // no assignment is worth more
  Status status = Status::Unconverged;
  Index iterations = 0;
  double primal_residual = 0.0, dual_residual = 0.0;
  std::vector<TracePoint> trace;  // on request
};

// What an assignment is worth: unary scores and own scores of all factors; -inf if a factor forbids it.
Score value(const Graph& graph, std::span<const std::uint8_t> assignment, GraphWorkspace& workspace);

// Rounds relaxed values to a feasible assignment through the structured factors: each in turn is maximized with the
// relaxed values as link scores (then with the variable scores as well), and its configuration completed and tried on
// all others. Keeps the best of `result.assignment` and what it finds.
void round(const Graph& graph, std::span<const double> relaxed, GraphWorkspace& workspace, SolverResult& result);

// Variables fixed by branch and bound: -1 free, 0 or 1. Solvers add +-FIXED to the scores of fixed ones.
using Fixed = std::span<const std::int8_t>;

}  // namespace headlong
