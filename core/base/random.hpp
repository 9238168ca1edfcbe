// The core's one source of random numbers: the same sequence for the same seed on every platform.
#pragma once

#include <cstdint>

namespace headlong {

// Scatters the bits of a number: a bijection (the finalizer of SplitMix64; Steele, Lea, Flood 2014).
inline std::uint64_t scatter(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// A stream of random numbers: SplitMix64, a counter with scattered bits. Eight bytes of state, cheap to make anew.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(scatter(seed)) {}

  std::uint64_t bits() { return scatter(state_ += 0x9E3779B97F4A7C15u); }
  // From 0 up to 1, without 1: multiples of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // From 0 up to `count`, without it; count >= 1 and far below 2^32, where the lack of balance is far below 2^-32.
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(((bits() >> 32) * count) >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace headlong
