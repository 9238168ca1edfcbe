#include "dense/rounded_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/platform.hpp"

namespace headlong {

RoundedRowPairs pair_rows(const std::array<ScaledRows, 2>& matrices, Index columns) {
  constexpr float MOST = std::numeric_limits<std::int16_t>::max();
  const std::size_t rows = matrices[0].scales.size();
  RoundedRowPairs pairs;
  pairs.columns = padded(columns);
  pairs.lines.resize(rows * 2 * pairs.half());
  pairs.scales.resize(rows);
  for (std::size_t side = 0; side < 2; ++side) {
    const auto& [weights, scales] = matrices[side];
    const float largest = rows > 0 ? *std::max_element(scales.begin(), scales.end()) : 0.0F;
    pairs.units[side] = largest > 0.0F ? largest / MOST : 1.0F;
    for (std::size_t row = 0; row < rows; ++row) {
      pairs.scales[row][side] = static_cast<std::int16_t>(std::nearbyint(scales[row] / pairs.units[side]));
      std::memcpy(&pairs.lines[(2 * row + side) * pairs.half()], &weights[row * columns], columns);
    }
  }
  return pairs;
}

namespace {

// Two rows, from the same column on, and what they are multiplied by.
struct TwoRows {
  const std::int8_t *one, *other;
  std::uint32_t one_scales, other_scales;  // of both sides

  // Returns the scales of both rows on one side.
  std::int32_t scales(std::size_t side) const {
    return static_cast<std::int32_t>(side == 0 ? (one_scales & 0xFFFF) | other_scales << 16
                                               : one_scales >> 16 | (other_scales & 0xFFFF0000));
  }
};

// A sum over rows, from the same column on in both matrices.
struct ColumnSums {
  const RoundedRowPairs& pairs;
  std::span<const WeightedRow> rows;
  Index column;
  const std::array<float*, 2>& sums;

  const std::int8_t* weights(std::size_t i) const { return pairs.row(rows[i].row)->weights + column; }
  Index side() const { return pairs.half() * LINE; }  // from a weight of the first matrix to that of the second
  Index panels(Index columns) const { return std::min(columns, pairs.columns - column) / PANEL; }

  // If the number of rows is odd, the last comes with itself, with scales of zero.
  TwoRows two(std::size_t i) const {
    const bool both = i + 1 < rows.size();
    return {weights(i), weights(i + both), std::bit_cast<std::uint32_t>(pairs.scales[rows[i].row]),
            both ? std::bit_cast<std::uint32_t>(pairs.scales[rows[i + 1].row]) : 0};
  }
};

void sum_scalar(const ColumnSums& columns) {
  for (std::size_t side = 0; side < 2; ++side) {
    std::int32_t sums[PANEL] = {};
    for (std::size_t i = 0; i < columns.rows.size(); ++i) {
      const std::int32_t scale = columns.pairs.scales[columns.rows[i].row][side];
      const std::int8_t* weights = columns.weights(i) + side * columns.side();
      for (Index k = 0; k < PANEL; ++k) sums[k] += scale * weights[k];
    }
    for (Index k = 0; k < PANEL; ++k)
      columns.sums[side][columns.column + k] = static_cast<float>(sums[k]) * columns.pairs.units[side];
  }
}

#ifdef HEADLONG_X86_64

constexpr Index AVX2_COLUMNS = 32;

HEADLONG_AVX2_INLINE __m256i widen(const std::int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}

HEADLONG_AVX2 void sum_avx2(const ColumnSums& columns) {
  __m256i sums[2][4];
  for (auto& side : sums)
    for (__m256i& sum : side) sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < columns.rows.size(); i += 2) {
    const TwoRows rows = columns.two(i);
    for (std::size_t side = 0; side < 2; ++side) {
      const __m256i scales = _mm256_set1_epi32(rows.scales(side));
      for (Index p = 0; p < 2; ++p) {
        const std::size_t at = side * columns.side() + p * PANEL;
        const __m256i one = widen(rows.one + at), other = widen(rows.other + at);
        __m256i &low = sums[side][2 * p], &high = sums[side][2 * p + 1];
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(one, other), scales));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(one, other), scales));
      }
    }
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const __m256 unit = _mm256_set1_ps(columns.pairs.units[side]);
    float* to = columns.sums[side] + columns.column;
    for (Index p = 0; p < columns.panels(AVX2_COLUMNS); ++p, to += PANEL) {
      // One sum has the columns 0 to 3 and 8 to 11 of a panel, the other has the rest.
      const __m256i low = _mm256_permute2x128_si256(sums[side][2 * p], sums[side][2 * p + 1], 0x20);
      const __m256i high = _mm256_permute2x128_si256(sums[side][2 * p], sums[side][2 * p + 1], 0x31);
      _mm256_storeu_ps(to, _mm256_mul_ps(_mm256_cvtepi32_ps(low), unit));
      _mm256_storeu_ps(to + PANEL / 2, _mm256_mul_ps(_mm256_cvtepi32_ps(high), unit));
    }
  }
}

constexpr __mmask32 ALL = 0xFFFFFFFF;  // without a mask, gcc 12 warns of undefined registers

HEADLONG_AVX512_INLINE __m512i widen_wide(const std::int8_t* from) {
  return _mm512_maskz_cvtepi8_epi16(ALL, _mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
}

HEADLONG_AVX512 void sum_avx512(const ColumnSums& columns) {
  __m512i sums[2][4];
  for (auto& side : sums)
    for (__m512i& sum : side) sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < columns.rows.size(); i += 2) {
    const TwoRows rows = columns.two(i);
    for (std::size_t side = 0; side < 2; ++side) {
      const __m512i scales = _mm512_set1_epi32(rows.scales(side));
      for (Index p = 0; p < 2; ++p) {
        const std::size_t at = side * columns.side() + p * 2 * PANEL;
        const __m512i one = widen_wide(rows.one + at), other = widen_wide(rows.other + at);
        __m512i &low = sums[side][2 * p], &high = sums[side][2 * p + 1];
        low = _mm512_dpwssd_epi32(low, _mm512_maskz_unpacklo_epi16(ALL, one, other), scales);
        high = _mm512_dpwssd_epi32(high, _mm512_maskz_unpackhi_epi16(ALL, one, other), scales);
      }
    }
  }
  const __m512i first_half = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i second_half = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  for (std::size_t side = 0; side < 2; ++side) {
    const __m512 unit = _mm512_set1_ps(columns.pairs.units[side]);
    float* to = columns.sums[side] + columns.column;
    for (Index p = 0; p < columns.panels(LINE); ++p, to += PANEL) {
      // Two sums have 32 columns, in turns of four.
      const __m512i order = p % 2 == 0 ? first_half : second_half;
      const __m512i sum = _mm512_permutex2var_epi64(sums[side][p / 2 * 2], order, sums[side][p / 2 * 2 + 1]);
      _mm512_storeu_ps(to, _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, sum), unit));
    }
  }
}

#endif

}  // namespace

void sum_rounded_rows(const RoundedRowPairs& pairs, std::span<const WeightedRow> rows,
                      [[maybe_unused]] Instructions instructions, const std::array<float*, 2>& sums) {
  Index width = PANEL;
  void (*sum)(const ColumnSums&) = sum_scalar;
#ifdef HEADLONG_X86_64
  if (instructions == Instructions::Avx2) width = AVX2_COLUMNS, sum = sum_avx2;
  if (instructions == Instructions::Avx512) width = LINE, sum = sum_avx512;
#endif
  for (Index column = 0; column < pairs.columns; column += width) sum({pairs, rows, column, sums});
}

}  // namespace headlong
