// What the files that know Python share: array types, checks, and how vectors become arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <variant>

#include "features/score.hpp"

namespace headlong {

namespace nb = nanobind;

template <class T, int Dimensions>
using In = nb::ndarray<const T, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using InOut = nb::ndarray<T, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>>;

// The elements of an array, as the core takes them.
template <class Array>
auto view(const Array& array) {
  return std::span(array.data(), array.size());
}

inline void require(bool holds, const char* message) {
  if (!holds) throw nb::value_error(message);
}

inline RootRule root_rule(bool single_root) { return single_root ? RootRule::Single : RootRule::Multi; }

// Scores that decoders can add up: finite, or -inf.
template <class T>
void require_scores(std::span<const T> scores) {
  for (T score : scores) require(score < T(1e30) && score == score, "a score is NaN, +inf or larger than 1e30");
}

// A new array that NumPy owns.
template <class Array>
Array new_array(std::initializer_list<std::size_t> shape) {
  using Value = typename Array::Scalar;
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::unique_ptr<Value[]> values(new Value[count]);
  nb::capsule owner(values.get(), [](void* pointer) noexcept { delete[] static_cast<Value*>(pointer); });
  return Array(values.release(), shape, owner);
}

// A new array that NumPy owns, with a copy of `values`.
template <class Array, class Value>
Array copied(const std::vector<Value>& values, std::initializer_list<std::size_t> shape) {
  Array array = new_array<Array>(shape);
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

// The same for a single row.
template <class Value>
Out<Value, 1> copied(const std::vector<Value>& values) {
  return copied<Out<Value, 1>>(values, {values.size()});
}

// Weights in training, or trained.
using Weights = std::variant<In<float, 2>, In<std::int16_t, 2>>;

template <class Weight>
Table<Weight> make_table(const In<Weight, 2>& weights, Index columns, float scale) {
  // One row more than a power of two: a vector read at the very last weight stays inside the array.
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
void bind_features(nb::module_& m);
void bind_global_scorer(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_parser(nb::module_& m);
void bind_options(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_random_trees(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_trainer(nb::module_& m);
void bind_trees(nb::module_& m);

}  // namespace headlong
