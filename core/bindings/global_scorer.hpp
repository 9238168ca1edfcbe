// Global scorers, which score whole trees, for Python.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "bindings/common.hpp"
#include "model/global_scorer.hpp"

namespace headlong {

// The global scorer of one sentence with the objects that it refers to. Its state changes with use, so threads take
// turns.
struct PyGlobalScorer {
  nb::object owner;  // keeps the model and the words alive
  ArcContext context;
  std::variant<ModelGlobalScorer<float>, ModelGlobalScorer<std::int16_t>> scorer;
  std::mutex turn;
};

// Locks a scorer for the lifetime of `turn`. Returns null for null. Call it without the GIL, which feature functions
// need.
inline GlobalScorer* lock_scorer(PyGlobalScorer* scorer, std::unique_lock<std::mutex>& turn) {
  if (!scorer) return nullptr;
  turn = std::unique_lock(scorer->turn);
  return std::visit([](auto& found) -> GlobalScorer* { return &found; }, scorer->scorer);
}

// Returns the global scorer of a sentence as a Python object.
template <class Weight>
nb::object scorer_object(nb::object owner, const ParserModel<Weight>& model, const Words& words) {
  auto made = std::make_unique<PyGlobalScorer>();
  made->owner = std::move(owner);
  prepare(words.traits, made->context);
  made->scorer.template emplace<ModelGlobalScorer<Weight>>().prepare(model, words, made->context);
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

}  // namespace headlong
