#include "solvers/subgradient.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace headlong {

namespace {

// The mean of the primal points of a window of iterations (Nedic and Ozdaglar 2009). Windows double in length, so that
// the first iterations, which are far from the optimum, are forgotten.
struct Average {
  std::vector<double> sums;  // [variables]
  Score value = 0.0;         // sum of the points' values
  double count = 0.0;
};

// One run: all memory is taken here, before the first iteration. All arrays of links are after negation.
struct Run {
  const Graph& graph;
  const SubgradientOptions& options;
  GraphWorkspace& workspace;
  Fixed fixed;
  Split split;
  SolverResult result;
  std::vector<double> multipliers, drift;  // [links]
  std::vector<std::uint8_t> on;            // [links] of the factors' best configurations
  std::vector<Score> values, own;          // [factors] of these configurations
  std::vector<std::uint8_t> changed;       // [factors] whether scores did since they were found
  std::vector<double> means;               // [variables] over links
  std::vector<std::uint8_t> rounded;       // [variables] the last one that was tried
  Average earlier, current;
  Score dual = std::numeric_limits<Score>::infinity();  // of the last iteration
  double step = 0.0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  Run(const Graph& graph, const SubgradientOptions& options, GraphWorkspace& workspace, Fixed fixed)
      : graph(graph),
        options(options),
        workspace(workspace),
        fixed(fixed),
        split(split_scores(graph, fixed, workspace)) {
    const std::size_t links = graph.link_variables.size(), variables = graph.scores.size();
    multipliers.assign(links, 0.0);
    drift.assign(links, 0.0);
    on.assign(links, 0);
    values.assign(graph.types.size(), 0.0);
    own.assign(graph.types.size(), 0.0);
    changed.assign(graph.types.size(), 1);
    means.assign(variables, 0.5);
    earlier.sums.assign(variables, 0.0);
    current.sums.assign(variables, 0.0);
    const Start& first = options.start;
    if (!first.multipliers.empty()) multipliers.assign(first.multipliers.begin(), first.multipliers.end());
    if (!first.assignment.empty()) offer(graph, fixed, first.assignment, workspace, result);
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

  double wanted(std::size_t link) const {
    const double mean = means[graph.link_variables[link]];
    return graph.link_negated[link] ? 1.0 - mean : mean;
  }
};

// Solves the factors whose scores have changed, and returns the dual. Multipliers of a variable have the sum zero up to
// rounding errors; the term that is the best answer to what is left of it keeps the bound valid.
Score solve_factors(Run& run) {
  const Graph& graph = run.graph;
  Split& split = run.split;
  Score dual = split.constant;
  split.sums.assign(graph.scores.size(), 0.0);
  for (std::size_t link = 0; link < run.on.size(); ++link) {
    const bool fixed = split.fixed[graph.link_variables[link]] >= 0, negated = graph.link_negated[link] != 0;
    split.link_scores[link] = split.scores[link] + run.multipliers[link];
    if (fixed ? split.pinned[link] != 0 : negated) dual -= split.link_scores[link];
    if (!fixed) split.sums[graph.link_variables[link]] += negated ? -run.multipliers[link] : run.multipliers[link];
  }
  for (double sum : split.sums) dual += std::max(0.0, -sum);
  for (Index f = 0; f < graph.factors(); ++f) {
    const Index begin = graph.link_begins[f], links = graph.links(f);
    if (run.changed[f] || !run.options.lazy) {
      run.values[f] = maximize(graph, f, std::span(split.link_scores).subspan(begin, links), run.workspace, split.best);
      run.own[f] = split.best.own;
      std::copy(split.best.on.begin(), split.best.on.end(), run.on.begin() + begin);
      run.changed[f] = 0;
    }
    dual += run.values[f];
  }
  return dual;
}

// Sets the means over the links of each variable, and adds them to the average over iterations.
void average(Run& run) {
  const Graph& graph = run.graph;
  std::fill(run.means.begin(), run.means.end(), 0.0);
  for (std::size_t link = 0; link < run.on.size(); ++link)
    run.means[graph.link_variables[link]] += (run.on[link] != 0) != (graph.link_negated[link] != 0);
  Score total = 0.0;
  for (std::size_t i = 0; i < run.means.size(); ++i) {
    double& mean = run.means[i];
    if (run.split.fixed[i] >= 0)
      mean = run.split.fixed[i];
    else
      mean = run.split.degrees[i] == 0 ? graph.scores[i] > 0.0 : mean / run.split.degrees[i];
    run.current.sums[i] += mean;
    if (mean > 0.0) total += mean * graph.scores[i];
  }
  for (Score own : run.own) total += own;
  run.current.value += total;
  run.current.count += 1.0;
}

// Tries the assignment that the majority of each variable's links wants, if it is a new one.
void try_majority(Run& run) {
  bool is_new = run.rounded.empty();
  run.rounded.resize(run.means.size());
  for (std::size_t i = 0; i < run.means.size(); ++i) {
    const std::uint8_t side = run.means[i] != 0.5 ? run.means[i] > 0.5 : run.graph.scores[i] > 0.0;
    is_new = is_new || side != run.rounded[i];
    run.rounded[i] = side;
  }
  if (is_new) offer(run.graph, run.fixed, run.rounded, run.workspace, run.result);
}

double first_step(const Run& run) {
  if (run.options.step > 0.0) return run.options.step;
  if (run.options.rule == StepRule::Rush) return 0.5;
  // Without a feasible assignment there is no gap; the size of the scores stands in.
  return run.result.value == NEGATIVE_INFINITY ? run.split.scale : run.result.bound - run.result.value;
}

// Moves the multipliers against the disagreements; marks the factors concerned.
void move(Run& run) {
  double squares = 0.0;
  for (Index f = 0; f < run.graph.factors(); ++f)
    for (Index link = run.graph.link_begins[f]; link < run.graph.link_begins[f + 1]; ++link) {
      const double disagreement = run.on[link] - run.wanted(link);
      if (disagreement == 0.0) continue;
      squares += disagreement * disagreement;
      run.multipliers[link] -= run.step * disagreement;
      run.drift[link] -= disagreement;
      run.changed[f] = 1;
    }
  run.result.primal_residual = std::sqrt(squares / std::max<std::size_t>(run.on.size(), 1));
  run.result.dual_residual = run.step / run.split.scale;
}

bool is_certified(const Run& run) {
  return run.result.value > NEGATIVE_INFINITY && closes(run.result.value, run.result.bound, run.options.tolerance);
}

Status iterate(Run& run) {
  const SubgradientOptions& options = run.options;
  SolverResult& result = run.result;
  double first = 0.0, rises = 0.0;
  Index milestone = 16;
  for (Index iteration = 1; iteration <= options.max_iterations; ++iteration) {
    result.iterations = iteration;
    const Score dual = solve_factors(run);
    result.bound = std::min(result.bound, dual);
    average(run);
    try_majority(run);
    if (iteration == 1 && !is_certified(run)) {
      round(run.graph, options.start, run.means, run.workspace, result, run.fixed);
      first = first_step(run);
    }
    // Differences that rounding errors make are no rises.
    rises += dual > run.dual + 1e-12 * std::max(1.0, std::abs(run.dual));
    run.dual = dual;
    run.step = options.rule == StepRule::Koo ? first / (1.0 + rises) : first * std::exp2(-rises);
    const bool certified = is_certified(run);
    if (!certified) move(run);
    if (options.trace)
      result.trace.push_back(
          {iteration, result.value, result.bound, result.primal_residual, result.dual_residual, run.seconds()});
    if (certified) return Status::Optimal;
    if (iteration == milestone) {
      milestone *= 2;
      round(run.graph, options.start, run.means, run.workspace, result, run.fixed);
      // Where the problem is infeasible, disagreements do not cancel out in the long run, and the dual falls without
      // end in the direction of their sum.
      if (result.value == NEGATIVE_INFINITY && proves_infeasible(run.graph, run.split, run.drift, run.workspace))
        return Status::Infeasible;
      std::fill(run.drift.begin(), run.drift.end(), 0.0);
      std::swap(run.earlier, run.current);
      std::fill(run.current.sums.begin(), run.current.sums.end(), 0.0);
      run.current.value = run.current.count = 0.0;
    }
    // All agree, but on something that is not worth the bound (a factor's scores lost digits), or the step is too
    // small to change anything.
    if (result.primal_residual == 0.0 || run.step < 1e-15 * run.split.scale) break;
    if (options.time_limit > 0.0 && run.seconds() > options.time_limit) break;
  }
  return Status::Unconverged;
}

}  // namespace

SolverResult subgradient(const Graph& graph, const SubgradientOptions& options, GraphWorkspace& workspace,
                         Fixed fixed) {
  Run run(graph, options, workspace, fixed);
  SolverResult& result = run.result;
  result.status = run.split.feasible ? iterate(run) : Status::Infeasible;
  const double count = run.earlier.count + run.current.count;
  result.relaxed.assign(graph.scores.size(), 0.5);
  if (count > 0.0) {
    for (std::size_t i = 0; i < result.relaxed.size(); ++i)
      result.relaxed[i] = (run.earlier.sums[i] + run.current.sums[i]) / count;
    result.relaxed_value = (run.earlier.value + run.current.value) / count;
  }
  if (result.status == Status::Infeasible) {
    result.bound = result.relaxed_value = NEGATIVE_INFINITY;
    return std::move(result);
  }
  if (result.status == Status::Unconverged) {
    round(graph, options.start, result.relaxed, workspace, result, fixed);
    if (is_certified(run)) result.status = Status::Optimal;
  }
  if (result.status == Status::Optimal) {
    result.relaxed.assign(result.assignment.begin(), result.assignment.end());
    result.relaxed_value = result.value;
  }
  return std::move(result);
}

}  // namespace headlong
