// Non-negative numbers beyond the range of doubles, for sums over trees, and the operations that templates over both
// number types need.
#pragma once

#include <cmath>

#include "base/semiring.hpp"
#include "base/types.hpp"

namespace headlong::numbers {

// A non-negative number as the leading term c * epsilon^order of a series in a vanishing epsilon. Storing log(c) avoids
// underflow and overflow and makes limits exact. Slow: tree_marginals uses it only as a fallback.
struct LeadingTerm {
  std::int64_t order = 0;
  Score log = NEGATIVE_INFINITY;  // -inf: the number zero
};

inline LeadingTerm operator+(const LeadingTerm& a, const LeadingTerm& b) {
  if (a.log == NEGATIVE_INFINITY) return b;
  if (b.log == NEGATIVE_INFINITY) return a;
  if (a.order != b.order) return a.order < b.order ? a : b;
  return {a.order, log_add(a.log, b.log)};
}
inline LeadingTerm operator*(const LeadingTerm& a, const LeadingTerm& b) { return {a.order + b.order, a.log + b.log}; }
inline LeadingTerm operator/(const LeadingTerm& a, const LeadingTerm& b) { return {a.order - b.order, a.log - b.log}; }
inline LeadingTerm& operator+=(LeadingTerm& a, const LeadingTerm& b) { return a = a + b; }

// Assigns exp(log) * epsilon^order. Doubles ignore the order.
inline void assign(double& number, Score log, std::int64_t) { number = std::exp(log); }
inline void assign(LeadingTerm& number, Score log, std::int64_t order) { number = {order, log}; }

template <class Number>
Number one() {
  Number number;
  assign(number, 0.0, 0);
  return number;
}

inline bool is_zero(double number) { return number == 0.0; }
inline bool is_zero(const LeadingTerm& number) { return number.log == NEGATIVE_INFINITY; }

inline double log_of(double number) { return std::log(number); }
inline double log_of(const LeadingTerm& number) { return number.log; }

inline std::int64_t order_of(double) { return 0; }
inline std::int64_t order_of(const LeadingTerm& number) { return number.order; }

// Returns part / total, where part is one term of total.
inline double ratio(double part, double total) { return part / total; }
inline double ratio(const LeadingTerm& part, const LeadingTerm& total) {
  return part.order == total.order ? std::exp(part.log - total.log) : 0.0;
}

}  // namespace headlong::numbers
