#include "features/score.hpp"

#include <algorithm>
#include <array>

#if defined(__x86_64__)
#define HEADLONG_AVX2 1
#include <immintrin.h>
#endif

namespace headlong {

namespace {

constexpr Index LANES = 8;
constexpr std::size_t MAX_STRIDE = 1024;  // labels or tags of one table, after padding

// Adds up one part's codes eight templates at a time.
inline void sum_codes(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                      Index block, Code* sums) {
  std::copy_n(codes.row(0, slots[0]) + block, LANES, sums);
  for (Index s = 1; s < templates.slots; ++s) {
    const Code* row = codes.row(s, slots[s]) + block;
    for (Index lane = 0; lane < LANES; ++lane) sums[lane] += row[lane];
  }
  for (Index r = 0; r < templates.relations; ++r) {
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
void add_row(const Weight* row, Index stride, Sum<Weight>* sums) {
  for (Index column = 0; column < stride; ++column) sums[column] += row[column];
}

#ifdef HEADLONG_AVX2

__attribute__((target("avx2"), always_inline)) inline __m256i load(const Code* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

__attribute__((target("avx2"), always_inline)) inline __m256i sum_codes_avx2(const SlotCodes& codes,
                                                                             const Templates& templates,
                                                                             const Index* slots, const Code* relations,
                                                                             Index block) {
  __m256i sum = load(codes.row(0, slots[0]) + block);
  for (Index s = 1; s < templates.slots; ++s) sum = _mm256_add_epi32(sum, load(codes.row(s, slots[s]) + block));
  for (Index r = 0; r < templates.relations; ++r) {
    const Code* multipliers = templates.multipliers.data() + static_cast<std::size_t>(r) * templates.stride + block;
    const __m256i value = _mm256_set1_epi32(static_cast<int>(relations[r]));
    sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(value, load(multipliers)));
  }
  return sum;
}

__attribute__((target("avx2"), always_inline)) inline __m256i lane_mask(Index width) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(width), lanes);
}

__attribute__((target("avx2"))) float score_part_avx2(const SlotCodes& codes, const Templates& templates,
                                                      const Index* slots, const Code* relations,
                                                      const Table<float>& table) {
  __m256 total = _mm256_setzero_ps();
  const __m128i shift = _mm_cvtsi32_si128(table.shift());
  for (Index block = 0; block < templates.count; block += LANES) {
    const __m256i places = _mm256_srl_epi32(sum_codes_avx2(codes, templates, slots, relations, block), shift);
    const __m256 mask = _mm256_castsi256_ps(lane_mask(templates.count - block));
    total = _mm256_add_ps(total, _mm256_mask_i32gather_ps(_mm256_setzero_ps(), table.weights, places, mask, 4));
  }
  std::array<float, LANES> lanes;
  _mm256_storeu_ps(lanes.data(), total);
  return table.scale * reduce(lanes);
}

__attribute__((target("avx2"))) float score_part_avx2(const SlotCodes& codes, const Templates& templates,
                                                      const Index* slots, const Code* relations,
                                                      const Table<std::int16_t>& table) {
  __m256i total = _mm256_setzero_si256();
  const __m128i shift = _mm_cvtsi32_si128(table.shift());
  const int* base = reinterpret_cast<const int*>(table.weights);
  for (Index block = 0; block < templates.count; block += LANES) {
    const __m256i places = _mm256_srl_epi32(sum_codes_avx2(codes, templates, slots, relations, block), shift);
    const __m256i mask = lane_mask(templates.count - block);
    // Each lane reads two neighbouring weights; the wanted one is the low half, widened with its sign.
    const __m256i pairs = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), base, places, mask, 2);
    total = _mm256_add_epi32(total, _mm256_srai_epi32(_mm256_slli_epi32(pairs, 16), 16));
  }
  std::array<std::int32_t, LANES> lanes;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()), total);
  return table.scale * reduce(lanes);
}

__attribute__((target("avx2"))) void add_row_avx2(const float* row, Index stride, float* sums) {
  for (Index column = 0; column < stride; column += LANES)
    _mm256_storeu_ps(sums + column, _mm256_add_ps(_mm256_loadu_ps(sums + column), _mm256_loadu_ps(row + column)));
}

__attribute__((target("avx2"))) void add_row_avx2(const std::int16_t* row, Index stride, std::int32_t* sums) {
  for (Index column = 0; column < stride; column += LANES) {
    auto* place = reinterpret_cast<__m256i*>(sums + column);
    const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + column));
    _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place), _mm256_cvtepi16_epi32(narrow)));
  }
}

#endif

}  // namespace

Instructions best_instructions() {
#ifdef HEADLONG_AVX2
  if (__builtin_cpu_supports("avx2")) return Instructions::Avx2;
#endif
  return Instructions::Scalar;
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
  for (std::size_t p = 0; p < parts.count; ++p) {
    const Index* slots = parts.slots.data() + p * templates.slots;
    const Code* relations = parts.relations.data() + p * templates.relations;
#ifdef HEADLONG_AVX2
    if (instructions == Instructions::Avx2) {
      scores[p] += score_part_avx2(codes, templates, slots, relations, table);
      continue;
    }
#endif
    scores[p] += score_part(codes, templates, slots, relations, table);
  }
}

template <class Weight>
void score_rows(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                const Table<Weight>& table, [[maybe_unused]] Instructions instructions, std::span<float> rows) {
  std::vector<Code> indices(templates.count);
  std::array<Sum<Weight>, MAX_STRIDE> sums;
  for (std::size_t p = 0; p < parts.count; ++p) {
    feature_indices(codes, templates, parts.slots.data() + p * templates.slots,
                    parts.relations.data() + p * templates.relations, table.shift(), indices.data());
    for (Code index : indices) __builtin_prefetch(table.weights + static_cast<std::size_t>(index) * table.stride);
    std::fill_n(sums.begin(), table.stride, Sum<Weight>{0});
    for (Code index : indices) {
      const Weight* row = table.weights + static_cast<std::size_t>(index) * table.stride;
#ifdef HEADLONG_AVX2
      if (instructions == Instructions::Avx2) {
        add_row_avx2(row, table.stride, sums.data());
        continue;
      }
#endif
      add_row(row, table.stride, sums.data());
    }
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
