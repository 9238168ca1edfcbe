#include "bindings/python_factor.hpp"

#include <algorithm>
#include <utility>

#include "bindings/common.hpp"

namespace headlong {

namespace {

// Unpacks (array, number): writes the array, which must be as long as `out`, and returns the number.
template <class T>
Score unpack(const nb::object& answer, std::span<T> out) {
  const auto array = nb::cast<In<T, 1>>(answer[0]);
  require(array.size() == out.size(), "a Python factor returned an array of the wrong length");
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
