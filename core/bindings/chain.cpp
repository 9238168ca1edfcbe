// Python bindings of core/chain: kernels on lattices, models over sequences, training.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <type_traits>
#include <utility>

#include "bindings/common.hpp"
#include "bindings/unlocked.hpp"
#include "chain/model.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

void check_ranges(std::span<const Index> begins, std::size_t items, std::size_t count, const char* message) {
  require(begins.size() == items + 1 && begins.front() == 0 && begins.back() == static_cast<Index>(count), message);
  for (std::size_t item = 0; item < items; ++item) require(begins[item] < begins[item + 1], message);
}

void check_labels(std::span<const Index> labels, Index count) {
  for (const Index label : labels) require(label >= 0 && label < count, "a label is out of range");
}

// A lattice together with the arrays it points into.
struct PyLattice {
  In<double, 1> nodes;
  In<Index, 1> begins, candidates;
  std::optional<In<float, 2>> pairs;
  std::optional<In<float, 3>> triples;
  std::optional<In<double, 1>> item_pairs;
  std::vector<std::size_t> tiles{0};
  Lattice lattice;

  PyLattice(Index order, Index labels, In<double, 1> nodes_, In<Index, 1> begins_, In<Index, 1> candidates_,
            std::optional<In<float, 2>> pairs_, std::optional<In<float, 3>> triples_,
            std::optional<In<double, 1>> item_pairs_)
      : nodes(std::move(nodes_)),
        begins(std::move(begins_)),
        candidates(std::move(candidates_)),
        pairs(std::move(pairs_)),
        triples(std::move(triples_)),
        item_pairs(std::move(item_pairs_)) {
    const std::size_t count = labels;
    require(order >= 0 && order <= 2, "order must be 0, 1 or 2");
    require(labels >= 1, "expected at least one label");
    require(begins.size() >= 1 && nodes.size() == candidates.size(), "nodes and candidates must have the same size");
    check_ranges(view(begins), begins.size() - 1, candidates.size(),
                 "begins must give every item at least one candidate");
    check_labels(view(candidates), labels);
    require(!pairs || (pairs->shape(0) == count + 1 && pairs->shape(1) == count), "pairs must be [labels + 1, labels]");
    require(
        !triples || (triples->shape(0) == count + 1 && triples->shape(1) == count && triples->shape(2) == count + 1),
        "triples must be [labels + 1, labels, labels + 1]");
    lattice = {order,
               labels,
               view(begins),
               view(candidates),
               view(nodes),
               pairs ? pairs->data() : nullptr,
               triples ? triples->data() : nullptr,
               {},
               {}};
    for (Index item = 0; item < lattice.size(); ++item)
      tiles.push_back(tiles.back() + static_cast<std::size_t>(lattice.width(item - 1)) * lattice.width(item));
    require(!item_pairs || item_pairs->size() == tiles.back(), "item_pairs must have one score per pair of candidates");
    if (item_pairs) lattice.item_pairs = view(*item_pairs);
    lattice.tiles = tiles;
  }
  PyLattice(const PyLattice&) = delete;
};

nb::tuple lattice_best(const PyLattice& self) {
  std::vector<Index> chosen(self.lattice.size());
  LatticeWorkspace workspace;
  const Score score = best_path(self.lattice, chosen, workspace);
  for (Index item = 0; item < self.lattice.size(); ++item) chosen[item] = self.lattice.label(item, chosen[item]);
  return nb::make_tuple(copied(chosen), score);
}

nb::tuple lattice_marginals(const PyLattice& self) {
  std::vector<double> probabilities(self.nodes.size());
  LatticeWorkspace workspace;
  const Score log_partition = path_marginals(self.lattice, probabilities, workspace);
  return nb::make_tuple(copied(probabilities), log_partition);
}

// Concatenated sequences together with the arrays that hold them.
struct PySequences {
  In<Code, 2> codes;
  In<Index, 1> offsets;
  std::optional<In<Index, 1>> begins, candidates;
  std::optional<In<float, 1>> scores;

  PySequences(In<Code, 2> codes_, In<Index, 1> offsets_) : codes(std::move(codes_)), offsets(std::move(offsets_)) {
    const auto bounds = view(offsets);
    require(!bounds.empty() && bounds.front() == 0 && bounds.back() == static_cast<Index>(codes.shape(0)),
            "offsets must begin with 0 and end with the number of items");
    for (std::size_t s = 1; s < bounds.size(); ++s) require(bounds[s] >= bounds[s - 1], "offsets must not decrease");
  }

