#include "bindings/global_scorer.hpp"

#include "bindings/parts.hpp"
#include "bindings/unlocked.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

// Shows the owner to the garbage collector: a feature function may refer, through its module, to the scorer.
int traverse_scorer(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PyGlobalScorer>(self)->owner.ptr());
  return 0;
}

PyType_Slot SCORER_SLOTS[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_scorer)}, {0, nullptr}};

}  // namespace

void bind_global_scorer(nb::module_& m) {
  nb::class_<PyGlobalScorer>(m, "GlobalScorer", nb::type_slots(SCORER_SLOTS), "Scores the globals of one sentence.")
      .def(
          "value",
          [](PyGlobalScorer& self, const In<Index, 1>& heads) {
            require(heads.size() == self.context.traits.size(), "expected one head per word");
            require_tree(view(heads));
            const Unlocked unlocked;
            std::unique_lock<std::mutex> turn;
            GlobalScorer* scorer = lock_scorer(&self, turn);
            scorer->start(view(heads));
            return scorer->value();
          },
          "heads"_a, "Return the value of a tree.")
      .def(
          "values",
          [](PyGlobalScorer& self, const In<Index, 1>& heads, const In<Index, 2>& moves) {
            require(heads.size() == self.context.traits.size(), "expected one head per word");
            require(moves.shape(1) == 2, "a move is a word and its new head");
            std::vector<Index> tree(view(heads).begin(), view(heads).end());
            require_tree(tree);
            for (std::size_t i = 0; i < moves.shape(0); ++i) {
              require(moves(i, 0) > 0 && moves(i, 0) < self.context.size(), "a move is out of range");
              tree[moves(i, 0)] = moves(i, 1);
              require_tree(tree);
            }
            std::vector<double> values;
            {
              const Unlocked unlocked;
              std::unique_lock<std::mutex> turn;
              GlobalScorer* scorer = lock_scorer(&self, turn);
              scorer->start(view(heads));
              for (std::size_t i = 0; i < moves.shape(0); ++i) {
                scorer->move(moves(i, 0), moves(i, 1));
                values.push_back(scorer->value());
              }
            }
            return copied(values);
          },
          "heads"_a, "moves"_a, nb::rv_policy::move,
          "Return the values [n] of the trees after each of the moves [n, 2], made one after another.\n\n"
          "A move is a word and its new head.")
      .def(
          "parts",
          [](PyGlobalScorer& self, const In<Index, 1>& heads) {
            require(heads.size() == self.context.traits.size(), "expected one head per word");
            require_tree(view(heads));
            std::vector<GlobalRow> rows;
            std::vector<float> scores;
            {
              const Unlocked unlocked;
              const std::unique_lock turn(self.turn);
              std::visit([&](auto& scorer) { scorer.list(view(heads), rows, scores); }, self.scorer);
            }
            std::vector<Index> kinds, slots;
            std::vector<Code> relations;
            for (const GlobalRow& row : rows) {
              kinds.push_back(static_cast<Index>(row.kind));
              slots.insert(slots.end(), row.slots.begin(), row.slots.end());
              relations.insert(relations.end(), row.relations.begin(), row.relations.end());
            }
            return nb::make_tuple(copied(kinds), copied<Out<Index, 2>>(slots, {rows.size(), MAX_GLOBAL_SLOTS}),
                                  copied<Out<Code, 2>>(relations, {rows.size(), MAX_GLOBAL_RELATIONS}), copied(scores));
          },
          "heads"_a,
          nb::sig("def parts(self, heads: numpy.typing.NDArray[numpy.int32]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]"),
          "Return the parts of a tree: kinds [n] as in ParserModel.set_global, slots [n, 4], relations [n, 7] and\n"
          "scores [n].");
}

}  // namespace headlong
