// Pairs and small tables.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "graph/logic.hpp"

namespace headlong {

namespace {

// Returns the values of a pair's four configurations. Link 0 is the lowest bit.
std::array<Score, 4> values_of(const PairFactor& factor, std::span<const Score> scores) {
  return {0.0, scores[0], scores[1], scores[0] + scores[1] + factor.score};
}

// Computes the values of a table's configurations with link scores, each from the one without its highest link.
// O(2^links).
std::span<double> values_of(const DenseFactor& factor, std::span<const Score> scores, std::vector<double>& values) {
  values.resize(factor.scores.size());
  values[0] = 0.0;
  for (std::size_t row = 1; row < values.size(); ++row) {
    const std::size_t link = static_cast<std::size_t>(std::bit_width(row)) - 1;
    values[row] = values[row ^ (std::size_t{1} << link)] + scores[link];
  }
  for (std::size_t row = 0; row < values.size(); ++row) values[row] += factor.scores[row];
  return values;
}

// Sets `on` to the first best configuration, or all off if there is none.
Score best_of(std::span<const Score> values, std::span<std::uint8_t> on) {
  std::size_t best = 0;
  for (std::size_t row = 1; row < values.size(); ++row)
    if (values[row] > values[best]) best = row;
  for (std::size_t link = 0; link < on.size(); ++link) on[link] = best >> link & 1;
  return values[best];
}

// Turns values into weights with maximum 1 and returns the log-partition. All weights are 0 if nothing is allowed.
Score exponentiate(std::span<double> values) {
  const Score high = *std::max_element(values.begin(), values.end());
  if (high == NEGATIVE_INFINITY) {
    std::fill(values.begin(), values.end(), 0.0);
    return high;
  }
  double sum = 0.0;
  for (double& value : values) sum += value = std::exp(value - high);
  return high + std::log(sum);
}

// The highest link divides the table into two halves, off and on. Adding them leaves the table of the other links. This
// takes 2^links additions for all links.
Score marginals_of(std::span<double> values, std::span<double> out) {
  const Score log_partition = exponentiate(values);
  for (std::size_t link = out.size(); link-- > 0;) {
    const std::size_t half = std::size_t{1} << link;
    double on = 0.0;
    for (std::size_t row = 0; row < half; ++row) {
      on += values[half + row];
      values[row] += values[half + row];
    }
    out[link] = on;
  }
  // The sums of different links round differently.
  for (double& marginal : out) marginal = values[0] > 0.0 ? std::min(1.0, marginal / values[0]) : 0.0;
  return log_partition;
}

// The same with maxima instead of sums.
Score max_marginals_of(std::span<double> values, std::span<Score> on, std::span<Score> off) {
  for (std::size_t link = on.size(); link-- > 0;) {
    const std::size_t half = std::size_t{1} << link;
    on[link] = off[link] = NEGATIVE_INFINITY;
    for (std::size_t row = 0; row < half; ++row) {
      off[link] = std::max(off[link], values[row]);
      on[link] = std::max(on[link], values[half + row]);
      values[row] = std::max(values[row], values[half + row]);
    }
  }
  return values[0];
}

}  // namespace

Score maximize(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace&, std::span<std::uint8_t> on) {
  return best_of(values_of(factor, scores), on);
}

Score maximize(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on) {
  return best_of(values_of(factor, scores, workspace.values), on);
}

Score marginals(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace&, std::span<double> out) {
  auto values = values_of(factor, scores);
  return marginals_of(values, out);
}

Score marginals(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out) {
  return marginals_of(values_of(factor, scores, workspace.values), out);
}

Score max_marginals(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace&, std::span<Score> on,
                    std::span<Score> off) {
  auto values = values_of(factor, scores);
  return max_marginals_of(values, on, off);
}

Score max_marginals(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off) {
  return max_marginals_of(values_of(factor, scores, workspace.values), on, off);
}

double expected_own(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace&) {
  auto weights = values_of(factor, scores);
  exponentiate(weights);
  return factor.score * (weights[3] / (weights[0] + weights[1] + weights[2] + weights[3]));
}

double expected_own(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace) {
  const std::span<double> weights = values_of(factor, scores, workspace.values);
  exponentiate(weights);
  double sum = 0.0, mean = 0.0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    sum += weights[row];
    if (weights[row] > 0.0) mean += weights[row] * factor.scores[row];
  }
  return sum > 0.0 ? mean / sum : 0.0;
}

// Let c = own_scale * score. If c >= 0, the best z12 is min(z1, z2). If one value exceeds the other by more than c, the
// lower link gets the whole gain; otherwise both links get the same z, at the mean. If c < 0, the best z12 is max(0, z1
// + z2 - 1). If the values sum to at most 1, there is no cost; if their sum exceeds 1 by more than -2 c, both links
// pay; otherwise they move to where their sum is 1. Clipping afterward preserves the optimality conditions in each
// case.
void project(const PairFactor& factor, std::span<const double> values, double own_scale, std::span<double> out) {
  const double gain = own_scale * factor.score;
  double first = std::clamp(values[0], -VALUE_LIMIT, VALUE_LIMIT);
  double second = std::clamp(values[1], -VALUE_LIMIT, VALUE_LIMIT);
  if (gain >= 0.0) {
    if (std::abs(first - second) > gain)
      (first < second ? first : second) += gain;
    else
      first = second = (first + second + gain) / 2.0;
  } else if (const double excess = first + second - 1.0; excess > 0.0) {
    const double lower = std::min(-gain, excess / 2.0);
    first -= lower;
    second -= lower;
  }
  out[0] = std::clamp(first, 0.0, 1.0);
  out[1] = std::clamp(second, 0.0, 1.0);
}

}  // namespace headlong
