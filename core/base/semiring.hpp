// The two semirings of every dynamic program in the core: max-plus finds the best structure, log-sum-exp sums over all
// structures (Goodman 1999, "Semiring Parsing").
//
// A semiring has zero, one, plus, times and dot (the sum of the products of two rows). Max-plus also has the sum of one
// row. Recursions use dot over contiguous rows: log-sum-exp then takes one logarithm per row instead of one per term,
// and it stays stable because it factors out the largest term. Values are finite or -inf, never +inf.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/types.hpp"

namespace headlong {

// Returns log(exp(a) + exp(b)) without overflow. Either may be -inf.
inline Score log_add(Score a, Score b) {
  const Score high = std::max(a, b);
  const Score low = std::min(a, b);
  // exp(-40) is below half a unit in the last place of 1. The test also avoids computing -inf - -inf.
  if (!(low > high - 40.0)) return high;
  return high + std::log1p(std::exp(low - high));
}

struct MaxPlus {
  static constexpr Score zero() { return NEGATIVE_INFINITY; }
  static constexpr Score one() { return 0.0; }
  static Score plus(Score a, Score b) { return std::max(a, b); }
  static Score times(Score a, Score b) { return a + b; }
  static Score sum(const Score* a, std::size_t count) {
    Score best = zero();
    for (std::size_t k = 0; k < count; ++k) best = std::max(best, a[k]);
    return best;
  }
  static Score dot(const Score* a, const Score* b, std::size_t count) {
    Score best = zero();
    for (std::size_t k = 0; k < count; ++k) best = std::max(best, a[k] + b[k]);
    return best;
  }
};

struct LogSumExp {
  static constexpr Score zero() { return NEGATIVE_INFINITY; }
  static constexpr Score one() { return 0.0; }
  static Score plus(Score a, Score b) { return log_add(a, b); }
  static Score times(Score a, Score b) { return a + b; }
  static Score dot(const Score* a, const Score* b, std::size_t count) {
    const Score high = MaxPlus::dot(a, b, count);
    if (high == zero()) return high;
    double sum = 0.0;
    for (std::size_t k = 0; k < count; ++k) sum += std::exp(a[k] + b[k] - high);
    return high + std::log(sum);
  }
};

}  // namespace headlong
