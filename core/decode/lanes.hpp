// A block of scores, one per lane. Every loop over a block compiles to one or two vector instructions.
#pragma once

#include "parts/frames.hpp"

namespace headlong {

struct Block {
  Score lane[LANE_WIDTH];
};

inline Block load(const Score* from) {
  Block block;
  for (Index k = 0; k < LANE_WIDTH; ++k) block.lane[k] = from[k];
  return block;
}

inline Block load(const float* from) {
  Block block;
  for (Index k = 0; k < LANE_WIDTH; ++k) block.lane[k] = from[k];
  return block;
}

inline Block filled(Score score) {
  Block block;
  for (Index k = 0; k < LANE_WIDTH; ++k) block.lane[k] = score;
  return block;
}

inline void store(const Block& block, Score* to) {
  for (Index k = 0; k < LANE_WIDTH; ++k) to[k] = block.lane[k];
}

// Both semirings multiply by adding.
inline Block operator+(const Block& a, const Block& b) {
  Block sum;
  for (Index k = 0; k < LANE_WIDTH; ++k) sum.lane[k] = a.lane[k] + b.lane[k];
  return sum;
}

template <class Semiring>
inline Block plus(const Block& a, const Block& b) {
  Block sum;
  for (Index k = 0; k < LANE_WIDTH; ++k) sum.lane[k] = Semiring::plus(a.lane[k], b.lane[k]);
  return sum;
}

}  // namespace headlong
