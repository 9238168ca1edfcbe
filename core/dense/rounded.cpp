#include "dense/rounded.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/platform.hpp"

namespace headlong {

void round_columns(const float* matrix, Index rows, Index columns, RoundedMatrix& out) {
  out.rows = rows;
  out.columns = columns;
  out.values.resize(static_cast<std::size_t>(rows) * columns);
  out.scales.resize(columns);
  for (Index column = 0; column < columns; ++column) {
    float largest = 0.0F;
    for (Index row = 0; row < rows; ++row) largest = std::max(largest, std::abs(matrix[row * columns + column]));
    const float scale = out.scales[column] = largest > 0.0F ? largest / LARGEST_WEIGHT : 1.0F;
    std::int16_t* to = out.values.data() + static_cast<std::size_t>(column / PANEL * PANEL) * rows;
    for (Index row = 0; row < rows; ++row)
      to[(row - row % 2) * PANEL + 2 * (column % PANEL) + row % 2] =
          static_cast<std::int16_t>(std::nearbyint(matrix[row * columns + column] / scale));
  }
}

void round_rows(const float* from, std::size_t stride, Index count, Index columns, RoundedRows& out) {
  constexpr Index SUM = std::numeric_limits<std::int32_t>::max();
  const float most = static_cast<float>(std::min<Index>(32767, SUM / (LARGEST_WEIGHT * columns)));
  out.count = count;
  out.columns = columns;
  out.values.resize(static_cast<std::size_t>(count) * columns);
  out.units.resize(count);
  for (Index row = 0; row < count; ++row, from += stride) {
    std::int16_t* to = out.values.data() + static_cast<std::size_t>(row) * columns;
    float largest = 0.0F;
    for (Index i = 0; i < columns; ++i) largest = std::max(largest, std::abs(from[i]));
    const float factor = most / largest;
    if (!(factor > 0.0F && factor < std::numeric_limits<float>::infinity())) {  // all numbers are 0, or almost
      out.units[row] = 0.0F;
      std::fill_n(to, columns, std::int16_t{0});
      continue;
    }
    out.units[row] = largest / most;
    constexpr float ROUND = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
    for (Index i = 0; i < columns; ++i)
      to[i] = static_cast<std::int16_t>(static_cast<std::int32_t>((from[i] * factor + ROUND) - ROUND));
  }
}

namespace {

struct Product {
  const RoundedRows& left;
  const RoundedMatrix& right;
  const float* bias;
  float* result;
  std::size_t stride;

  const std::int16_t* row(Index row) const { return left.values.data() + static_cast<std::size_t>(row) * left.columns; }
  const std::int16_t* panel(Index column) const {
    return right.values.data() + static_cast<std::size_t>(column) * right.rows;
  }
};

void multiply_scalar(const Product& product) {
  for (Index column = 0; column < product.right.columns; column += PANEL)
    for (Index row = 0; row < product.left.count; ++row) {
      const std::int16_t *left = product.row(row), *right = product.panel(column);
      std::int32_t sums[PANEL] = {};
      for (Index k = 0; k < product.left.columns; k += 2, right += 2 * PANEL)
        for (Index i = 0; i < PANEL; ++i) sums[i] += left[k] * right[2 * i] + left[k + 1] * right[2 * i + 1];
      float* result = product.result + row * product.stride + column;
      for (Index i = 0; i < PANEL; ++i)
        result[i] = static_cast<float>(sums[i]) * (product.left.units[row] * product.right.scales[column + i]) +
                    product.bias[column + i];
    }
}

#ifdef HEADLONG_X86_64

// Computes `Rows` rows of one panel. The sums of six rows fill twelve of the sixteen registers.
template <Index Rows>
HEADLONG_AVX2_INLINE void multiply_block(const Product& product, Index row, Index column) {
  const std::int16_t *left = product.row(row), *right = product.panel(column);
  const Index depth = product.left.columns;
  __m256i sums[Rows][2];
  for (Index r = 0; r < Rows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
  for (Index k = 0; k < depth; k += 2, right += 2 * PANEL) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right + PANEL));
    for (Index r = 0; r < Rows; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, left + r * depth + k, sizeof pair);
      const __m256i factor = _mm256_set1_epi32(pair);
      sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(factor, first));
      sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(factor, second));
    }
  }
  for (Index r = 0; r < Rows; ++r)
    for (Index half = 0; half < 2; ++half) {
      const Index at = column + half * PANEL / 2;
      const __m256 scales =
          _mm256_mul_ps(_mm256_set1_ps(product.left.units[row + r]), _mm256_loadu_ps(product.right.scales.data() + at));
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[r][half]), scales);
      _mm256_storeu_ps(product.result + (row + r) * product.stride + at,
                       _mm256_add_ps(scaled, _mm256_loadu_ps(product.bias + at)));
    }
}

