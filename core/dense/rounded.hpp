// Products of matrices of integers, for networks that are used and not trained.
//
// A column of a matrix has 8-bit weights and a scale; a row of the left-hand side has 16-bit numbers and a unit. Sums
// of integers are exact, so every machine gets the same bits, whatever the order of its additions. Two numbers are
// multiplied and added per lane of a vector register: three times as many products per second as with floats (AVX2).
// With AVX-512, one instruction does it for a whole panel and adds the sums as well.
#pragma once

#include "dense/kernels.hpp"

namespace headlong {

inline constexpr Index LARGEST_WEIGHT = 127;

// A right-hand matrix [rows][columns] in panels of PANEL columns, in which pairs of rows alternate: element
// (r, PANEL * p + c) is at values[(p * rows + r - r % 2) * PANEL + 2 * c + r % 2]. `rows` is even.
struct RoundedMatrix {
  Index rows = 0, columns = 0;
  std::vector<std::int16_t> values;
  std::vector<float> scales;  // [columns]
};

// Rounds the columns of a matrix [rows][columns], so that the largest weight of each is LARGEST_WEIGHT. A matrix that
// was rounded before stays as it is, up to the last bit of its scales.
void round_columns(const float* matrix, Index rows, Index columns, RoundedMatrix& out);

// Left-hand rows [count][columns].
struct RoundedRows {
  Index count = 0, columns = 0;
  std::vector<std::int16_t> values;
  std::vector<float> units;  // [count] 0: a row of zeros
};

// Rounds rows that are `stride` floats apart, so that no sum of products with a RoundedMatrix overflows.
void round_rows(const float* from, std::size_t stride, Index count, Index columns, RoundedRows& out);

// Sets result [left.count][right.columns], in rows of `stride` floats, to left * right + bias [right.columns].
void multiply_rounded(const RoundedRows& left, const RoundedMatrix& right, const float* bias, Instructions instructions,
                      float* result, std::size_t stride);

}  // namespace headlong
