#include "graph/solver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "graph/propagate.hpp"

namespace headlong {

namespace {

// Measures own scores: the lowest one, their size and the largest absolute value. For a Python factor that does not
// report its lowest, assumes a million times the value of its best configuration.
void measure_own(const Graph& graph, Index factor, const Configuration& best, Score& lowest, Score& largest,
                 OwnSize& size) {
  largest = 0.0;
  size = {};
  lowest = lowest_own(graph, factor).value_or(-1e6 * (1.0 + std::abs(best.own)));
  if (graph.types[factor] == FactorType::Pair) {
    largest = std::abs(graph.pairs[graph.places[factor]].score);
  } else if (graph.types[factor] == FactorType::Dense) {
    for (Score score : graph.dense[graph.places[factor]].scores)
      if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  } else if (graph.types[factor] == FactorType::Structured) {
    largest = best.own > NEGATIVE_INFINITY ? std::abs(best.own) : 0.0;
    size = graph.structured[graph.places[factor]]->own_size().value_or(OwnSize{largest, 1});
  }
  if (graph.types[factor] != FactorType::Structured) size.sum = largest;
  size.terms += graph.links(factor);
}

// The largest power of two that divides all numbers added so far.
class Grid {
 public:
  void add(Score score) {
    if (score == 0.0 || score == NEGATIVE_INFINITY) return;
    int exponent;
    const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(score, &exponent), 53));
    lowest_ = std::min(lowest_, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(digits)));
  }
  // Returns it, or 0 if sums of this total size have rounding errors.
  Score step(Score size) const {
    const Score found = std::ldexp(1.0, std::min(lowest_, 1000));
    return size < std::ldexp(found, 50) ? found : 0.0;
  }

 private:
  int lowest_ = 1000;
};

