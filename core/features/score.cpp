#include "features/score.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/platform.hpp"
#include "base/stop.hpp"

namespace headlong {

namespace {

constexpr Index LANES = 8;
constexpr std::size_t CACHE_LINE = 64;
constexpr std::size_t MAX_STRIDE = 1024;  // the most columns (labels or tags) of one table, with padding

// Sums the codes of one part for eight templates at a time.
inline void sum_codes(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                      Index block, Code* sums) {
  std::copy_n(codes.row(0, slots[0]) + block, LANES, sums);
  for (Index s = 1; s < templates.slots; ++s) {
    const Code* row = codes.row(s, slots[s]) + block;
    for (Index lane = 0; lane < LANES; ++lane) sums[lane] += row[lane];
  }
  for (std::uint32_t rest = templates.used[block / LANES]; rest != 0; rest &= rest - 1) {
    const int r = std::countr_zero(rest);
    const Code* multipliers = templates.multipliers.data() + static_cast<std::size_t>(r) * templates.stride + block;
    for (Index lane = 0; lane < LANES; ++lane) sums[lane] += relations[r] * multipliers[lane];
  }
}

template <class Sum>
float reduce(const std::array<Sum, LANES>& lanes) {
  const Sum low = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
  const Sum high = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7]);
  return static_cast<float>(low + high);
}

template <class Weight>
using Sum = std::conditional_t<std::is_floating_point_v<Weight>, float, std::int32_t>;

template <class Weight>
float score_part(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                 const Table<Weight>& table) {
  std::array<Sum<Weight>, LANES> lanes{};
  Code sums[LANES];
  for (Index block = 0; block < templates.count; block += LANES) {
    sum_codes(codes, templates, slots, relations, block, sums);
    const Index width = std::min(LANES, templates.count - block);
    for (Index lane = 0; lane < width; ++lane) lanes[lane] += table.weights[sums[lane] >> table.shift()];
  }
  return table.scale * reduce(lanes);
}

template <class Weight>
void sum_rows(std::span<const Code> rows, const Table<Weight>& table, Sum<Weight>* sums) {
  std::fill_n(sums, table.stride, Sum<Weight>{0});
  for (Code row : rows) {
    const Weight* from = table.weights + static_cast<std::size_t>(row) * table.stride;
    for (Index column = 0; column < table.stride; ++column) sums[column] += from[column];
  }
}

#ifdef HEADLONG_X86_64

HEADLONG_AVX2_INLINE __m256i load(const Code* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

HEADLONG_AVX2_INLINE __m256i sum_codes_avx2(const SlotCodes& codes, const Templates& templates, const Index* slots,
                                            const Code* relations, Index block) {
  __m256i sum = load(codes.row(0, slots[0]) + block);
  for (Index s = 1; s < templates.slots; ++s) sum = _mm256_add_epi32(sum, load(codes.row(s, slots[s]) + block));
  for (std::uint32_t rest = templates.used[block / LANES]; rest != 0; rest &= rest - 1) {
    const int r = std::countr_zero(rest);
    const Code* multipliers = templates.multipliers.data() + static_cast<std::size_t>(r) * templates.stride + block;
    const __m256i value = _mm256_set1_epi32(static_cast<int>(relations[r]));
    sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(value, load(multipliers)));
  }
  return sum;
}

HEADLONG_AVX2_INLINE __m256i lane_mask(Index width) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(width), lanes);
}

// Writes the table rows of a part's features and prefetches their weights. Most weights are not in the cache; they
// arrive by the time `gather` sums them. docs/decisions/0003 has measurements on a table of 8 MB.
template <class Weight>
HEADLONG_AVX2 void place_avx2(const SlotCodes& codes, const Templates& templates, const Index* slots,
                              const Code* relations, const Table<Weight>& table, Code* places) {
  const __m128i shift = _mm_cvtsi32_si128(table.shift());
  for (Index block = 0; block < templates.stride; block += LANES) {
    const __m256i found = _mm256_srl_epi32(sum_codes_avx2(codes, templates, slots, relations, block), shift);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(places + block), found);
    for (Index lane = 0; lane < LANES; ++lane) prefetch(table.weights + places[block + lane]);
  }
}

HEADLONG_AVX2 float gather_avx2(const Code* places, Index count, const Table<float>& table) {
  __m256 total = _mm256_setzero_ps();
  for (Index block = 0; block < count; block += LANES) {
    const __m256 mask = _mm256_castsi256_ps(lane_mask(count - block));
    total = _mm256_add_ps(total,
                          _mm256_mask_i32gather_ps(_mm256_setzero_ps(), table.weights, load(places + block), mask, 4));
  }
  std::array<float, LANES> lanes;
  _mm256_storeu_ps(lanes.data(), total);
  return table.scale * reduce(lanes);
}

HEADLONG_AVX2 float gather_avx2(const Code* places, Index count, const Table<std::int16_t>& table) {
  __m256i total = _mm256_setzero_si256();
  const int* base = reinterpret_cast<const int*>(table.weights);
  for (Index block = 0; block < count; block += LANES) {
    // Each lane reads two adjacent weights. The low half is the one we want; shifting extends its sign.
    const __m256i pairs =
        _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), base, load(places + block), lane_mask(count - block), 2);
    total = _mm256_add_epi32(total, _mm256_srai_epi32(_mm256_slli_epi32(pairs, 16), 16));
  }
  std::array<std::int32_t, LANES> lanes;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()), total);
  return table.scale * reduce(lanes);
}

