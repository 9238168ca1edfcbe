#include "bindings/python_factor.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>

namespace nb = nanobind;

namespace headlong {

namespace {

template <class T>
using Array = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A NumPy array with a copy of the values: Python may keep what it is given, the span ends with the call.
template <class T>
nb::object copied(std::span<const T> values) {
  auto* data = new T[values.size() + 1];
  std::copy(values.begin(), values.end(), data);
  nb::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
  return nb::cast(Array<T>(data, {values.size()}, owner), nb::rv_policy::reference);
}

// The two halves of (array, number); the array is as long as `out`.
template <class T>
Score unpack(const nb::object& answer, std::span<T> out) {
  const auto array = nb::cast<Array<const T>>(answer[0]);
  if (array.size() != out.size()) throw nb::value_error("a factor in Python answered an array of another length");
  std::copy_n(array.data(), array.size(), out.begin());
  return nb::cast<Score>(answer[1]);
}

}  // namespace

PythonFactor::PythonFactor(Index links, nb::object maximize, nb::object score, nb::object marginals,
                           nb::object lowest_own, nb::object expected_own)
    : links_(links),
      has_marginals_(!marginals.is_none()),
      has_lowest_own_(!lowest_own.is_none()),
      has_expected_own_(!expected_own.is_none()),
      maximize_(std::move(maximize)),
      score_(std::move(score)),
      marginals_(std::move(marginals)),
      lowest_own_(std::move(lowest_own)),
      expected_own_(std::move(expected_own)) {}

Score PythonFactor::maximize(std::span<const Score> scores, FactorWorkspace&, Configuration& best) const {
  nb::gil_scoped_acquire gil;
  best.on.resize(scores.size());
  best.own = unpack(maximize_(copied(scores)), std::span(best.on));
  Score value = best.own;
  for (std::size_t link = 0; link < scores.size(); ++link)
    if (best.on[link]) value += scores[link];
  return value;
}

Score PythonFactor::own_score(std::span<const std::uint8_t> on, FactorWorkspace&) const {
  nb::gil_scoped_acquire gil;
  return nb::cast<Score>(score_(copied(on)));
}

std::optional<Score> PythonFactor::lowest_own() const {
  if (!has_lowest_own_) return std::nullopt;
  nb::gil_scoped_acquire gil;
  return nb::cast<Score>(lowest_own_());
}

double PythonFactor::expected_own(std::span<const Score> scores, FactorWorkspace& workspace) const {
  if (!has_expected_own_) return StructuredFactor::expected_own(scores, workspace);
  nb::gil_scoped_acquire gil;
  return nb::cast<double>(expected_own_(copied(scores)));
}

Score PythonFactor::marginals(std::span<const Score> scores, FactorWorkspace&, std::span<double> out) const {
  nb::gil_scoped_acquire gil;
  return unpack(marginals_(copied(scores)), out);
}

int PythonFactor::traverse(visitproc visit, void* arg) const {
  Py_VISIT(maximize_.ptr());
  Py_VISIT(score_.ptr());
  Py_VISIT(marginals_.ptr());
  Py_VISIT(lowest_own_.ptr());
  Py_VISIT(expected_own_.ptr());
  return 0;
}

}  // namespace headlong