// Sets `rounding` and `step`. Among structured factors, only those without scores of their own have a known step.
void measure_rounding(const Graph& graph, Split& split) {
  ExactSum size;
  Index terms = 0;
  Grid grid;
  bool has_grid = true;
  for (Score score : graph.scores) {
    if (score > NEGATIVE_INFINITY) size.add(std::abs(score));
    grid.add(score);
  }
  for (Index f = 0; f < graph.factors(); ++f) {
    size.add(split.own_sizes[f].sum);
    terms = std::max(terms, split.own_sizes[f].terms);
    if (graph.types[f] == FactorType::Structured) has_grid = has_grid && split.own_sizes[f].sum == 0.0;
  }
  for (const PairFactor& pair : graph.pairs) grid.add(pair.score);
  for (const DenseFactor& dense : graph.dense)
    for (Score score : dense.scores) grid.add(score);
  split.rounding = 0.75 * std::ldexp(size.value() * (8.0 + terms), -48);
  if (has_grid) split.step = grid.step(size.value());
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
    if (split.fixed[i] == 1) split.constant.add(score);
    if (split.fixed[i] < 0 && split.degrees[i] == 0) split.constant.add(std::max(score, 0.0));
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
  split.remainders.resize(graph.scores.size());
  split.own_sizes.resize(graph.types.size());
  for (Index f = 0; f < graph.factors(); ++f) {
    const auto scores = std::span(split.scores).subspan(graph.link_begins[f], graph.links(f));
    if (maximize(graph, f, scores, workspace, split.best) == NEGATIVE_INFINITY) split.feasible = false;
    Score lowest_own, largest_own;
    measure_own(graph, f, split.best, lowest_own, largest_own, split.own_sizes[f]);
    split.lowest += lowest_own;
    largest = std::max(largest, largest_own);
  }
  // Keeps reciprocals finite.
  if (largest > 0.0) split.scale = std::max(largest, 1e-280);
  measure_rounding(graph, split);
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

BoundSum::BoundSum(const Graph& graph, Split& split, std::span<const double> multipliers) : sum_(split.constant) {
  for (std::size_t i = 0; i < graph.scores.size(); ++i) split.remainders[i] = ExactSum(graph.scores[i]);
  for (std::size_t link = 0; link < multipliers.size(); ++link) {
    const Index variable = graph.link_variables[link];
    const bool fixed = split.fixed[variable] >= 0, negated = graph.link_negated[link] != 0;
    const Score score = split.link_scores[link] = split.scores[link] + multipliers[link];
    if (fixed ? split.pinned[link] != 0 : negated) sum_.add(-score);
    if (!fixed) split.remainders[variable].add(negated ? score : -score);
  }
  for (std::size_t i = 0; i < graph.scores.size(); ++i)
    if (split.fixed[i] < 0 && split.degrees[i] > 0 && split.remainders[i].value() > 0.0) sum_.add(split.remainders[i]);
}

// A maximum is a sum of link scores and the terms of an own score. The own score of the best configuration is at most
// the maximum plus the absolute link scores, which keeps tables with large scores that do not matter accurate.
void BoundSum::add(const Graph& graph, const Split& split, Index factor, Score maximum) {
  is_possible_ = is_possible_ && maximum > NEGATIVE_INFINITY;
  if (!is_possible_) return;
  sum_.add(maximum);
  double size = std::abs(maximum);
  for (Index link = graph.link_begins[factor]; link < graph.link_begins[factor + 1]; ++link)
    if (split.link_scores[link] > NEGATIVE_INFINITY) size += 2.0 * std::abs(split.link_scores[link]);
  if (graph.types[factor] == FactorType::Structured) size += split.own_sizes[factor].sum;
  error_ += size * (4.0 + split.own_sizes[factor].terms);
}

Score BoundSum::upper() const {
  const Score bound = value() + std::ldexp(error_, -52);
  return is_possible_ && error_ > 0.0 ? std::nextafter(bound, std::numeric_limits<Score>::infinity()) : bound;
}

Score dual_bound(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace) {
  center(graph, split, multipliers);
  BoundSum bound(graph, split, multipliers);
  for (Index f = 0; f < graph.factors(); ++f) {
    const auto scores = std::span(split.link_scores).subspan(graph.link_begins[f], graph.links(f));
    bound.add(graph, split, f, maximize(graph, f, scores, workspace, split.best));
  }
  return bound.upper();
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

bool closes(Score value, Score bound, double tolerance, Score scale) {
  return bound - value <= tolerance * std::max(std::min(1.0, scale), std::abs(bound));
}

bool is_close(const Split& split, const SolverResult& result, double tolerance, bool proves) {
  if (result.value == NEGATIVE_INFINITY) return false;
  return closes(result.value, result.bound, tolerance, split.scale) ||
         (proves && result.bound - result.value <= std::max(split.rounding, 0.5 * split.step));
}

bool is_proved(const Split& split, Score value, Score bound) {
  if (value == NEGATIVE_INFINITY) return false;
  if (value - bound > split.rounding)
    throw std::logic_error("an assignment is worth more than the bound: a factor does not find its maximum");
  return bound - value <= std::max(split.rounding, 0.5 * split.step);
}

void finish_bound(const Split& split, SolverResult& result) {
  result.upper = result.bound;
  if (result.status != Status::Optimal) return;
  if (!(result.bound - result.value <= split.rounding)) result.upper = result.value;
  result.bound = result.value;
}

Score value(const Graph& graph, std::span<const std::uint8_t> assignment, GraphWorkspace& workspace) {
  ExactSum sum;
  for (Index i = 0; i < graph.variables(); ++i) {
    if (assignment[i] && graph.scores[i] == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;
    if (assignment[i]) sum.add(graph.scores[i]);
  }
  std::vector<std::uint8_t>& on = workspace.on;
  for (Index f = 0; f < graph.factors(); ++f) {
    on.resize(graph.links(f));
    for (Index k = 0; k < graph.links(f); ++k) {
      const Index link = graph.link_begins[f] + k;
      on[k] = (assignment[graph.link_variables[link]] != 0) != (graph.link_negated[link] != 0);
    }
    const Score own = own_score(graph, f, on, workspace);
    if (own == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;
    sum.add(own);
  }
  return sum.value();
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