template <class Weight>
void score_parts_avx2(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                      const Table<Weight>& table, std::span<float> scores) {
  // Work one part ahead: while one part is summed, the weights of the next are on their way.
  std::vector<Code> places(2 * static_cast<std::size_t>(templates.stride));
  auto place = [&](std::size_t p) {
    place_avx2(codes, templates, parts.slots.data() + p * templates.slots,
               parts.relations.data() + p * templates.relations, table, places.data() + (p % 2) * templates.stride);
  };
  if (parts.count > 0) place(0);
  WorkCounter work;
  for (std::size_t p = 0; p < parts.count; ++p) {
    work.add(4 * templates.count);
    if (p + 1 < parts.count) place(p + 1);
    scores[p] += gather_avx2(places.data() + (p % 2) * templates.stride, templates.count, table);
  }
}

template <class Weight>
struct Register {
  using type = __m256i;
};
template <>
struct Register<float> {
  using type = __m256;
};

HEADLONG_AVX2_INLINE __m256 add_weights(__m256 sum, const float* from) {
  return _mm256_add_ps(sum, _mm256_loadu_ps(from));
}

HEADLONG_AVX2_INLINE __m256i add_weights(__m256i sum, const std::int16_t* from) {
  return _mm256_add_epi32(sum, _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}

// Sums `Vectors` * 8 columns of all rows in registers. Each row is read once and each sum is written once.
template <int Vectors, class Weight>
HEADLONG_AVX2 void sum_columns_avx2(std::span<const Code> rows, const Table<Weight>& table, Index column,
                                    Sum<Weight>* sums) {
  typename Register<Weight>::type total[Vectors] = {};
  for (Code row : rows) {
    const Weight* from = table.weights + static_cast<std::size_t>(row) * table.stride + column;
    HEADLONG_UNROLL_4
    for (int v = 0; v < Vectors; ++v) total[v] = add_weights(total[v], from + LANES * v);
  }
  std::memcpy(sums + column, total, sizeof total);
}

template <class Weight>
void sum_rows_avx2(std::span<const Code> rows, const Table<Weight>& table, Sum<Weight>* sums) {
  Index column = 0;
  for (; column + 4 * LANES <= table.stride; column += 4 * LANES) sum_columns_avx2<4>(rows, table, column, sums);
  for (; column + 2 * LANES <= table.stride; column += 2 * LANES) sum_columns_avx2<2>(rows, table, column, sums);
  for (; column < table.stride; column += LANES) sum_columns_avx2<1>(rows, table, column, sums);
}

#endif

}  // namespace

Instructions best_instructions() {
  if (has_avx512()) return Instructions::Avx512;
  return has_avx2() ? Instructions::Avx2 : Instructions::Scalar;
}

void feature_indices(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                     int shift, Code* indices) {
  Code sums[LANES];
  for (Index block = 0; block < templates.count; block += LANES) {
    sum_codes(codes, templates, slots, relations, block, sums);
    const Index width = std::min(LANES, templates.count - block);
    for (Index lane = 0; lane < width; ++lane) indices[block + lane] = sums[lane] >> shift;
  }
}

template <class Weight>
void score_parts(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                 const Table<Weight>& table, [[maybe_unused]] Instructions instructions, std::span<float> scores) {
#ifdef HEADLONG_X86_64
  if (instructions >= Instructions::Avx2) return score_parts_avx2(codes, templates, parts, table, scores);
#endif
  WorkCounter work;
  for (std::size_t p = 0; p < parts.count; ++p) {
    work.add(4 * templates.count);
    scores[p] += score_part(codes, templates, parts.slots.data() + p * templates.slots,
                            parts.relations.data() + p * templates.relations, table);
  }
}

template <class Weight>
void score_rows(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                const Table<Weight>& table, [[maybe_unused]] Instructions instructions, std::span<float> rows) {
  const std::size_t count = templates.count;
  std::vector<Code> places(2 * count);
  // Work one part ahead, as in score_parts_avx2.
  auto place = [&](std::size_t p) {
    Code* found = places.data() + (p % 2) * count;
    feature_indices(codes, templates, parts.slots.data() + p * templates.slots,
                    parts.relations.data() + p * templates.relations, table.shift(), found);
    for (std::size_t t = 0; t < count; ++t) {
      const auto* row =
          reinterpret_cast<const char*>(table.weights + static_cast<std::size_t>(found[t]) * table.stride);
      for (std::size_t byte = 0; byte < table.stride * sizeof(Weight); byte += CACHE_LINE) prefetch(row + byte);
    }
  };
  std::array<Sum<Weight>, MAX_STRIDE> sums;
  if (parts.count > 0) place(0);
  WorkCounter work;
  for (std::size_t p = 0; p < parts.count; ++p) {
    work.add(count * table.stride);
    if (p + 1 < parts.count) place(p + 1);
    const auto found = std::span<const Code>(places).subspan((p % 2) * count, count);
#ifdef HEADLONG_X86_64
    if (instructions >= Instructions::Avx2)
      sum_rows_avx2(found, table, sums.data());
    else
#endif
      sum_rows(found, table, sums.data());
    float* out = rows.data() + p * table.stride;
    for (Index column = 0; column < table.stride; ++column)
      out[column] = table.scale * static_cast<float>(sums[column]);
  }
}

template void score_parts(const SlotCodes&, const Templates&, const PartColumns&, const Table<float>&, Instructions,
                          std::span<float>);
template void score_parts(const SlotCodes&, const Templates&, const PartColumns&, const Table<std::int16_t>&,
                          Instructions, std::span<float>);
template void score_rows(const SlotCodes&, const Templates&, const PartColumns&, const Table<float>&, Instructions,
                         std::span<float>);
template void score_rows(const SlotCodes&, const Templates&, const PartColumns&, const Table<std::int16_t>&,
                         Instructions, std::span<float>);

}  // namespace headlong
