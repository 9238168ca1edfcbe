#include "solvers/solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/propagate.hpp"

namespace headlong {

namespace {

// The smallest and the largest absolute own score of a factor. For structured factors the smallest is not known; a
// million times what its best configuration is worth is taken, which a sane model does not reach.
void measure_own(const Graph& graph, Index factor, const Configuration& best, Score& lowest, Score& largest) {
  lowest = largest = 0.0;
  if (graph.types[factor] == FactorType::Pair) {
    const Score score = graph.pairs[graph.places[factor]].score;
    lowest = std::min(0.0, score);
    largest = std::abs(score);
  } else if (graph.types[factor] == FactorType::Dense) {
    for (Score score : graph.dense[graph.places[factor]].scores)
      if (score > NEGATIVE_INFINITY) lowest = std::min(lowest, score), largest = std::max(largest, std::abs(score));
  } else if (graph.types[factor] == FactorType::Structured) {
    largest = std::abs(best.own);
    lowest = -1e6 * (1.0 + largest);
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
  // Far enough for slopes down to 1e-6 to show, and not so far that rounding errors do.
  const double far = 1e6 * (split.scale + std::abs(split.lowest)) / std::sqrt(square);
  for (double& step : direction) step *= far;
  return dual_bound(graph, split, direction, workspace) < split.lowest - (split.scale + std::abs(split.lowest));
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

namespace {

// Sets every variable that is still free to the side its relaxed value is on, the surest first, with what follows by
// logic; where that is impossible, to the other side.
void complete(const Graph& graph, std::span<const double> relaxed, std::span<const Index> order, Fixed fixed,
              Propagator& propagator, GraphWorkspace& workspace, SolverResult& result) {
  std::vector<std::uint8_t> assignment(graph.scores.size());
  for (Index variable : order) {
    if (propagator.fixed()[variable] >= 0) continue;
    const bool on = relaxed[variable] != 0.5 ? relaxed[variable] > 0.5 : graph.scores[variable] > 0.0;
    if (!propagator.fix(variable, on) && !propagator.fix(variable, !on)) return;
  }
  for (std::size_t i = 0; i < assignment.size(); ++i) assignment[i] = propagator.fixed()[i] == 1;
  offer(graph, fixed, assignment, workspace, result);
}

}  // namespace

void round(const Graph& graph, std::span<const double> relaxed, GraphWorkspace& workspace, SolverResult& result,
           Fixed fixed) {
  Propagator start(graph);
  bool possible = start.start();
  for (Index i = 0; i < graph.variables() && possible; ++i) {
    if (!fixed.empty() && fixed[i] >= 0) possible = start.fix(i, fixed[i] != 0);
    if (graph.scores[i] == NEGATIVE_INFINITY) possible = possible && start.fix(i, false);
  }
  if (!possible) return;
  std::vector<Index> order(graph.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index left, Index right) {
    return std::abs(relaxed[left] - 0.5) > std::abs(relaxed[right] - 0.5);
  });
  Propagator plain = start;
  complete(graph, relaxed, order, fixed, plain, workspace, result);

  Score largest = 1.0;
  for (Score score : graph.scores)
    if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  Configuration best;
  std::vector<Score> scores;
  for (Index f = 0; f < graph.factors(); ++f) {
    if (graph.types[f] != FactorType::Structured) continue;
    const Index begin = graph.link_begins[f], links = graph.links(f);
    for (double strength : {1e4, 1.0}) {
      scores.resize(links);
      for (Index k = 0; k < links; ++k) {
        const Index variable = graph.link_variables[begin + k];
        const std::int8_t known = start.fixed()[variable];
        const double side = known >= 0 ? 1e4 * (2.0 * known - 1.0) : strength * (2.0 * relaxed[variable] - 1.0);
        const Score score = graph.scores[variable] == NEGATIVE_INFINITY ? 0.0 : graph.scores[variable];
        const Score toward = score + side * largest;
        scores[k] = graph.link_negated[begin + k] ? -toward : toward;
      }
      if (maximize(graph, f, scores, workspace, best) == NEGATIVE_INFINITY) continue;
      Propagator guided = start;
      for (Index k = 0; k < links && possible; ++k)
        guided.fix(graph.link_variables[begin + k], (best.on[k] != 0) != (graph.link_negated[begin + k] != 0));
      complete(graph, relaxed, order, fixed, guided, workspace, result);
    }
  }
}

void round(const Graph& graph, const Start& start, std::span<const double> relaxed, GraphWorkspace& workspace,
           SolverResult& result, Fixed fixed) {
  if (!start.rounder) return round(graph, relaxed, workspace, result, fixed);
  std::vector<std::uint8_t> assignment(graph.scores.size());
  if (start.rounder->round(relaxed, assignment)) offer(graph, fixed, assignment, workspace, result);
}

}  // namespace headlong
