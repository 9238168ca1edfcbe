#include "graph/solver.hpp"

#include <algorithm>
#include <cmath>

#include "graph/propagate.hpp"

namespace headlong {

namespace {

// Measures the lowest own score of a factor and the magnitude of its own scores. For a Python factor that does not
// report its lowest, assumes a million times the value of its best configuration.
void measure_own(const Graph& graph, Index factor, const Configuration& best, Score& lowest, Score& largest) {
  largest = 0.0;
  lowest = lowest_own(graph, factor).value_or(-1e6 * (1.0 + std::abs(best.own)));
  if (graph.types[factor] == FactorType::Pair) {
    largest = std::abs(graph.pairs[graph.places[factor]].score);
  } else if (graph.types[factor] == FactorType::Dense) {
    for (Score score : graph.dense[graph.places[factor]].scores)
      if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  } else if (graph.types[factor] == FactorType::Structured) {
    largest = std::abs(best.own);
  }
}

}  // namespace

Split split_scores(const Graph& graph, Fixed fixed, GraphWorkspace& workspace) {
  Split split;
  Propagator propagator(graph);
  split.feasible = propagator.start();
  for (Index i = 0; i < graph.variables() && split.feasible; ++i) {
    if (!fixed.empty() && fixed[i] >= 0) split.feasible = propagator.fix(i, fixed[i] != 0);
    if (graph.scores[i] == NEGATIVE_INFINITY && split.feasible) split.feasible = propagator.fix(i, false);
  }
  if (!split.feasible) return split;
  split.fixed.assign(propagator.fixed().begin(), propagator.fixed().end());
  split.degrees = graph.degrees();

  Score largest = 0.0;
  for (Index i = 0; i < graph.variables(); ++i) {
    const Score score = graph.scores[i];
    if (split.fixed[i] == 1) split.constant += score;
    if (split.fixed[i] < 0 && split.degrees[i] == 0) split.constant += std::max(score, 0.0);
    if (score == NEGATIVE_INFINITY) continue;
    split.lowest += std::min(score, 0.0);
    largest = std::max(largest, std::abs(score));
  }
  const std::size_t links = graph.link_variables.size();
  split.scores.resize(links);
  split.pinned.resize(links);
  split.link_scores.resize(links);
  for (std::size_t link = 0; link < links; ++link) {
    const Index variable = graph.link_variables[link];
    const bool negated = graph.link_negated[link] != 0;
    const std::int8_t value = split.fixed[variable];
    const Score share = value < 0 ? graph.scores[variable] / split.degrees[variable] : 0.0;
    split.pinned[link] = value >= 0 && (value != 0) != negated;
    split.scores[link] = value >= 0 && !split.pinned[link] ? NEGATIVE_INFINITY : negated ? -share : share;
  }
  for (Index f = 0; f < graph.factors(); ++f) {
    const auto scores = std::span(split.scores).subspan(graph.link_begins[f], graph.links(f));
    if (maximize(graph, f, scores, workspace, split.best) == NEGATIVE_INFINITY) split.feasible = false;
    Score lowest_own, largest_own;
    measure_own(graph, f, split.best, lowest_own, largest_own);
    split.lowest += lowest_own;
    largest = std::max(largest, largest_own);
  }
  if (largest > 0.0) split.scale = largest;
  return split;
}

void center(const Graph& graph, Split& split, std::span<double> multipliers) {
  split.sums.assign(graph.scores.size(), 0.0);
  for (std::size_t link = 0; link < multipliers.size(); ++link)
    split.sums[graph.link_variables[link]] += graph.link_negated[link] ? -multipliers[link] : multipliers[link];
  for (std::size_t link = 0; link < multipliers.size(); ++link) {
    const Index variable = graph.link_variables[link];
    if (split.fixed[variable] >= 0) continue;
    const double mean = split.sums[variable] / split.degrees[variable];
    multipliers[link] -= graph.link_negated[link] ? -mean : mean;
  }
}

Score dual_bound(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace) {
  center(graph, split, multipliers);
  Score bound = split.constant;
  for (std::size_t link = 0; link < multipliers.size(); ++link) {
    const bool fixed = split.fixed[graph.link_variables[link]] >= 0;
    split.link_scores[link] = split.scores[link] + multipliers[link];
    if (fixed ? split.pinned[link] != 0 : graph.link_negated[link] != 0) bound -= split.link_scores[link];
  }
  for (Index f = 0; f < graph.factors(); ++f) {
    const auto scores = std::span(split.link_scores).subspan(graph.link_begins[f], graph.links(f));
    bound += maximize(graph, f, scores, workspace, split.best);
  }
  return bound;
}

bool proves_infeasible(const Graph& graph, Split& split, std::span<double> direction, GraphWorkspace& workspace) {
  double square = 0.0;
  for (std::size_t link = 0; link < direction.size(); ++link) {
    if (split.scores[link] == NEGATIVE_INFINITY) direction[link] = 0.0;
    square += direction[link] * direction[link];
  }
  if (square < 1e-8) return false;
  // Far enough to show slopes down to 1e-6, and not so far that rounding errors show.
  const double far = 1e6 * (split.scale + std::abs(split.lowest)) / std::sqrt(square);
  for (double& step : direction) step *= far;
  return is_below_all(split, dual_bound(graph, split, direction, workspace));
}

bool is_below_all(const Split& split, Score bound) {
  return bound < split.lowest - (split.scale + std::abs(split.lowest));
}

SolverResult unsolved(const Graph& graph) {
  SolverResult result;
  result.relaxed.assign(graph.variables(), 0.5);
  return result;
}

bool closes(Score value, Score bound, double tolerance) {
  return bound - value <= tolerance * std::max(1.0, std::abs(bound));
}

Score value(const Graph& graph, std::span<const std::uint8_t> assignment, GraphWorkspace& workspace) {
  Score sum = 0.0;
  for (Index i = 0; i < graph.variables(); ++i)
    if (assignment[i]) sum += graph.scores[i];
  std::vector<std::uint8_t>& on = workspace.on;
  for (Index f = 0; f < graph.factors() && sum > NEGATIVE_INFINITY; ++f) {
    on.resize(graph.links(f));
    for (Index k = 0; k < graph.links(f); ++k) {
      const Index link = graph.link_begins[f] + k;
      on[k] = (assignment[graph.link_variables[link]] != 0) != (graph.link_negated[link] != 0);
    }
    sum += own_score(graph, f, on, workspace);
  }
  return sum;
}

bool offer(const Graph& graph, Fixed fixed, std::span<const std::uint8_t> assignment, GraphWorkspace& workspace,
           SolverResult& result) {
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (fixed[i] >= 0 && (fixed[i] != 0) != (assignment[i] != 0)) return false;
  const Score found = value(graph, assignment, workspace);
  if (found == NEGATIVE_INFINITY || found <= result.value) return false;
  result.assignment.assign(assignment.begin(), assignment.end());
  result.value = found;
  return true;
}

void round(const Graph& graph, const Start& start, std::span<const double> relaxed, GraphWorkspace& workspace,
           SolverResult& result, Fixed fixed) {
  if (!start.rounder) return round(graph, relaxed, workspace, result, fixed);
  std::vector<std::uint8_t> assignment(graph.scores.size());
  if (start.rounder->round(relaxed, assignment)) offer(graph, fixed, assignment, workspace, result);
}

}  // namespace headlong