HEADLONG_AVX2 void multiply_avx2(const Product& product) {
  constexpr Index BLOCK = 6;
  for (Index column = 0; column < product.right.columns; column += PANEL) {
    Index row = 0;
    for (; row + BLOCK <= product.left.count; row += BLOCK) multiply_block<BLOCK>(product, row, column);
    for (; row + 2 <= product.left.count; row += 2) multiply_block<2>(product, row, column);
    for (; row < product.left.count; ++row) multiply_block<1>(product, row, column);
  }
}

// The same with a panel in one register.
template <Index Rows>
HEADLONG_AVX512_INLINE void multiply_wide_block(const Product& product, Index row, Index column) {
  const std::int16_t *left = product.row(row), *right = product.panel(column);
  const Index depth = product.left.columns;
  __m512i sums[Rows];
  for (Index r = 0; r < Rows; ++r) sums[r] = _mm512_setzero_si512();
  for (Index k = 0; k < depth; k += 2, right += 2 * PANEL) {
    const __m512i weights = _mm512_loadu_si512(right);
    for (Index r = 0; r < Rows; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, left + r * depth + k, sizeof pair);
      sums[r] = _mm512_dpwssd_epi32(sums[r], _mm512_set1_epi32(pair), weights);
    }
  }
  constexpr __mmask16 ALL = 0xFFFF;  // without a mask, gcc 12 warns of an undefined register
  const __m512 column_scales = _mm512_loadu_ps(product.right.scales.data() + column);
  const __m512 bias = _mm512_loadu_ps(product.bias + column);
  for (Index r = 0; r < Rows; ++r) {
    const __m512 scales = _mm512_mul_ps(_mm512_set1_ps(product.left.units[row + r]), column_scales);
    const __m512 scaled = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(ALL, sums[r]), scales);
    _mm512_storeu_ps(product.result + (row + r) * product.stride + column, _mm512_add_ps(scaled, bias));
  }
}

HEADLONG_AVX512 void multiply_avx512(const Product& product) {
  constexpr Index BLOCK = 12;  // enough sums to hide the latency of an addition
  for (Index column = 0; column < product.right.columns; column += PANEL) {
    Index row = 0;
    for (; row + BLOCK <= product.left.count; row += BLOCK) multiply_wide_block<BLOCK>(product, row, column);
    for (; row + 4 <= product.left.count; row += 4) multiply_wide_block<4>(product, row, column);
    for (; row < product.left.count; ++row) multiply_wide_block<1>(product, row, column);
  }
}

#endif

}  // namespace

void multiply_rounded(const RoundedRows& left, const RoundedMatrix& right, const float* bias,
                      [[maybe_unused]] Instructions instructions, float* result, std::size_t stride) {
  const Product product{left, right, bias, result, stride};
#ifdef HEADLONG_X86_64
  if (instructions == Instructions::Avx512) return multiply_avx512(product);
  if (instructions == Instructions::Avx2) return multiply_avx2(product);
#endif
  multiply_scalar(product);
}

}  // namespace headlong
