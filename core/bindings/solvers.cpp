// Python bindings of the solvers in core/graph.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <map>
#include <string>

#include "bindings/common.hpp"
#include "bindings/graph.hpp"
#include "bindings/unlocked.hpp"
#include "graph/ad3.hpp"
#include "graph/belief.hpp"
#include "graph/branch.hpp"
#include "graph/components.hpp"
#include "graph/services.hpp"
#include "graph/subgradient.hpp"

using namespace nanobind::literals;

namespace headlong {

const char* name_of(Status status) {
  switch (status) {
    case Status::Optimal:
      return "optimal";
    case Status::Tolerance:
      return "tolerance";
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

using Result = nb::typed<nb::dict, nb::str, nb::any>;

const std::map<std::string, StepRule> STEP_RULES = {
    {"polyak", StepRule::Polyak}, {"koo", StepRule::Koo}, {"rush", StepRule::Rush}};

// Checks the variables fixed by the caller: None, or one of -1, 0, 1 per variable.
std::vector<std::int8_t> check_fixed(const Graph& graph, const std::optional<In<std::int8_t, 1>>& fixed) {
  if (!fixed) return {};
  require(fixed->size() == graph.scores.size(), "fixed must have one number per variable");
  for (std::int8_t value : view(*fixed))
    require(value >= -1 && value <= 1, "fixed must be -1, 0 or 1 for each variable");
  return {view(*fixed).begin(), view(*fixed).end()};
}

nb::object assignment_of(const SolverResult& result) {
  return result.value == NEGATIVE_INFINITY ? nb::object(nb::none()) : nb::cast(copied(result.assignment));
}

Result describe(const SolverResult& result) {
  Result out;
  out["value"] = result.value;
  out["bound"] = result.bound;
  out["relaxed"] = copied(result.relaxed);
  out["relaxed_value"] = result.relaxed_value;
  out["assignment"] = assignment_of(result);
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

// Runs solve(workspace) without the GIL.
template <class Solve>
auto run_unlocked(const Graph& graph, Solve solve) {
  const Unlocked unlocked;
  GraphWorkspace workspace(graph);
  return solve(workspace);
}

// Solves each component without the GIL.
SolverResult run_by_component(const Graph& graph, Fixed fixed, const Start& start, bool counts_nodes,
                              const ComponentSolver& solve) {
  const Unlocked unlocked;
  return solve_by_component(graph, fixed, start, counts_nodes, solve);
}

// Never 0 if there is a limit, because 0 means no limit.
double seconds_left(double limit, const ComponentTask& task) {
  return limit > 0.0 ? std::max(limit - task.seconds, 1e-9) : 0.0;
}

void check_penalty(double penalty) { require(penalty > 0.0 && penalty < 1e100, "penalty must be positive"); }

}  // namespace

void bind_solvers(nb::module_& m) {
  m.def(
      "belief_propagation",
      [](const Graph& graph, bool max_product, Index max_iterations, double tolerance, double damping,
         double time_limit) {
        require(max_iterations >= 0, "max_iterations must not be negative");
        require(tolerance >= 0.0, "tolerance must not be negative");
        const BeliefResult result = run_unlocked(graph, [&](GraphWorkspace& workspace) {
          return belief_propagation(graph, {max_iterations, tolerance, damping, max_product, time_limit}, workspace);
        });
        Result out;
        out["marginals"] = copied(result.marginals);
        out["log_partition"] = result.log_partition;
        out["entropy"] = result.entropy;
        out["iterations"] = result.iterations;
        out["change"] = result.change;
        out["converged"] = result.converged;
        out["infeasible"] = result.infeasible;
        out["acyclic"] = result.acyclic;
        out["assignment"] = assignment_of(result.rounded);
        out["value"] = result.rounded.value;
        out["bound"] = result.rounded.bound;
        out["certified"] = result.rounded.status == Status::Optimal;
        out["status"] = name_of(result.rounded.status);
        return out;
      },
      "graph"_a, "max_product"_a = false, "max_iterations"_a = 500, "tolerance"_a = 1e-8, "damping"_a = 0.0,
      "time_limit"_a = 0.0,
      "Run belief propagation.\n\n"
      "Return a dictionary: marginals [variables], log_partition and entropy (Bethe), iterations, change, converged,\n"
      "infeasible, acyclic; and for the rounded beliefs assignment [variables] or None, value, bound, certified and\n"
      "status (optimal, tolerance, unconverged or infeasible).");
  m.def(
      "certify",
      [](const Graph& graph, const In<std::uint8_t, 1>& assignment, const In<double, 1>& link_scores) {
        require(assignment.size() == graph.scores.size(), "assignment must have one number per variable");
        require(link_scores.size() == graph.link_variables.size(), "link_scores must have one number per link");
        return describe(
            run_unlocked(graph, [&](GraphWorkspace&) { return certify(graph, view(assignment), view(link_scores)); }));
      },
      "graph"_a, "assignment"_a, "link_scores"_a,
      "Improve an assignment and try to prove it optimal with the bound of the link scores.\n\n"
      "The scores of the links of a variable should sum to its score (after negation). Return the same dictionary as\n"
      "ad3, with the status optimal, unconverged or infeasible. The bound is valid for any link scores.");
  m.def(
      "branch_and_bound",
      [](const Graph& graph, Index max_nodes, Index max_iterations, double residual, double penalty, double tolerance,
         double time_limit, bool trace, const std::optional<In<std::uint8_t, 1>>& assignment) {
        require(max_nodes >= 0, "max_nodes must not be negative");
        require(!assignment || assignment->size() == graph.scores.size(),
                "assignment must have one number per variable");
        require(max_iterations >= 1, "max_iterations must be positive");
        check_penalty(penalty);
        require(tolerance >= 0.0, "tolerance must not be negative");
        BranchOptions options;
        options.ad3.max_iterations = max_iterations;
        options.ad3.residual = residual;
        options.ad3.penalty = penalty;
        options.max_nodes = max_nodes;
        options.tolerance = tolerance;
        options.time_limit = time_limit;
        options.trace = trace;
        Start start;
        if (assignment) start.assignment = view(*assignment);
        return describe(run_by_component(graph, {}, start, true, [options](const ComponentTask& task) {
          BranchOptions left = options;
          left.ad3.start = task.start;
          left.time_limit = seconds_left(options.time_limit, task);
          left.max_nodes = std::max(options.max_nodes - task.extra_nodes, std::min(options.max_nodes, 1));
          return branch_and_bound(task.graph, left, task.workspace);
        }));
      },
      "graph"_a, "max_nodes"_a = 10000, "max_iterations"_a = 1000, "residual"_a = 1e-6, "penalty"_a = 0.2,
      "tolerance"_a = 1e-6, "time_limit"_a = 0.0, "trace"_a = false, "assignment"_a = nb::none(),
      "Search for the best assignment by branch and bound.\n\n"
      "Return the same dictionary as ad3. iterations counts nodes, and relaxed comes from the first node. The search\n"
      "starts from an assignment [variables] if one is given.");
  m.def(
      "ad3",
      [](const Graph& graph, Index max_iterations, double residual, double penalty, Index adapt_every,
         Index bound_every, double tolerance, double cutoff, double time_limit, bool trace,
         const std::optional<In<std::int8_t, 1>>& fixed) {
        check_penalty(penalty);
        const std::vector<std::int8_t> fixed_values = check_fixed(graph, fixed);
        const Ad3Options options{.max_iterations = max_iterations,
                                 .residual = residual,
                                 .penalty = penalty,
                                 .adapt_every = adapt_every,
                                 .bound_every = bound_every,
                                 .tolerance = tolerance,
                                 .cutoff = cutoff,
                                 .time_limit = time_limit,
                                 .trace = trace};
        return describe(run_by_component(graph, fixed_values, {}, false, [options](const ComponentTask& task) {
          Ad3Options left = options;
          left.time_limit = seconds_left(options.time_limit, task);
          return ad3(task.graph, left, task.workspace, task.fixed);
        }));
      },
      "graph"_a, "max_iterations"_a = 1000, "residual"_a = 1e-6, "penalty"_a = 0.2, "adapt_every"_a = 10,
      "bound_every"_a = 5, "tolerance"_a = 1e-9, "cutoff"_a = NEGATIVE_INFINITY, "time_limit"_a = 0.0,
      "trace"_a = false, "fixed"_a = nb::none(),
      "Solve the linear relaxation by AD3.\n\n"
      "Return a dictionary: value, bound, relaxed [variables], relaxed_value, assignment [variables] or None, status\n"
      "(optimal, tolerance, fractional, unconverged, infeasible), iterations, primal_residual, dual_residual and "
      "trace. The\n"
      "columns of trace [rows, 7] are iteration, value, bound, primal residual, dual residual, seconds and the number\n"
      "of factors solved (0 for AD3).");
  m.def(
      "subgradient",
      [](const Graph& graph, Index max_iterations, const std::string& rule, double step, double tolerance, bool lazy,
         double time_limit, bool trace, const std::optional<In<std::int8_t, 1>>& fixed) {
        require(STEP_RULES.contains(rule), "rule must be polyak, koo or rush");
        require(step >= 0.0 && step < 1e100, "step must be positive, or 0 to let the rule choose it");
        const std::vector<std::int8_t> fixed_values = check_fixed(graph, fixed);
        const SubgradientOptions options{.max_iterations = max_iterations,
                                         .rule = STEP_RULES.at(rule),
                                         .step = step,
                                         .tolerance = tolerance,
                                         .lazy = lazy,
                                         .time_limit = time_limit,
                                         .trace = trace};
        return describe(run_by_component(graph, fixed_values, {}, false, [options](const ComponentTask& task) {
          SubgradientOptions left = options;
          left.time_limit = seconds_left(options.time_limit, task);
          return subgradient(task.graph, left, task.workspace, task.fixed);
        }));
      },
      "graph"_a, "max_iterations"_a = 5000, "rule"_a = "polyak", "step"_a = 0.0, "tolerance"_a = 1e-9, "lazy"_a = true,
      "time_limit"_a = 0.0, "trace"_a = false, "fixed"_a = nb::none(),
      "Minimize the dual by the subgradient method. Return the same dictionary as ad3.");
}

}  // namespace headlong
