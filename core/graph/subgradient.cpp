#include "graph/subgradient.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/stop.hpp"
#include "base/stopwatch.hpp"

namespace headlong {

namespace {

// Polyak's rule: after how many iterations without a gain of half the distance the distance is halved; the smallest
// distance, relative to the bound; and the weight of the previous direction. On 5000 random graphs with 9 variables, no
// bound ends more than 0.2 % above the optimum of the relaxation. Without inertia 4 do, by up to 6 %.
constexpr Index PATIENCE = 150;
constexpr double LEAST_DISTANCE = 1e-4;
constexpr double INERTIA = 0.5;

// The mean of the primal points in a window of iterations (Nedic and Ozdaglar 2009), weighted by their steps in
// Polyak's rule. Windows double in length, or restart with every new distance, so the first iterations, which are far
// from the optimum, are forgotten.
struct Average {
  std::vector<double> sums;  // [variables]
  Score value = 0.0;         // sum of the values of the points
  double count = 0.0;        // sum of their weights
};

// One run. It allocates all memory here, before the first iteration. All arrays over links are after negation.
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
  std::vector<std::uint8_t> changed;       // [factors] whether their scores have changed since then
  Index solved = 0;                        // how many were solved in the last iteration
  std::vector<double> means;               // [variables] over links
  std::vector<std::uint8_t> rounded;       // [variables] the last assignment tried
  Average earlier, current;
  Score dual = std::numeric_limits<Score>::infinity();    // of the last iteration
  Score lowest = std::numeric_limits<Score>::infinity();  // the lowest dual so far
  Score upper = std::numeric_limits<Score>::infinity();   // the last dual with rounding errors: a bound
  double step = 0.0;
  // Polyak's rule: the best multipliers, the distance of the target below the best dual, the best dual when the
  // distance was set, and the iterations since then.
  std::vector<double> best_multipliers;  // [links]
  std::vector<double> direction;         // [links] of the last step
  double distance = 0.0;
  Score reference = 0.0;
  Index waited = 0;
  Stopwatch stopwatch;

