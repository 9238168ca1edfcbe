// Measuring time.
#pragma once

#include <chrono>

namespace headlong {

// Measures wall-clock time from its creation.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  // Returns whether a limit in seconds has passed. 0 means no limit.
  bool is_past(double limit) const { return limit > 0.0 && seconds() > limit; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace headlong
