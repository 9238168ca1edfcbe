// What all bindings share: array types, checks, and conversion of vectors to arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <variant>

#include "base/require.hpp"
#include "features/score.hpp"

namespace headlong {

namespace nb = nanobind;

template <class T, int Dimensions>
using In = nb::ndarray<const T, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using InOut = nb::ndarray<T, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>>;

// Returns the elements of an array as a span.
template <class Array>
auto view(const Array& array) {
  return std::span(array.data(), array.size());
}

inline constexpr std::array<std::string_view, 3> INSTRUCTION_SETS{"scalar", "avx2", "avx512"};

// Returns the instruction set with a name; an empty name is that of the best one of this machine.
inline Instructions choose_instructions(std::string_view name) {
  if (name.empty()) return best_instructions();
  const auto found = std::find(INSTRUCTION_SETS.begin(), INSTRUCTION_SETS.end(), name) - INSTRUCTION_SETS.begin();
  require(found <= static_cast<std::ptrdiff_t>(best_instructions()), "this machine has no such instruction set");
  return static_cast<Instructions>(found);
}

inline RootRule root_rule(bool single_root) { return single_root ? RootRule::Single : RootRule::Multi; }

// Checks that scores can be added up: each must be finite or -inf.
template <class T>
void require_scores(std::span<const T> scores) {
  for (T score : scores) require(score < T(1e30) && score == score, "a score is NaN, +inf or larger than 1e30");
}

// Creates an array owned by NumPy, with undefined values.
template <class Array>
Array new_array(std::initializer_list<std::size_t> shape) {
  using Value = typename Array::Scalar;
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::unique_ptr<Value[]> values(new Value[count]);
  nb::capsule owner(values.get(), [](void* pointer) noexcept { delete[] static_cast<Value*>(pointer); });
  return Array(values.release(), shape, owner);
}

// Creates an array owned by NumPy, with a copy of `values`.
template <class Array, class Value>
Array copied(const std::vector<Value>& values, std::initializer_list<std::size_t> shape) {
  Array array = new_array<Array>(shape);
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

// The same in one dimension.
template <class Value>
Out<Value, 1> copied(std::span<const Value> values) {
  auto array = new_array<Out<Value, 1>>({values.size()});
  std::copy(values.begin(), values.end(), array.data());
  return array;
}
template <class Value>
Out<Value, 1> copied(const std::vector<Value>& values) {
  return copied(std::span<const Value>(values));
}

// The weights of a model: floats in training, 16-bit integers when trained.
using Weights = std::variant<In<float, 2>, In<std::int16_t, 2>>;

// Checks a weight table and describes it to the core.
template <class Weight>
Table<Weight> make_table(const In<Weight, 2>& weights, Index columns, float scale) {
  // One row more than a power of two, so that a vector read at the last weight stays inside the array.
  Index bits = 0;
  while ((std::size_t{1} << (bits + 1)) < weights.shape(0)) ++bits;
  require(bits >= 1 && bits <= 31 && weights.shape(0) == (std::size_t{1} << bits) + 1,
          "a weight table must have 2^bits + 1 rows");
  const Index stride = static_cast<Index>(weights.shape(1));
  require(stride == 1 || (stride % 8 == 0 && stride <= 1024),
          "a weight table must have 1 column, or a multiple of 8 up to 1024");
  require(columns >= 1 && columns <= stride, "a weight table has fewer columns than labels");
  require((std::size_t{1} << bits) * stride <= std::size_t{1} << 32, "a weight table has more than 2^32 weights");
  return {weights.data(), bits, columns, stride, scale};
}

void bind_chain(nb::module_& m);
void bind_dense(nb::module_& m);
void bind_features(nb::module_& m);
void bind_global_scorer(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_parser(nb::module_& m);
void bind_options(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_random_trees(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_tensor(nb::module_& m);
void bind_trainer(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_vectors(nb::module_& m);

}  // namespace headlong