  void set_candidates(In<Index, 1> begins_, In<Index, 1> candidates_) {
    check_ranges(view(begins_), codes.shape(0), candidates_.size(),
                 "begins must give every item at least one candidate");
    begins = std::move(begins_);
    candidates = std::move(candidates_);
    scores.reset();
  }

  void set_scores(In<float, 1> scores_) {
    require(candidates && scores_.size() == candidates->size(), "scores must have one entry per candidate");
    require_scores(view(scores_));
    scores = std::move(scores_);
  }

  Sequences sequences() const {
    Sequences made{view(codes), static_cast<Index>(codes.shape(1)), view(offsets), {}, {}, {}, {}};
    if (begins) made.begins = view(*begins), made.candidates = view(*candidates);
    if (scores) made.scores = view(*scores);
    return made;
  }
};

// A chain model together with the arrays and templates it points into.
struct PyChainModel {
  Templates item;
  std::optional<Templates> pair;
  Weights rows;
  In<float, 2> transitions;
  In<Index, 1> facet_begins, facets;
  std::variant<ChainModel<float>, ChainModel<std::int16_t>> model;

  PyChainModel(const Templates& item_, std::optional<Templates> pair_, Weights rows_, float scale, Index order,
               In<float, 2> transitions_, In<Index, 1> facet_begins_, In<Index, 1> facets_)
      : item(item_),
        pair(std::move(pair_)),
        rows(std::move(rows_)),
        transitions(std::move(transitions_)),
        facet_begins(std::move(facet_begins_)),
        facets(std::move(facets_)) {
    require(item.slots == 1 && item.relations == 0, "item templates must have one slot and no relations");
    require(!pair || (pair->slots == 1 && pair->relations == 1), "pair templates must have one slot and one relation");
    require(order >= 0 && order <= 2, "order must be 0, 1 or 2");
    require(facet_begins.size() >= 2, "expected at least one label");
    const std::size_t labels = facet_begins.size() - 1;
    check_ranges(view(facet_begins), labels, facets.size(), "facet_begins must give every label at least one facet");
    Index columns = 1;
    for (const Index column : view(facets)) {
      require(column >= 0, "facets must not be negative");
      columns = std::max(columns, column + 1);
    }
    const std::size_t lines = order == 0 ? 0 : order == 1 ? labels + 1 : (labels + 1) * (labels + 2);
    require(transitions.shape(0) == lines && transitions.shape(1) == labels,
            "transitions must have one row per previous label and, with order 2, one more per pair of labels");
    require(transitions.size() < std::size_t{1} << 32,
            "too many labels for this order: transitions would exceed 2^32 scores");
    std::visit(
        [&](const auto& array) {
          using Weight = std::remove_const_t<typename std::remove_cvref_t<decltype(array)>::Scalar>;
          ChainModel<Weight> made;
          made.item = &item;
          made.pair = pair ? &*pair : nullptr;
          made.rows = make_table(array, columns, scale);
          made.order = order;
          made.labels = static_cast<Index>(labels);
          made.facet_begins = view(facet_begins);
          made.facets = view(facets);
          if (order >= 1) made.pairs = view(transitions).first((labels + 1) * labels);
          if (order == 2) made.triples = view(transitions).subspan((labels + 1) * labels);
          made.instructions = best_instructions();
          model = made;
        },
        rows);
  }
  PyChainModel(const PyChainModel&) = delete;

  Index labels() const { return static_cast<Index>(facet_begins.size()) - 1; }

  void check(const PySequences& data) const {
    for (const Templates* family : {&item, pair ? &*pair : nullptr})
      for (std::size_t a = 0; family && a < family->atoms.size(); ++a)
        require(family->atoms[a].attribute < static_cast<Index>(data.codes.shape(1)),
                "a template looks at an attribute that the items do not have");
    if (data.candidates) return check_labels(view(*data.candidates), labels());
    const auto bounds = view(data.offsets);
    for (std::size_t s = 1; s < bounds.size(); ++s)
      require(static_cast<std::int64_t>(bounds[s] - bounds[s - 1]) * labels() < std::int64_t{1} << 31,
              "a sequence is too long for this many labels: items * labels must stay below 2^31");
  }
};

// Calls run(model, sequences), with the model's type of weights, without the GIL.
template <class Run>
void run_unlocked(const PyChainModel& self, const PySequences& data, Run run) {
  const Unlocked unlocked;
  std::visit([&](const auto& model) { run(model, data.sequences()); }, self.model);
}

