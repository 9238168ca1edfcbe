#include "graph/ad3.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/stop.hpp"
#include "base/stopwatch.hpp"

namespace headlong {

namespace {

// A projection moves no farther than its input. An input that has moved by less than this since the factor was last
// solved cannot change anything that matters.
constexpr double IDLE = 1e-13;
// Active-set steps per factor in the first iterations, and after how many iterations one more step is allowed. Exact
// solutions are wasted while multipliers are still far off: in the first iterations, a tree of 25 words with eight
// heads each takes 20 to 50 steps. Limits of 2 to 4 save at least two fifths of the time, in about as many iterations.
constexpr Index FIRST_STEPS = 2, STEPS_GROW_EVERY = 20;
// Weight of the dual residual relative to the primal one when balancing the penalty. Together with larger changes of
// the penalty it saves a third of the iterations on random parsing problems of 25 words. Values from 4 to 10 differ
// little.
constexpr double DUAL_WEIGHT = 8.0;
// The value of the relaxation counts as known if relaxed value and bound are within CLOSE, and an assignment more than
// WORSE below the bound is not optimal for the relaxation. Both are in units of the residual that ends a run, relative
// to the bound.
constexpr double CLOSE = 5.0, WORSE = 20.0;

// One run. It allocates all memory here, before the first iteration. Each link has a value z in the polytope of its
// factor, a multiplier, and the value u of its variable. All are per link, after negation.
struct Run {
  const Graph& graph;
  const Ad3Options& options;
  GraphWorkspace& workspace;
  Fixed fixed;
  Split split;
  SolverResult result;
  double penalty;                                  // in units of scores
  std::vector<double> multipliers, local, inputs;  // [links]
  std::vector<double> consensus, sums, trial;      // [variables], [variables], [links]
  std::vector<std::uint8_t> solved;                // [factors]
  std::vector<std::uint8_t> trial_on;              // [variables]
  std::vector<std::uint8_t> by_links, by_largest;  // [variables] the assignments offered last
  Index largest = -1;                              // the structured factor with the most links, or -1
  Index unsolved = 0;                              // factors that ran out of steps in the last iteration
  bool was_rounded = false;                        // whether `round` was called after the last iteration
  Stopwatch stopwatch;

  Run(const Graph& graph, const Ad3Options& options, GraphWorkspace& workspace, Fixed fixed)
      : graph(graph),
        options(options),
        workspace(workspace),
        fixed(fixed),
        split(split_scores(graph, fixed, workspace)) {
    const std::size_t links = graph.link_variables.size();
    penalty = options.penalty * split.scale;
    multipliers.assign(links, 0.0);
    local.assign(links, 0.0);
    inputs.assign(links, 0.0);
    trial.assign(links, 0.0);
    sums.assign(graph.scores.size(), 0.0);
    solved.assign(graph.types.size(), 0);
    trial_on.assign(graph.scores.size(), 0);
    by_links.reserve(graph.scores.size());
    by_largest.reserve(graph.scores.size());
    consensus.assign(graph.scores.size(), 0.5);
    Index most_links = 0;
    for (Index f = 0; f < graph.factors(); ++f) {
      most_links = std::max(most_links, graph.links(f));
      if (graph.types[f] == FactorType::Structured && (largest < 0 || graph.links(f) > graph.links(largest)))
        largest = f;
    }
    workspace.on.reserve(most_links);
    split.best.on.reserve(most_links);
    split.sums.reserve(graph.scores.size());
    result.assignment.reserve(graph.scores.size());
    const Start& first = options.start;
    if (!first.multipliers.empty()) multipliers.assign(first.multipliers.begin(), first.multipliers.end());
    if (!first.assignment.empty() && offer(graph, fixed, first.assignment, workspace, result))
      consensus.assign(first.assignment.begin(), first.assignment.end());
    for (std::size_t i = 0; i < split.fixed.size(); ++i) {
      if (split.fixed[i] >= 0) consensus[i] = split.fixed[i];
      if (split.fixed[i] < 0 && split.degrees[i] == 0) consensus[i] = graph.scores[i] > 0.0;
    }
  }

