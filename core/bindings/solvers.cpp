// The solvers of factor graphs for Python: numbers are checked here, and the GIL is released.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string>

#include "bindings/common.hpp"
#include "bindings/graph.hpp"
#include "graph/ad3.hpp"
#include "graph/belief.hpp"
#include "graph/branch.hpp"
#include "graph/services.hpp"
#include "graph/subgradient.hpp"

using namespace nanobind::literals;

namespace headlong {

const char* name_of(Status status) {
  switch (status) {
    case Status::Optimal:
      return "optimal";
    case Status::Fractional:
      return "fractional";
    case Status::Unconverged:
      return "unconverged";
    case Status::Approximate:
      return "approximate";
    default:
      return "infeasible";
  }
}

namespace {

using Answer = nb::typed<nb::dict, nb::str, nb::any>;

const std::map<std::string, StepRule> STEP_RULES = {
    {"polyak", StepRule::Polyak}, {"koo", StepRule::Koo}, {"rush", StepRule::Rush}};

// Variables fixed by the caller: nothing, or one of -1, 0, 1 a variable.
std::vector<std::int8_t> fixed_of(const Graph& graph, const std::optional<In<std::int8_t, 1>>& fixed) {
  if (!fixed) return {};
  require(fixed->size() == graph.scores.size(), "one number a variable is needed to fix them");
  for (std::int8_t value : view(*fixed)) require(value >= -1 && value <= 1, "variables are fixed with -1, 0 or 1");
  return {view(*fixed).begin(), view(*fixed).end()};
}

Answer described(const SolverResult& result) {
  Answer out;
  out["value"] = result.value;
  out["bound"] = result.bound;
  out["relaxed"] = copied(result.relaxed);
  out["relaxed_value"] = result.relaxed_value;
  if (result.value == NEGATIVE_INFINITY)
    out["assignment"] = nb::none();
  else
    out["assignment"] = copied(result.assignment);
  out["status"] = name_of(result.status);
  out["iterations"] = result.iterations;
  out["primal_residual"] = result.primal_residual;
  out["dual_residual"] = result.dual_residual;
  auto rows = new_array<Out<double, 2>>({result.trace.size(), 7});
  double* next = rows.data();
  for (const TracePoint& point : result.trace)
    for (double entry : {static_cast<double>(point.iteration), point.value, point.bound, point.primal_residual,
                         point.dual_residual, point.seconds, static_cast<double>(point.solved)})
      *next++ = entry;
  out["trace"] = rows;
  return out;
}

constexpr const char* RESULT =
    "A dictionary: value, bound, relaxed [variables], relaxed_value, assignment [variables] or None, status (optimal,\n"
    "fractional, unconverged, infeasible), iterations, primal_residual, dual_residual, and trace [rows, 7] of\n"
    "iteration, value, bound, primal residual, dual residual, seconds, and how many factors the subgradient method\n"
    "had to solve.";

}  // namespace

void bind_solvers(nb::module_& m) {
  m.def(
      "belief_propagation",
      [](const Graph& graph, bool max_product, Index max_iterations, double tolerance, double damping,
         double time_limit) {
        require(max_iterations >= 0, "max_iterations must not be negative");
        require(tolerance >= 0.0, "tolerance must not be negative");
        BeliefResult result;
        {
          nb::gil_scoped_release unlocked;
          GraphWorkspace workspace(graph);
          result = belief_propagation(graph, {max_iterations, tolerance, damping, max_product, time_limit}, workspace);
        }
        Answer answer;
        answer["marginals"] = copied(result.marginals);
        answer["log_partition"] = result.log_partition;
        answer["entropy"] = result.entropy;
        answer["iterations"] = result.iterations;
        answer["change"] = result.change;
        answer["converged"] = result.converged;
        answer["infeasible"] = result.infeasible;
        answer["acyclic"] = result.acyclic;
        if (result.rounded.value == NEGATIVE_INFINITY)
          answer["assignment"] = nb::none();
        else
          answer["assignment"] = copied(result.rounded.assignment);
        answer["value"] = result.rounded.value;
        answer["bound"] = result.rounded.bound;
        answer["certified"] = result.rounded.status == Status::Optimal;
        return answer;
      },
      "graph"_a, "max_product"_a = false, "max_iterations"_a = 500, "tolerance"_a = 1e-8, "damping"_a = 0.0,
      "time_limit"_a = 0.0,
      "Belief propagation. A dictionary: marginals [variables], log_partition and entropy (Bethe), iterations, "
      "change,\n"
      "converged, infeasible, acyclic; and of the rounded beliefs assignment [variables] or None, value, bound and\n"
      "certified.");
  m.def(
      "branch_and_bound",
      [](const Graph& graph, Index max_nodes, Index max_iterations, double residual, double penalty, double tolerance,
         double time_limit, bool trace) {
        require(max_nodes >= 0, "max_nodes must not be negative");
        require(max_iterations >= 1, "max_iterations must be positive");
        require(penalty > 0.0 && penalty < 1e100, "the penalty must be positive");
        require(tolerance >= 0.0, "tolerance must not be negative");
        BranchOptions options;
        options.ad3.max_iterations = max_iterations;
        options.ad3.residual = residual;
        options.ad3.penalty = penalty;
        options.max_nodes = max_nodes;
        options.tolerance = tolerance;
        options.time_limit = time_limit;
        options.trace = trace;
        SolverResult result;
        {
          nb::gil_scoped_release release;
          GraphWorkspace workspace(graph);
          result = branch_and_bound(graph, options, workspace);
        }
        return described(result);
      },
      "graph"_a, "max_nodes"_a = 10000, "max_iterations"_a = 1000, "residual"_a = 1e-6, "penalty"_a = 0.2,
      "tolerance"_a = 1e-6, "time_limit"_a = 0.0, "trace"_a = false,
      "Exact search. The dictionary is that of ad3; iterations are nodes, relaxed is that of the first one.");
  m.def(
      "ad3",
      [](const Graph& graph, Index max_iterations, double residual, double penalty, Index adapt_every,
         Index bound_every, double tolerance, double cutoff, double time_limit, bool trace,
         const std::optional<In<std::int8_t, 1>>& fixed) {
        require(penalty > 0.0 && penalty < 1e100, "the penalty must be positive");
        const std::vector<std::int8_t> fixed_values = fixed_of(graph, fixed);
        const Ad3Options options{max_iterations, residual, penalty,    adapt_every, bound_every,
                                 tolerance,      cutoff,   time_limit, trace};
        SolverResult result;
        {
          nb::gil_scoped_release release;
          GraphWorkspace workspace(graph);
          result = ad3(graph, options, workspace, fixed_values);
        }
        return described(result);
      },
      "graph"_a, "max_iterations"_a = 1000, "residual"_a = 1e-6, "penalty"_a = 0.2, "adapt_every"_a = 10,
      "bound_every"_a = 5, "tolerance"_a = 1e-9, "cutoff"_a = NEGATIVE_INFINITY, "time_limit"_a = 0.0,
      "trace"_a = false, "fixed"_a = nb::none(), RESULT);
  m.def(
      "subgradient",
      [](const Graph& graph, Index max_iterations, const std::string& rule, double step, double tolerance, bool lazy,
         double time_limit, bool trace, const std::optional<In<std::int8_t, 1>>& fixed) {
        require(STEP_RULES.contains(rule), "the step rules are polyak, koo and rush");
        require(step >= 0.0 && step < 1e100, "the first step must be positive, or 0 for the rule's own");
        const std::vector<std::int8_t> fixed_values = fixed_of(graph, fixed);
        const SubgradientOptions options{max_iterations, STEP_RULES.at(rule), step, tolerance, lazy, time_limit, trace};
        SolverResult result;
        {
          nb::gil_scoped_release release;
          GraphWorkspace workspace(graph);
          result = subgradient(graph, options, workspace, fixed_values);
        }
        return described(result);
      },
      "graph"_a, "max_iterations"_a = 5000, "rule"_a = "polyak", "step"_a = 0.0, "tolerance"_a = 1e-9, "lazy"_a = true,
      "time_limit"_a = 0.0, "trace"_a = false, "fixed"_a = nb::none(), RESULT);
}

}  // namespace headlong
