#include "dense/rounded_rows.hpp"

#include <algorithm>
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

// A sum over rows of the weights in one line of each.
struct LineSum {
  const RoundedRowPairs& pairs;
  std::span<const WeightedRow> rows;
  std::size_t side;
  Index line;  // in the half
  float* sums;

  const std::int8_t* weights(Index row) const { return pairs.row(row)[side * pairs.half() + line].weights; }
  Index panels() const { return std::min(LINE, pairs.columns - line * LINE) / PANEL; }

#ifdef HEADLONG_X86_64
  // Returns the scales of two rows in one number. The second row may be missing.
  std::int32_t two_scales(std::size_t i) const {
    const std::uint32_t first = static_cast<std::uint16_t>(pairs.scales[rows[i].row][side]);
    if (i + 1 == rows.size()) return static_cast<std::int32_t>(first);
    return static_cast<std::int32_t>(first | static_cast<std::uint32_t>(pairs.scales[rows[i + 1].row][side]) << 16);
  }
  Index second(std::size_t i) const { return rows[std::min(i + 1, rows.size() - 1)].row; }
#endif
};

void sum_line_scalar(const LineSum& line) {
  std::int32_t sums[LINE] = {};
  for (const WeightedRow& row : line.rows) {
    const std::int32_t scale = line.pairs.scales[row.row][line.side];
    const std::int8_t* weights = line.weights(row.row);
    for (Index i = 0; i < LINE; ++i) sums[i] += scale * weights[i];
  }
  for (Index i = 0; i < line.panels() * PANEL; ++i)
    line.sums[i] = static_cast<float>(sums[i]) * line.pairs.units[line.side];
}

#ifdef HEADLONG_X86_64

HEADLONG_AVX2_INLINE __m256i widen(const std::int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}

HEADLONG_AVX2 void sum_line_avx2(const LineSum& line) {
  __m256i sums[LINE / 8];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < line.rows.size(); i += 2) {
    const std::int8_t *one = line.weights(line.rows[i].row), *other = line.weights(line.second(i));
    const __m256i scales = _mm256_set1_epi32(line.two_scales(i));
    HEADLONG_UNROLL_4
    for (Index p = 0; p < LINE / PANEL; ++p) {
      const __m256i first = widen(one + p * PANEL), second = widen(other + p * PANEL);
      const __m256i low = _mm256_unpacklo_epi16(first, second), high = _mm256_unpackhi_epi16(first, second);
      sums[2 * p] = _mm256_add_epi32(sums[2 * p], _mm256_madd_epi16(low, scales));
      sums[2 * p + 1] = _mm256_add_epi32(sums[2 * p + 1], _mm256_madd_epi16(high, scales));
    }
  }
  const __m256 unit = _mm256_set1_ps(line.pairs.units[line.side]);
  for (Index p = 0; p < line.panels(); ++p) {
    // Each sum has the columns 0 to 3 and 8 to 11, or 4 to 7 and 12 to 15, of its panel.
    const __m256i low = _mm256_permute2x128_si256(sums[2 * p], sums[2 * p + 1], 0x20);
    const __m256i high = _mm256_permute2x128_si256(sums[2 * p], sums[2 * p + 1], 0x31);
    _mm256_storeu_ps(line.sums + p * PANEL, _mm256_mul_ps(_mm256_cvtepi32_ps(low), unit));
    _mm256_storeu_ps(line.sums + p * PANEL + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(high), unit));
  }
}

constexpr __mmask32 ALL = 0xFFFFFFFF;  // without a mask, gcc 12 warns of undefined registers

HEADLONG_AVX512_INLINE __m512i widen_wide(const std::int8_t* from) {
  return _mm512_maskz_cvtepi8_epi16(ALL, _mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
}

HEADLONG_AVX512 void sum_line_avx512(const LineSum& line) {
  __m512i sums[LINE / 16];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < line.rows.size(); i += 2) {
    const std::int8_t *one = line.weights(line.rows[i].row), *other = line.weights(line.second(i));
    const __m512i scales = _mm512_set1_epi32(line.two_scales(i));
    HEADLONG_UNROLL_4
    for (Index p = 0; p < LINE / 32; ++p) {
      const __m512i first = widen_wide(one + p * 32), second = widen_wide(other + p * 32);
      sums[2 * p] = _mm512_dpwssd_epi32(sums[2 * p], _mm512_maskz_unpacklo_epi16(ALL, first, second), scales);
      sums[2 * p + 1] = _mm512_dpwssd_epi32(sums[2 * p + 1], _mm512_maskz_unpackhi_epi16(ALL, first, second), scales);
    }
  }
  const __m512 unit = _mm512_set1_ps(line.pairs.units[line.side]);
  const __m512i first_half = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i second_half = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  for (Index p = 0; p < line.panels(); ++p) {
    // Two sums have 32 columns in turns of four.
    const __m512i order = p % 2 == 0 ? first_half : second_half;
    const __m512i sum = _mm512_permutex2var_epi64(sums[p - p % 2], order, sums[p - p % 2 + 1]);
    _mm512_storeu_ps(line.sums + p * PANEL, _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, sum), unit));
  }
}

#endif

}  // namespace

void sum_rounded_rows(const RoundedRowPairs& pairs, std::span<const WeightedRow> rows,
                      [[maybe_unused]] Instructions instructions, const std::array<float*, 2>& sums) {
  for (std::size_t side = 0; side < 2; ++side)
    for (Index line = 0; line < pairs.half(); ++line) {
      const LineSum one{pairs, rows, side, line, sums[side] + line * LINE};
#ifdef HEADLONG_X86_64
      if (instructions == Instructions::Avx512) {
        sum_line_avx512(one);
        continue;
      }
      if (instructions == Instructions::Avx2) {
        sum_line_avx2(one);
        continue;
      }
#endif
      sum_line_scalar(one);
    }
}

}  // namespace headlong