  double wanted(std::size_t link) const {
    const double value = consensus[graph.link_variables[link]];
    return graph.link_negated[link] ? 1.0 - value : value;
  }
};

// Updates z: Martins 2013, equation 3, divided by the penalty.
void solve_factors(Run& run) {
  const double inverse = 1.0 / run.penalty;
  run.unsolved = 0;
  for (Index f = 0; f < run.graph.factors(); ++f) {
    const Index begin = run.graph.link_begins[f], end = run.graph.link_begins[f + 1];
    bool idle = run.solved[f] != 0;
    for (Index link = begin; link < end; ++link) {
      const double input = run.wanted(link) + (run.split.scores[link] + run.multipliers[link]) * inverse;
      // This form also skips -inf, which never changes.
      run.trial[link] = input;
      idle = idle && (input == run.inputs[link] || std::abs(input - run.inputs[link]) <= IDLE);
    }
    if (idle) continue;
    std::copy(run.trial.begin() + begin, run.trial.begin() + end, run.inputs.begin() + begin);
    run.workspace.qp.finished = true;
    project(run.graph, f, std::span(run.inputs).subspan(begin, end - begin), inverse, run.workspace,
            std::span(run.local).subspan(begin, end - begin));
    run.solved[f] = run.workspace.qp.finished;
    run.unsolved += !run.workspace.qp.finished;
  }
}

// Updates u, the averages over the links of a variable, and the multipliers. Sets both residuals.
void update_consensus(Run& run) {
  const std::size_t links = run.local.size();
  std::fill(run.sums.begin(), run.sums.end(), 0.0);
  for (std::size_t link = 0; link < links; ++link)
    run.sums[run.graph.link_variables[link]] += run.graph.link_negated[link] ? 1.0 - run.local[link] : run.local[link];
  double dual = 0.0, primal = 0.0;
  for (std::size_t i = 0; i < run.sums.size(); ++i) {
    if (run.split.fixed[i] >= 0 || run.split.degrees[i] == 0) continue;
    const double mean = std::clamp(run.sums[i] / run.split.degrees[i], 0.0, 1.0);
    dual += run.split.degrees[i] * (mean - run.consensus[i]) * (mean - run.consensus[i]);
    run.consensus[i] = mean;
  }
  for (std::size_t link = 0; link < links; ++link) {
    const double difference = run.local[link] - run.wanted(link);
    primal += difference * difference;
    if (run.split.scores[link] > NEGATIVE_INFINITY) run.multipliers[link] -= run.penalty * difference;
  }
  const double count = std::max<std::size_t>(links, 1);
  run.result.primal_residual = std::sqrt(primal / count);
  run.result.dual_residual = run.penalty / run.split.scale * std::sqrt(dual / count);
}

// Balances the residuals (Boyd 2011, section 3.4.1), faster the farther apart they are (Wohlberg 2017): if the solution
// moves along an optimal face at constant speed, the dual residual can be a million times the primal one. The change is
// limited, since either residual may vanish. After a change, all factors must be solved again.
void adapt_penalty(Run& run) {
  const double primal = run.result.primal_residual, dual = DUAL_WEIGHT * run.result.dual_residual;
  if (primal <= 5.0 * dual && dual <= 5.0 * primal) return;
  const double factor =
      primal > dual ? std::min(10.0, std::sqrt(primal / dual)) : std::max(0.1, std::sqrt(primal / dual));
  run.penalty = std::clamp(factor * run.penalty, 1e-6 * run.split.scale, 1e6 * run.split.scale);
  std::fill(run.solved.begin(), run.solved.end(), 0);
}

// Offers `trial_on`, unless it is the assignment offered last.
void offer_trial(Run& run, std::vector<std::uint8_t>& last) {
  if (last == run.trial_on && !last.empty()) return;
  last.assign(run.trial_on.begin(), run.trial_on.end());
  offer(run.graph, run.fixed, run.trial_on, run.workspace, run.result);
}

// Updates bound and value. Returns true if they meet. Offers two assignments: the majority of each variable's links,
// and the same with the configuration of the largest factor that gave the bound (a tree; Koo et al. 2010). The second
// is often optimal many iterations before the first.
bool update_bound(Run& run) {
  run.result.bound = std::min(run.result.bound, dual_bound(run.graph, run.split, run.multipliers, run.workspace));
  if (run.options.start.rounder) {
    round(run.graph, run.options.start, run.consensus, run.workspace, run.result, run.fixed);
    return is_close(run.split, run.result, run.options.tolerance, run.options.proves);
  }
  for (std::size_t i = 0; i < run.trial_on.size(); ++i) run.trial_on[i] = run.consensus[i] > 0.5;
  offer_trial(run, run.by_links);
  if (run.largest < 0 || is_close(run.split, run.result, run.options.tolerance, run.options.proves))
    return is_close(run.split, run.result, run.options.tolerance, run.options.proves);
  const Index begin = run.graph.link_begins[run.largest], links = run.graph.links(run.largest);
  Configuration& best = run.split.best;
  if (maximize(run.graph, run.largest, std::span(run.split.link_scores).subspan(begin, links), run.workspace, best) ==
      NEGATIVE_INFINITY)
    return false;
  for (Index k = 0; k < links; ++k)
    run.trial_on[run.graph.link_variables[begin + k]] = (best.on[k] != 0) != (run.graph.link_negated[begin + k] != 0);
  offer_trial(run, run.by_largest);
  return is_close(run.split, run.result, run.options.tolerance, run.options.proves);
}

// If the problem is infeasible, the disagreements z - u do not vanish; they become a direction along which the dual
// decreases forever.
bool diverges(Run& run) {
  if (run.result.value > NEGATIVE_INFINITY) return false;
  for (std::size_t link = 0; link < run.local.size(); ++link) run.trial[link] = run.wanted(link) - run.local[link];
  return proves_infeasible(run.graph, run.split, run.trial, run.workspace);
}

void add_trace(Run& run) {
  if (run.options.trace)
    run.result.trace.push_back({run.result.iterations, run.result.value, run.result.bound, run.result.primal_residual,
                                run.result.dual_residual, run.stopwatch.seconds()});
}

bool is_integral(const Run& run) {
  return std::all_of(run.consensus.begin(), run.consensus.end(),
                     [](double value) { return std::min(value, 1.0 - value) < 1e-4; });
}

Score relaxed_value(Run& run) {
  Score sum = 0.0;
  for (std::size_t i = 0; i < run.consensus.size(); ++i)
    if (run.consensus[i] > 0.0) sum += run.graph.scores[i] * run.consensus[i];
  for (Index f = 0; f < run.graph.factors(); ++f)
    sum += projected_own(run.graph, f, std::span(run.local).subspan(run.graph.link_begins[f], run.graph.links(f)),
                         run.workspace);
  return sum;
}

double size_of(const Run& run) { return std::max(run.split.scale, std::abs(run.result.bound)); }

// Returns whether the value of the relaxation is known. Its solution may still move along the optimal face.
bool is_closed(Run& run) {
  const double gap = CLOSE * run.options.residual * size_of(run);
  if (run.result.primal_residual > 100.0 * run.options.residual || run.unsolved > 0 || is_integral(run)) return false;
  const Score relaxed = relaxed_value(run);
  // The value of the disagreements. Adding it turns the relaxed value into the Lagrangian at the factors' solutions,
  // which is at most the optimum for the best multipliers.
  double worth = 0.0;
  for (std::size_t link = 0; link < run.local.size(); ++link)
    if (run.split.scores[link] > NEGATIVE_INFINITY)
      worth += (run.split.scores[link] + run.multipliers[link]) * (run.local[link] - run.wanted(link));
  return std::max(std::abs(run.result.bound - relaxed), std::abs(run.result.bound - relaxed - worth)) < gap;
}

// Returns whether the best assignment may solve the relaxation. Then more iterations may end with a certificate.
bool may_solve_relaxation(const Run& run) {
  return run.result.bound - run.result.value < WORSE * run.options.residual * size_of(run);
}

// Iterates until the run ends. Returns the status.
Status iterate(Run& run) {
  const Ad3Options& options = run.options;
  SolverResult& result = run.result;
  Index next_adaptation = options.adapt_every, next_ray = 20;
  bool has_tried = false;
  for (Index iteration = 1; iteration <= options.max_iterations; ++iteration) {
    result.iterations = iteration;
    run.workspace.qp.max_steps = FIRST_STEPS + iteration / STEPS_GROW_EVERY;
    run.was_rounded = false;
    solve_factors(run);
    update_consensus(run);
    const bool converged =
        run.unsolved == 0 && std::max(result.primal_residual, result.dual_residual) < options.residual;
    const bool last = iteration == options.max_iterations || out_of_time();
    if (converged || last || iteration % std::max(options.bound_every, 1) == 0) {
      bool finished = update_bound(run);
      const bool closed = !finished && is_closed(run);
      if ((converged || closed) && !finished && !has_tried) {
        has_tried = run.was_rounded = true;
        round(run.graph, options.start, run.consensus, run.workspace, result, run.fixed);
        finished = is_close(run.split, run.result, run.options.tolerance, run.options.proves);
      }
      add_trace(run);
      if (finished) return Status::Tolerance;
      if (result.bound < options.cutoff) return Status::Unconverged;
      // An integral solution deserves more iterations: the bound is still moving toward its value.
      if (converged && !is_integral(run)) return Status::Fractional;
      if (closed && !may_solve_relaxation(run)) return Status::Fractional;
    }
    if (iteration == next_ray || last) {
      if (diverges(run)) return Status::Infeasible;
      next_ray *= 2;
    }
    if (last) break;
    if (iteration == next_adaptation) {
      adapt_penalty(run);
      // Adapt less and less often: convergence is proved only for a penalty that stops changing.
      next_adaptation += options.adapt_every + iteration / 5;
    }
  }
  return Status::Unconverged;
}

void solve(Run& run) {
  SolverResult& result = run.result;
  result.status = run.split.feasible ? iterate(run) : Status::Infeasible;
  run.workspace.qp.max_steps = QpWorkspace::NO_LIMIT;
  if (result.status == Status::Infeasible) {
    result.bound = NEGATIVE_INFINITY;
  } else {
    result.relaxed_value = relaxed_value(run);
    if (result.status != Status::Tolerance && !run.was_rounded)
      round(run.graph, run.options.start, run.consensus, run.workspace, result, run.fixed);
    const bool proves = run.options.proves && !(result.bound < run.options.cutoff);
    conclude(run.graph, run.split, run.multipliers, run.workspace, run.options.tolerance, proves, result);
  }
}

}  // namespace

SolverResult ad3(const Graph& graph, const Ad3Options& options, GraphWorkspace& workspace, Fixed fixed) {
  const TimeLimit limit(options.time_limit);
  std::optional<Run> started;
  try {
    solve(started.emplace(graph, options, workspace, fixed));
  } catch (const OutOfTime&) {
    workspace.qp.max_steps = QpWorkspace::NO_LIMIT;
    if (!started) return unsolved(graph);
    conclude_early(started->split, options.tolerance, started->result);
  }
  Run& run = *started;
  SolverResult& result = run.result;
  result.relaxed = std::move(run.consensus);
  result.multipliers = std::move(run.multipliers);
  if (result.status == Status::Optimal) {
    // The optimum of the relaxation lies between value and bound, so the assignment solves it even if the iterations
    // have not converged.
    result.relaxed.assign(result.assignment.begin(), result.assignment.end());
    result.relaxed_value = result.value;
  }
  return std::move(result);
}

}  // namespace headlong
