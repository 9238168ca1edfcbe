// Training for Python: the two halves of a step on mini-batches.
#include "model/trainer.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/options.hpp"
#include "bindings/parser.hpp"
#include "bindings/unlocked.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

// A trainer with the arrays that it reads and changes.
struct ParserTrainer {
  using Matrix = InOut<float, 2>;

  Batch batch;
  In<Index, 1> gold_heads, gold_labels;
  Matrix parts, part_totals;
  std::optional<Matrix> labels, label_totals;
  std::array<std::optional<Matrix>, 2 * FACTORS> tensor;  // weights, then totals
  Trainer trainer;

  ParserTrainer(const PyParserModel& model, const Batch& batch_, In<Index, 1> gold_heads_, In<Index, 1> gold_labels_,
                Matrix parts_, Matrix part_totals_, std::optional<Matrix> labels_, std::optional<Matrix> label_totals_)
      : batch(batch_),
        gold_heads(std::move(gold_heads_)),
        gold_labels(std::move(gold_labels_)),
        parts(std::move(parts_)),
        part_totals(std::move(part_totals_)),
        labels(std::move(labels_)),
        label_totals(std::move(label_totals_)) {
    model.check(batch);
    require(std::holds_alternative<PrunedModel<float>>(model.pruned), "only a model with float weights can be trained");
    trainer.model = &std::get<PrunedModel<float>>(model.pruned);
    trainer.corpus = batch.corpus();
    trainer.corpus.gold_heads = view(gold_heads);
    trainer.corpus.gold_labels = view(gold_labels);
    check_tables(trainer.model->model);
    check_gold(trainer.corpus, trainer.model->model);
    trainer.parts = {view(parts), view(part_totals)};
    if (labels) trainer.labels = {view(*labels), view(*label_totals)};
  }

  void set_tensor_tables(const std::vector<Matrix>& weights, const std::vector<Matrix>& totals) {
    const Tensor* model = trainer.model->model.tensor;
    require(model && weights.size() == FACTORS && totals.size() == FACTORS,
            "the model must have a tensor, and there must be weights and totals of its three factors");
    for (std::size_t factor = 0; factor < FACTORS; ++factor) {
      require(model->weights[factor] == weights[factor].data() && weights[factor].size() == totals[factor].size(),
              "the weights to train are not those of the tensor");
      tensor[factor] = weights[factor], tensor[FACTORS + factor] = totals[factor];
      trainer.tensor[factor] = {view(*tensor[factor]), view(*tensor[FACTORS + factor])};
    }
  }

  void prune(bool projective, std::size_t threads) {
    const Unlocked unlocked;
    if (trainer.model->pruner) trainer.choose_all_candidates(projective, threads);
  }

  void check_tables(const ParserModel<float>& model) const {
    require(model.parts.weights == parts.data() && parts.size() == part_totals.size(),
            "the part weights to train are not those of the model");
    require(labels.has_value() == (model.label != nullptr) && labels.has_value() == label_totals.has_value(),
            "label templates, weights and totals must be given together");
    require(!labels || (model.labels.weights == labels->data() && labels->size() == label_totals->size()),
            "the label weights to train are not those of the model");
  }

  static void check_gold(const Corpus& corpus, const ParserModel<float>& model) {
    require(corpus.gold_heads.size() == corpus.traits.size() && corpus.gold_labels.size() == corpus.traits.size(),
            "gold heads and labels must have one entry per word");
    for (std::size_t s = 0; s < corpus.size(); ++s) {
      const Words words = corpus.sentence(s);
      for (Index m = 1; m < words.size(); ++m) {
        require(words.gold_heads[m] >= 0 && words.gold_heads[m] < words.size() && words.gold_heads[m] != m,
                "a gold head is out of range");
        require(!model.label || (words.gold_labels[m] >= 0 && words.gold_labels[m] < model.labels.columns),
                "a gold label is out of range");
      }
    }
  }

