#include "dense/products.hpp"

#include <cmath>

#include "base/platform.hpp"

namespace headlong {

namespace {

struct Product {
  const float* left;
  std::size_t left_stride;
  Panels right;
  Index n, k, m;
  const float* bias;
  Into into;
  float* result;
  std::size_t result_stride;

  const float* panel(Index column) const { return right.data + column / PANEL * right.panel_stride; }
  // What the sums of one row and panel are added to; null: nothing.
  const float* extra(Index row, Index column) const {
    if (into == Into::Add) return result + row * result_stride + column;
    return bias ? bias + column : nullptr;
  }
};

}  // namespace

void multiply_plain(const float* left, std::size_t left_stride, const Panels& right, Index n, Index k, Index m,
                    const float* bias, Into into, float* result, std::size_t result_stride) {
  const Product product{left, left_stride, right, n, k, m, bias, into, result, result_stride};
  for (Index column = 0; column < m; column += PANEL)
    for (Index row = 0; row < n; ++row) {
      const float *factors = left + row * left_stride, *weights = product.panel(column);
      float sums[PANEL] = {};
      for (Index p = 0; p < k; ++p, weights += right.row_stride)
        for (Index i = 0; i < PANEL; ++i) sums[i] = std::fma(factors[p], weights[i], sums[i]);
      float* to = result + row * result_stride + column;
      const float* extra = product.extra(row, column);
      for (Index i = 0; i < PANEL; ++i) to[i] = extra ? sums[i] + extra[i] : sums[i];
    }
}

#ifdef HEADLONG_X86_64

namespace {

// Computes `Rows` rows of one panel.
template <Index Rows>
HEADLONG_AVX2_INLINE void multiply_block(const Product& product, Index row, Index column) {
  const float *left = product.left + row * product.left_stride, *right = product.panel(column);
  __m256 sums[Rows][2];
  for (Index r = 0; r < Rows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_ps();
  for (Index p = 0; p < product.k; ++p, right += product.right.row_stride) {
    const __m256 first = _mm256_loadu_ps(right), second = _mm256_loadu_ps(right + PANEL / 2);
    for (Index r = 0; r < Rows; ++r) {
      const __m256 factor = _mm256_broadcast_ss(left + r * product.left_stride + p);
      sums[r][0] = _mm256_fmadd_ps(factor, first, sums[r][0]);
      sums[r][1] = _mm256_fmadd_ps(factor, second, sums[r][1]);
    }
  }
  for (Index r = 0; r < Rows; ++r) {
    float* to = product.result + (row + r) * product.result_stride + column;
    const float* extra = product.extra(row + r, column);
    for (Index half = 0; half < 2; ++half) {
      const Index at = half * PANEL / 2;
      const __m256 sum = extra ? _mm256_add_ps(sums[r][half], _mm256_loadu_ps(extra + at)) : sums[r][half];
      _mm256_storeu_ps(to + at, sum);
    }
  }
}

}  // namespace

HEADLONG_AVX2 void multiply_avx2(const float* left, std::size_t left_stride, const Panels& right, Index n, Index k,
                                 Index m, const float* bias, Into into, float* result, std::size_t result_stride) {
  constexpr Index BLOCK = 6;  // the sums fill twelve of the sixteen registers
  const Product product{left, left_stride, right, n, k, m, bias, into, result, result_stride};
  for (Index column = 0; column < m; column += PANEL) {
    Index row = 0;
    for (; row + BLOCK <= n; row += BLOCK) multiply_block<BLOCK>(product, row, column);
    for (; row < n; ++row) multiply_block<1>(product, row, column);
  }
}

namespace {

// The same with a panel in one register.
template <Index Rows>
HEADLONG_AVX512_INLINE void multiply_wide_block(const Product& product, Index row, Index column) {
  const float *left = product.left + row * product.left_stride, *right = product.panel(column);
  __m512 sums[Rows];
  for (Index r = 0; r < Rows; ++r) sums[r] = _mm512_setzero_ps();
  for (Index p = 0; p < product.k; ++p, right += product.right.row_stride) {
    const __m512 weights = _mm512_loadu_ps(right);
    for (Index r = 0; r < Rows; ++r)
      sums[r] = _mm512_fmadd_ps(_mm512_set1_ps(left[r * product.left_stride + p]), weights, sums[r]);
  }
  for (Index r = 0; r < Rows; ++r) {
    const float* extra = product.extra(row + r, column);
    const __m512 sum = extra ? _mm512_add_ps(sums[r], _mm512_loadu_ps(extra)) : sums[r];
    _mm512_storeu_ps(product.result + (row + r) * product.result_stride + column, sum);
  }
}

}  // namespace

HEADLONG_AVX512 void multiply_avx512(const float* left, std::size_t left_stride, const Panels& right, Index n, Index k,
                                     Index m, const float* bias, Into into, float* result, std::size_t result_stride) {
  constexpr Index BLOCK = 12;  // enough sums to hide the latency of an addition
  const Product product{left, left_stride, right, n, k, m, bias, into, result, result_stride};
  for (Index column = 0; column < m; column += PANEL) {
    Index row = 0;
    for (; row + BLOCK <= n; row += BLOCK) multiply_wide_block<BLOCK>(product, row, column);
    for (; row + 4 <= n; row += 4) multiply_wide_block<4>(product, row, column);
    for (; row < n; ++row) multiply_wide_block<1>(product, row, column);
  }
}

#endif

}  // namespace headlong
