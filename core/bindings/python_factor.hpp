// A factor whose services are written in Python. No other factor knows the interpreter.
#pragma once

#include <nanobind/nanobind.h>

#include "graph/graph.hpp"

namespace headlong {

// Calls Python functions that check their own results (headlong.inference.PythonFactor). Solvers run without the GIL,
// so each call acquires it. A Python exception passes through the solver as nanobind::python_error.
class PythonFactor final : public StructuredFactor {
 public:
  // maximize(scores) -> (on, own) and score(on) -> own are required. These may be None: marginals(scores) ->
  // (marginals, log-partition), lowest_own() -> number, expected_own(scores) -> number.
  PythonFactor(Index links, nanobind::object maximize, nanobind::object score, nanobind::object marginals,
               nanobind::object lowest_own, nanobind::object expected_own);

  Index links() const override { return links_; }
  std::unique_ptr<FactorWorkspace> make_workspace() const override { return std::make_unique<FactorWorkspace>(); }
  Score maximize(std::span<const Score> scores, FactorWorkspace& workspace, Configuration& best) const override;
  Score own_score(std::span<const std::uint8_t> on, FactorWorkspace& workspace) const override;
  std::optional<OwnSize> own_size() const override { return std::nullopt; }
  std::optional<Score> lowest_own() const override;
  bool has_marginals() const override { return has_marginals_; }
  Score marginals(std::span<const Score> scores, FactorWorkspace& workspace,
                  std::span<double> marginals) const override;
  double expected_own(std::span<const Score> scores, FactorWorkspace& workspace) const override;

  // Reports the functions to the garbage collector: through them, a factor can hold the graph that holds it.
  int traverse(visitproc visit, void* argument) const;

 private:
  Index links_;
  // Stored as flags, because None must not be inspected without the GIL.
  bool has_marginals_, has_lowest_own_, has_expected_own_;
  nanobind::object maximize_, score_, marginals_, lowest_own_, expected_own_;
};

}  // namespace headlong
