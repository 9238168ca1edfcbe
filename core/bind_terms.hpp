// Terms, which value whole trees, for Python.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "bind_common.hpp"
#include "parser/global_term.hpp"

namespace headlong {

// A term of one sentence with what it looks at. It changes while it is used, so threads take turns.
struct PyTerm {
  nb::object owner;  // of the model and the words
  std::unique_ptr<ArcProblem> arcs;
  std::unique_ptr<TreeTerm> term;
  std::mutex turn;
};

// The term, or null; `turn` is held until it is gone.
inline TreeTerm* term_of(PyTerm* term, std::unique_lock<std::mutex>& turn) {
  if (!term) return nullptr;
  turn = std::unique_lock(term->turn);
  return term->term.get();
}

// The parts of whole trees of a sentence as a Python object.
template <class Weight>
nb::object term_object(nb::object owner, const ArcModel<Weight>& model, const Words& words, ArcProblem arcs) {
  auto made = std::make_unique<PyTerm>();
  auto term = std::make_unique<GlobalTerm<Weight>>();
  made->owner = std::move(owner);
  made->arcs = std::make_unique<ArcProblem>(std::move(arcs));
  term->prepare(model, words, *made->arcs);
  made->term = std::move(term);
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

void bind_terms(nb::module_& m);

}  // namespace headlong
