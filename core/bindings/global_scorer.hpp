// Terms, which value whole trees, for Python.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "bindings/common.hpp"
#include "model/global_scorer.hpp"

namespace headlong {

// A term of one sentence with what it looks at. It changes while it is used, so threads take turns.
struct PyGlobalScorer {
  nb::object owner;  // of the model and the words
  ArcContext context;
  std::variant<ModelGlobalScorer<float>, ModelGlobalScorer<std::int16_t>> term;
  std::mutex turn;
};

// The term, or null; `turn` is held until it is gone. Who waits for it must not hold the GIL, which functions need.
inline GlobalScorer* term_of(PyGlobalScorer* term, std::unique_lock<std::mutex>& turn) {
  if (!term) return nullptr;
  turn = std::unique_lock(term->turn);
  return std::visit([](auto& found) -> GlobalScorer* { return &found; }, term->term);
}

// The parts of whole trees of a sentence as a Python object.
template <class Weight>
nb::object term_object(nb::object owner, const ParserModel<Weight>& model, const Words& words) {
  auto made = std::make_unique<PyGlobalScorer>();
  made->owner = std::move(owner);
  prepare(words.traits, made->context);
  made->term.template emplace<ModelGlobalScorer<Weight>>().prepare(model, words, made->context);
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

}  // namespace headlong