  nb::tuple compute_updates(const In<Index, 1>& sentences, bool expected, float cost, const std::string& method,
                            bool projective, std::size_t threads, Index max_iterations) {
    const Compare compare = expected                 ? Compare::Expected
                            : method == "automata"   ? Compare::Free
                            : method == "samplerank" ? Compare::Samples
                                                     : Compare::Best;
    DecodeOptions options;
    if (compare == Compare::Best) options.method = value_named<Method>("method", method);
    options.projective = projective;
    options.max_iterations = max_iterations;
    options.check();
    require(!trainer.model->pruner || !trainer.candidates.empty() || trainer.corpus.size() == 0,
            "call prune before compute_updates");
    for (Index s : view(sentences))
      require(s >= 0 && static_cast<std::size_t>(s) < trainer.corpus.size(), "a sentence number is out of range");
    {
      const Unlocked unlocked;
      trainer.compute_updates(view(sentences), compare, cost, options, threads);
    }
    auto losses = new_array<Out<double, 1>>({sentences.size()}), norms = new_array<Out<double, 1>>({sentences.size()});
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      losses.data()[i] = trainer.updates[i].loss;
      norms.data()[i] = trainer.updates[i].squared_norm;
    }
    return nb::make_tuple(losses, norms);
  }

  // Returns the places and values of one of the two sparse differences of an update.
  nb::tuple difference(std::size_t update, bool of_labels) const {
    require(update < trainer.updates.size(), "no such update");
    const Difference& found = trainer.updates[update].difference;
    std::vector<Code> places;
    std::vector<float> values;
    for (const auto& [place, value] : (of_labels ? found.labels : found.parts).entries()) {
      places.push_back(place);
      values.push_back(value);
    }
    return nb::make_tuple(copied<Out<Code, 1>>(places, {places.size()}),
                          copied<Out<float, 1>>(values, {values.size()}));
  }

  // Returns the tree, with its labels, that an update compares with gold.
  nb::tuple tree(std::size_t update) const {
    require(update < trainer.updates.size(), "no such update");
    const Update& found = trainer.updates[update];
    return nb::make_tuple(copied<Out<Index, 1>>(found.heads, {found.heads.size()}),
                          copied<Out<Index, 1>>(found.labels, {found.labels.size()}));
  }

  void apply(std::size_t update, float step, float time) {
    require(update < trainer.updates.size(), "no such update");
    trainer.apply(update, step, time);
  }
};

}  // namespace

void bind_trainer(nb::module_& m) {
  nb::class_<ParserTrainer>(m, "ParserTrainer", "Compares the trees of mini-batches with gold and updates the weights.")
      .def(
          nb::init<const PyParserModel&, const Batch&, In<Index, 1>, In<Index, 1>, ParserTrainer::Matrix,
                   ParserTrainer::Matrix, std::optional<ParserTrainer::Matrix>, std::optional<ParserTrainer::Matrix>>(),
          "model"_a, "batch"_a, "gold_heads"_a, "gold_labels"_a, "part_weights"_a.noconvert(),
          "part_totals"_a.noconvert(), "label_weights"_a.none().noconvert(), "label_totals"_a.none().noconvert(),
          nb::keep_alive<1, 2>())
      .def(
          "set_tensor_tables", &ParserTrainer::set_tensor_tables, "weights"_a, "totals"_a,
          nb::sig("def set_tensor_tables(self, weights: collections.abc.Sequence[numpy.typing.NDArray[numpy.float32]], "
                  "totals: collections.abc.Sequence[numpy.typing.NDArray[numpy.float32]]) -> None"),
          "Learn the weights of the model's tensor, too: head, modifier, arc.")
      .def_prop_rw(
          "clock", [](const ParserTrainer& self) { return self.trainer.clock; },
          [](ParserTrainer& self, std::uint64_t clock) { self.trainer.clock = clock; },
          "The number of sentences so far. The factors of a tensor take turns.")
      .def("prune", &ParserTrainer::prune, "projective"_a, "threads"_a,
           "Choose the candidates of all sentences, if the model has a pruner. With projective, a projective tree is\n"
           "among them.")
      .def("compute_updates", &ParserTrainer::compute_updates, "sentences"_a, "expected"_a, "cost"_a, "method"_a,
           "projective"_a, "threads"_a, "max_iterations"_a = 1000,
           nb::sig("def compute_updates(self, sentences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: "
                   "float, method: str, projective: bool, threads: int, max_iterations: int = 1000) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "Compute the updates of a mini-batch for `apply`.\n\n"
           "Args:\n"
           "    method: a method of DecodeOptions; automata, where every head chooses independently (Koo 2010,\n"
           "        section 6); or samplerank, which compares many trees (Zhang 2014a).\n\n"
           "Returns:\n"
           "    Losses and squared norms [sentences] of the differences of features.")
      .def("difference", &ParserTrainer::difference, "update"_a, "of_labels"_a,
           nb::sig("def difference(self, update: int, of_labels: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                   "numpy.typing.NDArray[numpy.float32]]"),
           "Return the difference of features to gold of a sentence of the last mini-batch: places in the table, and\n"
           "values.")
      .def("tree", &ParserTrainer::tree, "update"_a,
           nb::sig("def tree(self, update: int) -> tuple[numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.int32]]"),
           "Return the heads and labels that a sentence of the last mini-batch was compared with.")
      .def("apply", &ParserTrainer::apply, "update"_a, "step"_a, "time"_a,
           "Add step times the difference of an update to the weights.\n\n"
           "Args:\n"
           "    time: number of sentences before, for averaging.");
}

}  // namespace headlong