Out<Index, 1> label(const PyChainModel& self, const PySequences& data, std::size_t threads) {
  self.check(data);
  auto labels = new_array<Out<Index, 1>>({data.codes.shape(0)});
  run_unlocked(self, data, [&](const auto& model, const Sequences& sequences) {
    label_sequences(model, sequences, threads, view(labels));
  });
  return labels;
}

Out<double, 1> confidence(const PyChainModel& self, const PySequences& data, const In<Index, 1>& labels,
                          std::size_t threads) {
  self.check(data);
  require(labels.size() == data.codes.shape(0), "labels must have one entry per item");
  auto out = new_array<Out<double, 1>>({labels.size()});
  run_unlocked(self, data, [&](const auto& model, const Sequences& sequences) {
    label_probabilities(model, sequences, threads, view(labels), view(out));
  });
  return out;
}

Out<double, 2> marginals(const PyChainModel& self, const PySequences& data, std::size_t threads) {
  self.check(data);
  auto out = new_array<Out<double, 2>>({data.codes.shape(0), static_cast<std::size_t>(self.labels())});
  run_unlocked(self, data, [&](const auto& model, const Sequences& sequences) {
    sequence_marginals(model, sequences, threads, view(out));
  });
  return out;
}

// A trainer together with the arrays that it reads and updates.
struct PyChainTrainer {
  using Matrix = InOut<float, 2>;

  In<Index, 1> gold;
  Matrix rows, row_totals, transitions, transition_totals;
  ChainTrainer trainer;

  PyChainTrainer(const PyChainModel& model, const PySequences& data, In<Index, 1> gold_, Matrix rows_,
                 Matrix row_totals_, Matrix transitions_, Matrix transition_totals_)
      : gold(std::move(gold_)),
        rows(std::move(rows_)),
        row_totals(std::move(row_totals_)),
        transitions(std::move(transitions_)),
        transition_totals(std::move(transition_totals_)) {
    model.check(data);
    require(std::holds_alternative<ChainModel<float>>(model.model), "only a model with float weights can be trained");
    trainer.model = &std::get<ChainModel<float>>(model.model);
    require(trainer.model->rows.weights == rows.data() && rows.size() == row_totals.size() &&
                model.transitions.data() == transitions.data() && transitions.size() == transition_totals.size(),
            "rows and transitions must be the arrays of the model, and totals must match them in size");
    trainer.sequences = data.sequences();
    trainer.sequences.gold = view(gold);
    require(gold.size() == data.codes.shape(0), "gold must have one label per item");
    check_labels(view(gold), model.labels());
    for (std::size_t item = 0; data.begins && item < gold.size(); ++item) {
      const auto range =
          view(*data.candidates).subspan((*data.begins)(item), (*data.begins)(item + 1) - (*data.begins)(item));
      require(std::find(range.begin(), range.end(), gold(item)) != range.end(),
              "a gold label is not among the candidates of its item");
    }
    trainer.rows = {view(rows), view(row_totals)};
    trainer.transitions = {view(transitions), view(transition_totals)};
  }

  nb::tuple compute_updates(const In<Index, 1>& sequences, bool expected, float cost, std::size_t threads) {
    for (const Index s : view(sequences))
      require(s >= 0 && static_cast<std::size_t>(s) < trainer.sequences.size(), "a sequence number is out of range");
    {
      const Unlocked unlocked;
      trainer.compute_updates(view(sequences), expected, cost, threads);
    }
    std::vector<double> losses, norms;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      losses.push_back(trainer.updates[i].loss);
      norms.push_back(trainer.updates[i].squared_norm);
    }
    return nb::make_tuple(copied(losses), copied(norms));
  }

  // Returns places and values of one of the two sparse differences of an update.
  nb::tuple difference(std::size_t update, bool of_transitions) const {
    require(update < trainer.updates.size(), "update is out of range: call compute_updates first");
    const ChainDifference& found = trainer.updates[update].difference;
    std::vector<Code> places;
    std::vector<float> values;
    for (const auto& [place, value] : (of_transitions ? found.transitions : found.rows).entries()) {
      places.push_back(place);
      values.push_back(value);
    }
    return nb::make_tuple(copied(places), copied(values));
  }

  void apply(std::size_t update, float step, float time) {
    require(update < trainer.updates.size(), "update is out of range: call compute_updates first");
    trainer.apply(update, step, time);
  }
};

}  // namespace

