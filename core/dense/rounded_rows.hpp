// Sums of rows of 8-bit weights, for tensors that are used and not trained.
//
// Most rows are not in the cache, so their size decides the time: a row of the head's and the modifier's weights at
// rank 50 takes two cache lines instead of eight. Weights and scales are integers, and so are their sums, which are
// exact: every machine gets the same bits. Two rows are multiplied and added per lane of a vector register.
#pragma once

#include <array>

#include "dense/kernels.hpp"

namespace headlong {

struct alignas(64) CacheLine {
  std::int8_t weights[64];
};
inline constexpr Index LINE = sizeof(CacheLine);

// The rows of two matrices, side by side. A weight is its integer times the scale of its half row times the unit of its
// matrix.
struct RoundedRowPairs {
  Index columns = 0;                                // of each matrix; a multiple of PANEL
  std::vector<CacheLine> lines;                     // [rows][2][half]
  std::vector<std::array<std::int16_t, 2>> scales;  // [rows]
  std::array<float, 2> units{};

  Index half() const { return (columns + LINE - 1) / LINE; }
  const CacheLine* row(Index row) const { return lines.data() + static_cast<std::size_t>(row) * 2 * half(); }
};

// A matrix [rows][columns] of integers with a scale for each row.
struct ScaledRows {
  std::span<const std::int8_t> weights;
  std::span<const float> scales;
};

// Copies two matrices of `columns` columns; further columns, up to the next multiple of PANEL, are zero. Scales are
// rounded to 16 bits.
RoundedRowPairs pair_rows(const std::array<ScaledRows, 2>& matrices, Index columns);

// The largest number of rows whose sums cannot overflow.
inline constexpr std::size_t MOST_ROWS = 512;

// Sets sums of both matrices [columns] to the sum of rows, whose own weights do not count.
void sum_rounded_rows(const RoundedRowPairs& pairs, std::span<const WeightedRow> rows, Instructions instructions,
                      const std::array<float*, 2>& sums);

}  // namespace headlong
