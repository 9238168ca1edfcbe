// Kernels of dense layers: matrix products, gates, normalization, softmax.
//
// Each kernel is one source compiled twice, for AVX2 and for any processor; products of matrices also have a form for
// AVX-512. All return the same bits: every sum has a fixed order, products of matrices add by fused multiply-add,
// nothing else does, and exponentials are polynomials of ours. The bits of a row depend on that row alone, so neither
// batches nor threads change a result.
#pragma once

#include "features/score.hpp"

namespace headlong {

// Columns of matrices come in whole panels of this many.
inline constexpr Index PANEL = 16;

inline constexpr Index padded(Index columns) { return (columns + PANEL - 1) / PANEL * PANEL; }

// A right-hand matrix [rows][columns] of a product, as panels of PANEL columns. Element (r, PANEL * p + c) is at
// data[p * panel_stride + r * row_stride + c].
struct Panels {
  const float* data;
  std::size_t panel_stride, row_stride;
};

// The panels of a matrix in rows of `stride` floats, without copying it.
inline Panels panels_of_rows(const float* data, std::size_t stride) { return {data, PANEL, stride}; }

// Copies a matrix [rows][columns] in rows of `stride` floats to contiguous panels, which products read without cache
// conflicts. `columns` is a multiple of PANEL.
Panels pack(const float* matrix, Index rows, Index columns, std::size_t stride, std::vector<float>& out);

// Writes the transpose [columns][rows] of a matrix [rows][columns] whose rows are `stride` floats apart. The rows of
// the transpose are padded(rows) floats apart, and the padding is zero.
void transpose(const float* matrix, Index rows, Index columns, std::size_t stride, std::vector<float>& out);

// How a product enters its result.
enum class Into : std::uint8_t { Set, Add };

// A row of a matrix with the factor that it has in a sum.
struct WeightedRow {
  Index row;
  float weight;
};

struct Kernels {
  // result [n][m] = or += left [n][k] * right [k][m], plus a bias [m] if given (with Into::Set only). m is a multiple
  // of PANEL; rows of left and result are `left_stride` and `result_stride` floats apart. Sums begin at 0 and run over
  // k in order; each step is one fused multiply-add.
  void (*multiply)(const float* left, std::size_t left_stride, const Panels& right, Index n, Index k, Index m,
                   const float* bias, Into into, float* result, std::size_t result_stride);
  // Replaces values [count] by their sigmoids. `count` is a multiple of PANEL, here and below.
  void (*sigmoid)(float* values, Index count);
  // Replaces values [count] by exp(value - top) and returns their sum.
  float (*exponentials)(float* values, Index count, float top);
  // Normalizes a row [count] to mean 0 and variance 1: writes `normal` [count] and returns 1 / standard deviation.
  float (*normalize)(const float* row, Index count, float* normal);
  // Sets sum [stride] to the weighted sum of rows of a matrix, in their order. `stride` is a multiple of PANEL.
  void (*sum_rows)(const float* matrix, Index stride, std::span<const WeightedRow> rows, float* sum);
  // Returns the sum of the products of three vectors [count].
  float (*triple_product)(const float* a, const float* b, const float* c, Index count);
};

const Kernels& kernels(Instructions instructions);

// The natural logarithm of a positive number, the same on every machine. Error below 1e-12.
double logarithm(double value);

}  // namespace headlong