  Run(const Graph& graph, const SubgradientOptions& options, GraphWorkspace& workspace, Fixed fixed)
      : graph(graph),
        options(options),
        workspace(workspace),
        fixed(fixed),
        split(split_scores(graph, fixed, workspace)) {
    const std::size_t links = graph.link_variables.size(), variables = graph.scores.size();
    multipliers.assign(links, 0.0);
    drift.assign(links, 0.0);
    best_multipliers.assign(links, 0.0);
    direction.assign(links, 0.0);
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

  double wanted(std::size_t link) const {
    const double mean = means[graph.link_variables[link]];
    return graph.link_negated[link] ? 1.0 - mean : mean;
  }
};

// Solves the factors whose scores have changed and returns the dual.
Score solve_factors(Run& run) {
  const Graph& graph = run.graph;
  Split& split = run.split;
  BoundSum dual(graph, split, run.multipliers);
  run.solved = 0;
  for (Index f = 0; f < graph.factors(); ++f) {
    const Index begin = graph.link_begins[f], links = graph.links(f);
    if (run.changed[f] || !run.options.lazy) {
      run.values[f] = maximize(graph, f, std::span(split.link_scores).subspan(begin, links), run.workspace, split.best);
      run.own[f] = split.best.own;
      std::copy(split.best.on.begin(), split.best.on.end(), run.on.begin() + begin);
      run.changed[f] = 0;
      ++run.solved;
    }
    dual.add(graph, split, f, run.values[f]);
  }
  run.upper = dual.upper();
  return dual.value();
}

// Computes the mean over the links of each variable.
void find_means(Run& run) {
  const Graph& graph = run.graph;
  std::fill(run.means.begin(), run.means.end(), 0.0);
  for (std::size_t link = 0; link < run.on.size(); ++link)
    run.means[graph.link_variables[link]] += (run.on[link] != 0) != (graph.link_negated[link] != 0);
  for (std::size_t i = 0; i < run.means.size(); ++i) {
    double& mean = run.means[i];
    if (run.split.fixed[i] >= 0)
      mean = run.split.fixed[i];
    else
      mean = run.split.degrees[i] == 0 ? graph.scores[i] > 0.0 : mean / run.split.degrees[i];
  }
}

// Adds the means to the average over iterations.
void add_to_average(Run& run, double weight) {
  Score total = 0.0;
  for (std::size_t i = 0; i < run.means.size(); ++i) {
    run.current.sums[i] += weight * run.means[i];
    if (run.means[i] > 0.0) total += run.means[i] * run.graph.scores[i];
  }
  for (Score own : run.own) total += own;
  run.current.value += weight * total;
  run.current.count += weight;
}

void start_average(Run& run) {
  std::swap(run.earlier, run.current);
  std::fill(run.current.sums.begin(), run.current.sums.end(), 0.0);
  run.current.value = run.current.count = 0.0;
}

// Offers the majority of each variable's links as an assignment, if it is new.
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
  // Without a feasible assignment there is no gap. The magnitude of the scores replaces it.
  return run.result.value == NEGATIVE_INFINITY ? run.split.scale : run.result.bound - run.result.value;
}

// Returns the sum of the squares of all disagreements.
double find_disagreement(Run& run) {
  double squares = 0.0;
  for (std::size_t link = 0; link < run.on.size(); ++link) {
    const double disagreement = run.on[link] - run.wanted(link);
    squares += disagreement * disagreement;
  }
  run.result.primal_residual = std::sqrt(squares / std::max<std::size_t>(run.on.size(), 1));
  return squares;
}

// Sets the direction to the disagreements plus half of the last direction, which prevents zigzagging across a valley.
// If the two cancel, uses the disagreements alone. Takes the squared length of the disagreements and returns that of
// the direction.
double find_direction(Run& run, double disagreements) {
  double squares = 0.0;
  for (std::size_t link = 0; link < run.on.size(); ++link) {
    double& direction = run.direction[link];
    direction = run.on[link] - run.wanted(link) + INERTIA * direction;
    // A direction that has died away must not cause factors to be solved again.
    if (std::abs(direction) < 1e-12) direction = 0.0;
    squares += direction * direction;
  }
  if (squares > 1e-3 * disagreements) return squares;
  for (std::size_t link = 0; link < run.on.size(); ++link) run.direction[link] = run.on[link] - run.wanted(link);
  return disagreements;
}

// Returns to the best multipliers and marks the factors that change.
void go_back(Run& run) {
  std::fill(run.direction.begin(), run.direction.end(), 0.0);
  for (Index f = 0; f < run.graph.factors(); ++f)
    for (Index link = run.graph.link_begins[f]; link < run.graph.link_begins[f + 1]; ++link)
      if (run.multipliers[link] != run.best_multipliers[link]) {
        run.multipliers[link] = run.best_multipliers[link];
        run.changed[f] = 1;
      }
}

// Polyak's step with an adjusted level. Sets the step, or returns false if the search should return to the best
// multipliers with half the distance.
bool find_step(Run& run, Score dual, double squares) {
  const Score bound = run.lowest;
  if (bound <= run.reference - 0.5 * run.distance) {
    run.distance *= 2.0;
    run.reference = bound;
    run.waited = 0;
  } else if (++run.waited > PATIENCE && run.distance > LEAST_DISTANCE * std::max(1.0, std::abs(bound))) {
    run.distance *= 0.5;
    run.reference = bound;
    run.waited = 0;
    return false;
  }
  run.step = (dual - std::max(bound - run.distance, run.result.value)) / squares;
  return true;
}

// Moves the multipliers against the direction (without inertia, the disagreements) and marks the factors that change.
void move(Run& run) {
  const bool polyak = run.options.rule == StepRule::Polyak;
  for (Index f = 0; f < run.graph.factors(); ++f)
    for (Index link = run.graph.link_begins[f]; link < run.graph.link_begins[f + 1]; ++link) {
      const double direction = polyak ? run.direction[link] : run.on[link] - run.wanted(link);
      if (direction == 0.0) continue;
      run.multipliers[link] -= run.step * direction;
      run.drift[link] -= polyak ? run.step / run.split.scale * direction : direction;
      run.changed[f] = 1;
    }
  run.result.dual_residual = run.step / run.split.scale;
}

Status iterate(Run& run) {
  const SubgradientOptions& options = run.options;
  SolverResult& result = run.result;
  const bool polyak = options.rule == StepRule::Polyak;
  double first = 0.0, rises = 0.0;
  Index milestone = 16;
  for (Index iteration = 1; iteration <= options.max_iterations; ++iteration) {
    result.iterations = iteration;
    const Score dual = solve_factors(run);
    result.bound = std::min(result.bound, run.upper);
    if (dual < run.lowest) {
      run.lowest = dual;
      if (polyak) run.best_multipliers = run.multipliers;
    }
    find_means(run);
    try_majority(run);
    if (iteration == 1 && !is_close(run.split, run.result, run.options.tolerance, run.options.proves)) {
      round(run.graph, options.start, run.means, run.workspace, result, run.fixed);
      first = first_step(run);
      run.distance = first;
      run.reference = run.lowest;
    }
    // Differences caused by rounding errors do not count as rises.
    rises += dual > run.dual + 1e-12 * std::max(1.0, std::abs(run.dual));
    run.dual = dual;
    const bool finished = is_close(run.split, run.result, run.options.tolerance, run.options.proves);
    const double squares = find_disagreement(run);
    bool goes_on = true;
    if (!polyak)
      run.step = options.rule == StepRule::Koo ? first / (1.0 + rises) : first * std::exp2(-rises);
    else if (squares > 0.0)
      goes_on = find_step(run, dual, find_direction(run, squares));
    if (squares == 0.0) {
      // If all factors agree, the point solves the relaxation.
      start_average(run);
      start_average(run);
    }
    add_to_average(run, polyak && squares > 0.0 ? run.step : 1.0);
    if (!finished && goes_on && squares > 0.0) move(run);
    if (!goes_on) {
      go_back(run);
      start_average(run);
    }
    if (options.trace)
      result.trace.push_back({iteration, result.value, result.bound, result.primal_residual, result.dual_residual,
                              run.stopwatch.seconds(), run.solved});
    if (finished) return Status::Tolerance;
    if (result.value == NEGATIVE_INFINITY && is_below_all(run.split, result.bound)) return Status::Infeasible;
    if (iteration == milestone) {
      milestone *= 2;
      round(run.graph, options.start, run.means, run.workspace, result, run.fixed);
      // If the problem is infeasible, disagreements do not cancel over time, and the dual decreases forever along their
      // sum.
      if (result.value == NEGATIVE_INFINITY && proves_infeasible(run.graph, run.split, run.drift, run.workspace))
        return Status::Infeasible;
      std::fill(run.drift.begin(), run.drift.end(), 0.0);
      if (!polyak) start_average(run);
    }
    // All factors agree on something worth less than the bound (a factor's scores lost digits), or the step is too
    // small to change anything.
    if (result.primal_residual == 0.0 || (goes_on && run.step < 1e-15 * run.split.scale)) break;
    if (out_of_time()) break;
  }
  return Status::Unconverged;
}

// Sets the relaxed solution to the average of the factors' solutions.
void take_average(Run& run) {
  SolverResult& result = run.result;
  const double count = run.earlier.count + run.current.count;
  result.relaxed.assign(run.graph.scores.size(), 0.5);
  if (count == 0.0) return;
  for (std::size_t i = 0; i < result.relaxed.size(); ++i)
    result.relaxed[i] = (run.earlier.sums[i] + run.current.sums[i]) / count;
  result.relaxed_value = (run.earlier.value + run.current.value) / count;
}

void solve(Run& run) {
  SolverResult& result = run.result;
  const SubgradientOptions& options = run.options;
  result.status = run.split.feasible ? iterate(run) : Status::Infeasible;
  take_average(run);
  if (result.status == Status::Infeasible) {
    result.bound = result.relaxed_value = NEGATIVE_INFINITY;
    return;
  }
  if (result.status == Status::Unconverged)
    round(run.graph, options.start, result.relaxed, run.workspace, result, run.fixed);
  conclude(run.graph, run.split, options.rule == StepRule::Polyak ? run.best_multipliers : run.multipliers,
           run.workspace, options.tolerance, options.proves, result);
}

}  // namespace

SolverResult subgradient(const Graph& graph, const SubgradientOptions& options, GraphWorkspace& workspace,
                         Fixed fixed) {
  const TimeLimit limit(options.time_limit);
  std::optional<Run> started;
  try {
    solve(started.emplace(graph, options, workspace, fixed));
  } catch (const OutOfTime&) {
    if (!started) return unsolved(graph);
    take_average(*started);
    conclude_early(started->split, options.tolerance, started->result);
  }
  Run& run = *started;
  SolverResult& result = run.result;
  if (result.status == Status::Optimal || result.status == Status::Tolerance) {
    result.relaxed.assign(result.assignment.begin(), result.assignment.end());
    result.relaxed_value = result.value;
  }
  return std::move(result);
}

}  // namespace headlong
