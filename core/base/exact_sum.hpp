// Sums whose rounding error does not grow with the number of terms.
#pragma once

#include <cmath>

namespace headlong {

// A sum of numbers as an unevaluated pair high + low (Knuth's two-sum; Dekker 1971). Its error is about 2^-100 of the
// sum of the absolute values, which is nothing beside the error of rounding the sum to one number.
class ExactSum {
 public:
  ExactSum() = default;
  explicit ExactSum(double first) : high_(first) {}

  void add(double term) {
    const double sum = high_ + term;
    const double other = sum - high_;
    low_ += (high_ - (sum - other)) + (term - other);
    high_ = sum;
  }
  void add(const ExactSum& other) {
    add(other.high_);
    add(other.low_);
  }
  double value() const { return high_ + low_; }

 private:
  double high_ = 0.0, low_ = 0.0;
};

}  // namespace headlong
