// The only source of random numbers in the core. The same seed gives the same sequence on every platform.
#pragma once

#include <cstdint>

namespace headlong {

// Scatters the bits of a number. A bijection: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
inline std::uint64_t scatter(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// A stream of random numbers: SplitMix64, a counter whose bits are scattered. Eight bytes of state, cheap to create.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(scatter(seed)) {}

  std::uint64_t bits() { return scatter(state_ += 0x9E3779B97F4A7C15u); }
  // A number in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // An integer in [0, count). Needs 1 <= count, and count far below 2^32: the bias is then far below 2^-32.
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(((bits() >> 32) * count) >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace headlong
