#include "dense/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/platform.hpp"
#include "dense/products.hpp"

// The body of a kernel is inlined into a version for AVX2 and a version for any processor.
#if defined(__GNUC__) || defined(__clang__)
#define HEADLONG_BODY __attribute__((always_inline)) inline
#else
#define HEADLONG_BODY __forceinline
#endif

namespace headlong {

namespace {

// `Lanes` floats that are computed together. gcc and clang turn operations on them into vector instructions; elsewhere
// they are loops.
#if defined(__GNUC__) || defined(__clang__)

template <int Lanes>
struct VectorOf {
  typedef float Floats __attribute__((vector_size(4 * Lanes)));
  typedef std::int32_t Integers __attribute__((vector_size(4 * Lanes)));
  typedef float Unaligned __attribute__((vector_size(4 * Lanes), aligned(4)));
};
template <int Lanes>
using Vector = typename VectorOf<Lanes>::Floats;

template <int Lanes>
HEADLONG_BODY void read(const float* from, Vector<Lanes>& value) {
  value = *reinterpret_cast<const typename VectorOf<Lanes>::Unaligned*>(from);
}
template <int Lanes>
HEADLONG_BODY void write(const Vector<Lanes>& value, float* to) {
  *reinterpret_cast<typename VectorOf<Lanes>::Unaligned*>(to) = value;
}
template <int Lanes>
HEADLONG_BODY void clamp(Vector<Lanes>& value, float low, float high) {
  const Vector<Lanes> lows = Vector<Lanes>{} + low, highs = Vector<Lanes>{} + high;
  value = value < lows ? lows : value;
  value = value > highs ? highs : value;
}
// Multiplies by 2^n, where the low bits of `shifted` hold n.
template <int Lanes>
HEADLONG_BODY void scale_by_power(Vector<Lanes>& value, const Vector<Lanes>& shifted) {
  using Integers = typename VectorOf<Lanes>::Integers;
  value *= reinterpret_cast<Vector<Lanes>>((reinterpret_cast<Integers>(shifted) << 23) + 0x3F800000);
}

#else

template <int Lanes>
struct Vector {
  float lane[Lanes];
#define HEADLONG_OPERATOR(OP)                                           \
  friend HEADLONG_BODY Vector operator OP(Vector a, const Vector& b) {  \
    for (int i = 0; i < Lanes; ++i) a.lane[i] = a.lane[i] OP b.lane[i]; \
    return a;                                                           \
  }                                                                     \
  friend HEADLONG_BODY Vector operator OP(Vector a, float b) {          \
    for (int i = 0; i < Lanes; ++i) a.lane[i] = a.lane[i] OP b;         \
    return a;                                                           \
  }                                                                     \
  friend HEADLONG_BODY Vector operator OP(float a, Vector b) {          \
    for (int i = 0; i < Lanes; ++i) b.lane[i] = a OP b.lane[i];         \
    return b;                                                           \
  }
  HEADLONG_OPERATOR(+)
  HEADLONG_OPERATOR(-)
  HEADLONG_OPERATOR(*)
  HEADLONG_OPERATOR(/)
#undef HEADLONG_OPERATOR
};

template <int Lanes>
HEADLONG_BODY void read(const float* from, Vector<Lanes>& value) {
  std::copy_n(from, Lanes, value.lane);
}
template <int Lanes>
HEADLONG_BODY void write(const Vector<Lanes>& value, float* to) {
  std::copy_n(value.lane, Lanes, to);
}
template <int Lanes>
HEADLONG_BODY void clamp(Vector<Lanes>& value, float low, float high) {
  for (float& lane : value.lane) lane = lane < low ? low : lane > high ? high : lane;
}
template <int Lanes>
HEADLONG_BODY void scale_by_power(Vector<Lanes>& value, const Vector<Lanes>& shifted) {
  for (int i = 0; i < Lanes; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(shifted.lane[i]) << 23;
    value.lane[i] *= std::bit_cast<float>(bits + 0x3F800000u);
  }
}

#endif

// exp(x) for x in [-87, 88], clamped outside: 2^n times a polynomial on [-ln 2 / 2, ln 2 / 2]. Relative error 1e-7.
template <int Lanes>
HEADLONG_BODY void exponential(Vector<Lanes>& x) {
  clamp<Lanes>(x, -87.0F, 88.0F);
  constexpr float ROUND = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const Vector<Lanes> shifted = x * 1.44269504F + ROUND, n = shifted - ROUND;
  const Vector<Lanes> r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Vector<Lanes> sum = r * 1.9875691500e-4F + 1.3981999507e-3F;
  sum = sum * r + 8.3334519073e-3F;
  sum = sum * r + 4.1665795894e-2F;
  sum = sum * r + 1.6666665459e-1F;
  sum = sum * r + 5.0000001201e-1F;
  x = sum * r * r + r + 1.0F;
  scale_by_power<Lanes>(x, shifted);
}

template <int Lanes>
HEADLONG_BODY void sigmoid_body(float* values, Index count) {
  for (Index i = 0; i < count; i += Lanes) {
    Vector<Lanes> value;
    read<Lanes>(values + i, value);
    value = 0.0F - value;
    exponential<Lanes>(value);
    write<Lanes>(1.0F / (1.0F + value), values + i);
  }
}

// Sums have PANEL partial sums, added up in a fixed order.
HEADLONG_BODY float reduce(float* lanes) {
  for (Index width = PANEL / 2; width > 0; width /= 2)
    for (Index i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

template <int Lanes>
HEADLONG_BODY float exponentials_body(float* values, Index count, float top) {
  float lanes[PANEL] = {};
  for (Index begin = 0; begin < count; begin += PANEL)
    for (Index i = 0; i < PANEL; i += Lanes) {
      Vector<Lanes> value, sum;
      read<Lanes>(values + begin + i, value);
      value = value - top;
      exponential<Lanes>(value);
      write<Lanes>(value, values + begin + i);
      read<Lanes>(lanes + i, sum);
      write<Lanes>(sum + value, lanes + i);
    }
  return reduce(lanes);
}

HEADLONG_BODY float normalize_body(const float* row, Index count, float* normal) {
  float sums[PANEL] = {}, squares[PANEL] = {};
  for (Index begin = 0; begin < count; begin += PANEL)
    for (Index i = 0; i < PANEL; ++i) sums[i] += row[begin + i];
  const float mean = reduce(sums) / static_cast<float>(count);
  for (Index begin = 0; begin < count; begin += PANEL)
    for (Index i = 0; i < PANEL; ++i) {
      const float difference = row[begin + i] - mean;
      squares[i] += difference * difference;
    }
  const float scale = 1.0F / std::sqrt(reduce(squares) / static_cast<float>(count) + 1e-5F);
  for (Index i = 0; i < count; ++i) normal[i] = (row[i] - mean) * scale;
  return scale;
}

template <int Lanes, int Vectors>
HEADLONG_BODY void sum_columns(const float* matrix, Index stride, std::span<const WeightedRow> rows, float* sum) {
  Vector<Lanes> total[Vectors] = {};
  for (const auto& [row, weight] : rows) {
    const float* from = matrix + static_cast<std::size_t>(row) * stride;
    for (int v = 0; v < Vectors; ++v) {
      Vector<Lanes> value;
      read<Lanes>(from + v * Lanes, value);
      total[v] = total[v] + value * weight;
    }
  }
  for (int v = 0; v < Vectors; ++v) write<Lanes>(total[v], sum + v * Lanes);
}

// Sums four panels at a time, in registers.
template <int Lanes>
HEADLONG_BODY void sum_rows_body(const float* matrix, Index stride, std::span<const WeightedRow> rows, float* sum) {
  Index column = 0;
  for (; column + 4 * PANEL <= stride; column += 4 * PANEL)
    sum_columns<Lanes, 4 * PANEL / Lanes>(matrix + column, stride, rows, sum + column);
  for (; column < stride; column += PANEL)
    sum_columns<Lanes, PANEL / Lanes>(matrix + column, stride, rows, sum + column);
}

HEADLONG_BODY float triple_product_body(const float* a, const float* b, const float* c, Index count) {
  float sums[PANEL] = {};
  for (Index begin = 0; begin < count; begin += PANEL)
    for (Index i = 0; i < PANEL; ++i) sums[i] += a[begin + i] * b[begin + i] * c[begin + i];
  return reduce(sums);
}

// Defines the versions of all kernels for one instruction set.
#define HEADLONG_VERSION(NAME, LANES, ATTRIBUTE, MULTIPLY)                                                             \
  struct NAME {                                                                                                        \
    ATTRIBUTE static void sigmoid(float* values, Index count) { sigmoid_body<LANES>(values, count); }                  \
    ATTRIBUTE static float exponentials(float* values, Index count, float top) {                                       \
      return exponentials_body<LANES>(values, count, top);                                                             \
    }                                                                                                                  \
    ATTRIBUTE static float normalize(const float* row, Index count, float* normal) {                                   \
      return normalize_body(row, count, normal);                                                                       \
    }                                                                                                                  \
    ATTRIBUTE static void sum_rows(const float* matrix, Index stride, std::span<const WeightedRow> rows, float* sum) { \
      sum_rows_body<LANES>(matrix, stride, rows, sum);                                                                 \
    }                                                                                                                  \
    ATTRIBUTE static float triple_product(const float* a, const float* b, const float* c, Index count) {               \
      return triple_product_body(a, b, c, count);                                                                      \
    }                                                                                                                  \
    static constexpr Kernels ALL{MULTIPLY, sigmoid, exponentials, normalize, sum_rows, triple_product};                \
  };

HEADLONG_VERSION(Plain, 4, , multiply_plain)
#ifdef HEADLONG_X86_64
HEADLONG_VERSION(Avx2, 8, HEADLONG_AVX2, multiply_avx2)
constexpr Kernels AVX512{multiply_avx512, Avx2::sigmoid,  Avx2::exponentials,
                         Avx2::normalize, Avx2::sum_rows, Avx2::triple_product};
#endif
#undef HEADLONG_VERSION

}  // namespace

const Kernels& kernels([[maybe_unused]] Instructions instructions) {
#ifdef HEADLONG_X86_64
  if (instructions == Instructions::Avx512) return AVX512;
  if (instructions == Instructions::Avx2) return Avx2::ALL;
#endif
  return Plain::ALL;
}

Panels pack(const float* matrix, Index rows, Index columns, std::size_t stride, std::vector<float>& out) {
  out.resize(static_cast<std::size_t>(rows) * columns);
  float* to = out.data();
  for (Index panel = 0; panel < columns; panel += PANEL)
    for (Index row = 0; row < rows; ++row, to += PANEL) std::copy_n(matrix + row * stride + panel, PANEL, to);
  return {out.data(), static_cast<std::size_t>(rows) * PANEL, PANEL};
}

void transpose(const float* matrix, Index rows, Index columns, std::size_t stride, std::vector<float>& out) {
  const std::size_t height = padded(rows);
  out.resize(height * columns);
  for (Index column = 0; column < columns; ++column)
    std::fill_n(out.data() + column * height + rows, height - rows, 0.0F);
  // Tiles of one cache line each way.
  for (Index top = 0; top < rows; top += PANEL)
    for (Index left = 0; left < columns; left += PANEL)
      for (Index row = top; row < std::min(rows, top + PANEL); ++row)
        for (Index column = left; column < std::min(columns, left + PANEL); ++column)
          out[column * height + row] = matrix[row * stride + column];
}

double logarithm(double value) {
  int exponent;
  double mantissa = std::frexp(value, &exponent);  // in [0.5, 1)
  if (mantissa < 0.70710678118654752) mantissa *= 2.0, --exponent;
  // log m = 2 artanh((m - 1) / (m + 1)), a power series with |x| below 0.172
  const double x = (mantissa - 1.0) / (mantissa + 1.0), square = x * x;
  double sum = 0.0;
  for (int power = 15; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return exponent * 0.69314718055994531 + 2.0 * x * sum;
}

}  // namespace headlong