void bind_chain(nb::module_& m) {
  nb::class_<PyLattice>(m, "Lattice", "The candidate labels of the items of one sequence, with scores.")
      .def(nb::init<Index, Index, In<double, 1>, In<Index, 1>, In<Index, 1>, std::optional<In<float, 2>>,
                    std::optional<In<float, 3>>, std::optional<In<double, 1>>>(),
           "order"_a, "labels"_a, "nodes"_a, "begins"_a, "candidates"_a, "pairs"_a = nb::none(),
           "triples"_a = nb::none(), "item_pairs"_a = nb::none(),
           "Create a lattice of a given order (0, 1 or 2).\n\n"
           "The candidates of item i are candidates[begins[i] : begins[i + 1]], with scores in nodes. pairs is\n"
           "[labels + 1, labels], by previous label and label. triples is [labels + 1, labels, labels + 1], by\n"
           "previous label, label and the label before both. The label number `labels` stands before the first item.\n"
           "item_pairs adds scores to pairs of candidates: per item [previous candidates, candidates], concatenated.")
      .def("best", &lattice_best, nb::sig("def best(self) -> tuple[numpy.typing.NDArray[numpy.int32], float]"),
           "Return the best path: (labels [items], score). O(items * candidates^(order + 1)).")
      .def("marginals", &lattice_marginals,
           nb::sig("def marginals(self) -> tuple[numpy.typing.NDArray[numpy.float64], float]"),
           "Sum over all paths: return (probabilities of the candidates, log-partition).");
  nb::class_<PySequences>(m, "Sequences", "The items of many sequences, concatenated.")
      .def(nb::init<In<Code, 2>, In<Index, 1>>(), "codes"_a, "offsets"_a,
           "Take codes [items, attributes] and offsets [sequences + 1]. Every item can have every label.")
      .def("set_candidates", &PySequences::set_candidates, "begins"_a, "candidates"_a,
           "Restrict the labels of item i to candidates[begins[i] : begins[i + 1]].")
      .def("set_scores", &PySequences::set_scores, "scores"_a, "Add scores [candidates] to those of the model.");
  nb::class_<PyChainModel>(m, "ChainModel",
                           "A sequence model: templates score labels, chains of order 0 to 2 score label sequences.")
      .def(
          nb::init<const Templates&, std::optional<Templates>, Weights, float, Index, In<float, 2>, In<Index, 1>,
                   In<Index, 1>>(),
          "item"_a, "pair"_a.none(), "rows"_a, "scale"_a, "order"_a, "transitions"_a, "facet_begins"_a, "facets"_a,
          "Create a model over the given arrays, which it does not copy.\n\n"
          "rows is [2^bits + 1, stride], with one column per facet. transitions is [lines, labels]: pairs by previous\n"
          "label, then triples (order 2). The columns of label i are facets[facet_begins[i] : facet_begins[i + 1]].")
      .def("label", &label, "data"_a, "threads"_a,
           nb::sig("def label(self, data: Sequences, threads: int) -> numpy.typing.NDArray[numpy.int32]"),
           "Return the best labels [items].")
      .def("confidence", &confidence, "data"_a, "labels"_a, "threads"_a,
           nb::sig("def confidence(self, data: Sequences, labels: numpy.typing.NDArray[numpy.int32], threads: int) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "Return the marginals [items] of the given labels; 0 if a label is not a candidate.")
      .def("marginals", &marginals, "data"_a, "threads"_a,
           nb::sig("def marginals(self, data: Sequences, threads: int) -> numpy.typing.NDArray[numpy.float64]"),
           "Return the marginals of all labels [items, labels].");
  nb::class_<PyChainTrainer>(m, "ChainTrainer", "Compares mini-batches with gold and updates the weights.")
      .def(nb::init<const PyChainModel&, const PySequences&, In<Index, 1>, PyChainTrainer::Matrix,
                    PyChainTrainer::Matrix, PyChainTrainer::Matrix, PyChainTrainer::Matrix>(),
           "model"_a, "data"_a, "gold"_a, "rows"_a.noconvert(), "row_totals"_a.noconvert(), "transitions"_a.noconvert(),
           "transition_totals"_a.noconvert(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("compute_updates", &PyChainTrainer::compute_updates, "sequences"_a, "expected"_a, "cost"_a, "threads"_a,
           nb::sig(
               "def compute_updates(self, sequences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, "
               "threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "Compute one update per sequence: return losses and squared norms [sequences].")
      .def("difference", &PyChainTrainer::difference, "update"_a, "of_transitions"_a,
           nb::sig("def difference(self, update: int, of_transitions: bool) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]"),
           "Return the difference of features between gold and prediction: places in the table, and values.")
      .def("apply", &PyChainTrainer::apply, "update"_a, "step"_a, "time"_a,
           "Add `step` times an update to the weights, at time `time` of the averages.");
}

}  // namespace headlong
