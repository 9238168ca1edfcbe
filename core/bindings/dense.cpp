// The context encoder for Python: a network to use, and one in training.
#include "bindings/dense.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/unlocked.hpp"
#include "dense/learning.hpp"
#include "dense/words.hpp"

namespace headlong {

using namespace nb::literals;

namespace {

void check_offsets(const In<Index, 1>& offsets) {
  require(offsets.size() >= 1 && offsets(0) == 0, "offsets must begin with 0");
  for (std::size_t s = 1; s < offsets.size(); ++s) require(offsets(s) > offsets(s - 1), "offsets must increase");
}

NetworkInput checked_input(const In<Index, 2>& rows, const In<Index, 1>& offsets, std::size_t known) {
  check_offsets(offsets);
  require(static_cast<std::size_t>(offsets(offsets.size() - 1)) == rows.shape(0), "offsets must end with the words");
  for (Index row : view(rows)) require(row >= -1 && row < static_cast<Index>(known), "a row is out of range");
  return {view(rows), view(offsets), static_cast<Index>(rows.shape(1))};
}

// The arrays of floats in the state of a trainer, by name.
template <class State>
auto float_arrays(State& state) {
  return std::array{std::pair{"first", &state.first},         std::pair{"second", &state.second},
                    std::pair{"row_first", &state.row_first}, std::pair{"row_second", &state.row_second},
                    std::pair{"average", &state.average},     std::pair{"row_average", &state.row_average}};
}

void check_gold(const In<Index, 1>& offsets, const In<Index, 1>& heads, const In<Index, 1>& labels, Index known) {
  const std::size_t words = offsets.size() > 0 ? offsets(offsets.size() - 1) : 0;
  require(heads.size() == words && labels.size() == words, "heads and labels must have one entry per word");
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (Index word = offsets(s); word < offsets(s + 1); ++word) {
      require(heads(word) >= -1 && heads(word) < offsets(s + 1) - offsets(s), "a head is out of range");
      require(labels(word) >= -1 && labels(word) < known, "a label is out of range");
    }
}

// The gold values of words [words][groups], or nothing for a network without groups.
using GoldValues = std::optional<In<Index, 2>>;

std::span<const Index> checked_values(const NetworkShape& shape, const GoldValues& values, std::size_t words) {
  require(values.has_value() == shape.scores_words(), "a network has gold values if and only if it has groups");
  if (!values) return {};
  require(values->shape(0) == words && values->shape(1) == shape.groups.size(), "values must be [words, groups]");
  for (std::size_t word = 0; word < words; ++word)
    for (std::size_t group = 0; group < shape.groups.size(); ++group)
      require((*values)(word, group) >= -1 && (*values)(word, group) < shape.groups[group], "a value is out of range");
  return view(*values);
}

struct PyTrainer {
  InOut<float, 1> weights;
  InOut<float, 2> embeddings;
  In<Index, 1> offsets, heads, labels;
  GoldValues values;
  Index size;  // of vectors
  In<float, 2> vectors;
  NetworkTrainer trainer;

  PyTrainer(const NetworkShape& shape, InOut<float, 1> weights_, InOut<float, 2> embeddings_, In<Index, 1> offsets_,
            In<Index, 1> heads_, In<Index, 1> labels_, GoldValues values_)
      : weights(std::move(weights_)),
        embeddings(std::move(embeddings_)),
        offsets(std::move(offsets_)),
        heads(std::move(heads_)),
        labels(std::move(labels_)),
        values(std::move(values_)),
        size(shape.vectors),
        trainer(shape, view(weights), view(embeddings), best_instructions()) {
    check_offsets(offsets);
    check_gold(offsets, heads, labels, shape.labels);
    checked_values(shape, values, heads.size());
  }

  NetworkGold gold() const { return {view(heads), view(labels), values ? view(*values) : std::span<const Index>{}}; }

  nb::tuple state() const {
    const NetworkTrainer::State& found = trainer.state();
    nb::dict arrays;
    for (const auto& [name, values] : float_arrays(found)) arrays[name] = copied(*values);
    arrays["averaged_until"] = copied(found.averaged_until);
    return nb::make_tuple(found.steps, arrays);
  }

  void set_vectors(In<float, 2> given) {
    require(size >= 1 && static_cast<Index>(given.shape(1)) == size && given.shape(0) <= embeddings.shape(0),
            "the vectors must have the size of the shape, and an embedding each");
    vectors = std::move(given);
    trainer.set_vectors(view(vectors));
  }

  void average(InOut<float, 1> to_weights, InOut<float, 2> to_embeddings) {
    require(to_weights.size() == weights.size() && to_embeddings.size() == embeddings.size(),
            "the arrays must have the sizes of the network");
    trainer.average(view(to_weights), view(to_embeddings));
  }

  void restore(Index steps, const nb::dict& arrays) {
    NetworkTrainer::State state;
    state.steps = steps;
    for (const auto& [name, values] : float_arrays(state)) {
      const auto given = view(nb::cast<In<float, 1>>(arrays[name]));
      values->assign(given.begin(), given.end());
    }
    const auto until = view(nb::cast<In<Index, 1>>(arrays["averaged_until"]));
    state.averaged_until.assign(until.begin(), until.end());
    const bool averaged = !state.average.empty();
    require(state.first.size() == weights.size() && state.second.size() == weights.size() &&
                state.row_first.size() == embeddings.size() && state.row_second.size() == embeddings.size() &&
                state.average.size() == (averaged ? weights.size() : 0) &&
                state.row_average.size() == (averaged ? embeddings.size() : 0) &&
                state.averaged_until.size() == (averaged ? embeddings.shape(0) : 0),
            "the state is that of another network");
    trainer.restore(std::move(state));
  }

  double step(const In<Index, 2>& rows, const In<Index, 1>& sentences, const Dropout& dropout, float label_share,
              float rate, std::uint64_t seed, std::size_t threads) {
    const NetworkInput corpus = checked_input(rows, offsets, embeddings.shape(0));
    require(heads.size() == rows.shape(0), "rows must have one entry per word");
    for (Index s : view(sentences))
      require(s >= 0 && s + 1 < static_cast<Index>(offsets.size()), "a sentence is out of range");
    const Unlocked unlocked;
    return trainer.step(corpus, gold(), view(sentences), dropout, label_share, rate, seed, threads);
  }
};

// Where the linear maps and the normalizations of a network stand in its weights.
nb::list linears(const NetworkShape& shape) {
  nb::list found;
  const NetworkLayout layout(shape);
  for (const Linear* one : layout.linears()) found.append(nb::make_tuple(one->begin, one->in, one->out));
  return found;
}

nb::list norms(const NetworkShape& shape) {
  nb::list found;
  const NetworkLayout layout(shape);
  for (const Norm* one : {&layout.input, &layout.convolved}) found.append(nb::make_tuple(one->begin, one->size));
  for (const Norm& one : layout.outputs) found.append(nb::make_tuple(one.begin, one.size));
  return found;
}

void make_encoder(PyEncoder* self, const NetworkShape& shape, In<float, 1> weights, In<float, 2> embeddings,
                  const In<Code, 1>& codes, const In<Index, 1>& rows, const In<Index, 2>& columns, float arc_weight,
                  float label_weight) {
  require(codes.size() == rows.size(), "codes and rows must have the same size");
  require(columns.shape(1) == 2 && columns.shape(0) >= 1, "columns must be [attributes, 2]");
  const Index known = static_cast<Index>(embeddings.shape(0));
  require(known >= 1, "embeddings must have a row for the root");
  for (Index row : view(rows)) require(row >= 0 && row < known, "a row is out of range");
  std::vector<EncoderColumn> list;
  for (std::size_t i = 0; i < columns.shape(0); ++i) {
    require(columns(i, 0) >= 0 && columns(i, 1) >= -1 && columns(i, 1) < known, "a column is out of range");
    list.push_back({columns(i, 0), columns(i, 1)});
  }
  auto made = std::make_unique<Encoder>(Encoder{Network(shape, view(weights), view(embeddings), best_instructions()),
                                                Vocabulary(view(codes), view(rows)), std::move(list), arc_weight,
                                                label_weight});
  made->network.repack(Purpose::Use);
  new (self) PyEncoder{std::move(weights), std::move(embeddings), std::move(made)};
}

nb::tuple gradient(const NetworkShape& shape, const In<float, 1>& weights, const In<float, 2>& embeddings,
                   const In<Index, 2>& rows, const In<Index, 1>& offsets, const In<Index, 1>& heads,
                   const In<Index, 1>& labels, float label_share, const Dropout& dropout, std::uint64_t seed,
                   const char* instructions, const GoldValues& values) {
  const NetworkInput input = checked_input(rows, offsets, embeddings.shape(0));
  check_gold(offsets, heads, labels, shape.labels);
  const NetworkGold gold{view(heads), view(labels), checked_values(shape, values, heads.size())};
  Network network(shape, view(weights), view(embeddings), choose_instructions(instructions));
  network.repack(Purpose::Training);
  Random random(seed);
  NetworkRecord record;
  BackwardWorkspace workspace;
  NetworkGradient found;
  found.clear(network);
  forward(network, input, dropout, random, record);
  backward(network, input, gold, dropout, 1.0F, label_share, record, workspace, found);
  return nb::make_tuple(found.loss, copied(found.weights),
                        copied<Out<float, 2>>(found.embeddings, {embeddings.shape(0), embeddings.shape(1)}));
}

// A trained network that scores the values of words, with the arrays that it refers to.
struct PyWordScorer {
  In<float, 1> weights;
  In<float, 2> embeddings;
  Network network;

  PyWordScorer(const NetworkShape& shape, In<float, 1> weights_, In<float, 2> embeddings_, const char* instructions)
      : weights(std::move(weights_)),
        embeddings(std::move(embeddings_)),
        network(shape, view(weights), view(embeddings), choose_instructions(instructions)) {
    require(shape.scores_words(), "the network must have groups");
    network.repack(Purpose::Use);
  }

  Out<float, 2> scores(const In<Index, 2>& rows, const In<Index, 1>& offsets, std::size_t threads) const {
    const NetworkInput input = checked_input(rows, offsets, embeddings.shape(0));
    auto found = new_array<Out<float, 2>>({rows.shape(0), static_cast<std::size_t>(network.shape.values())});
    const Unlocked unlocked;
    value_scores(network, input, threads, view(found));
    return found;
  }
};

void check_ranges(const In<Index, 1>& begins, std::size_t count, const char* message) {
  require(begins.size() >= 1 && begins(0) == 0 && begins(begins.size() - 1) == static_cast<Index>(count), message);
  for (std::size_t i = 1; i < begins.size(); ++i) require(begins(i - 1) <= begins(i), message);
}

void check_below(std::span<const Index> values, std::size_t limit, const char* message) {
  for (Index value : values) require(value >= 0 && value < static_cast<Index>(limit), message);
}

Out<float, 1> py_candidate_scores(const In<float, 2>& scores, const In<Index, 1>& label_begins,
                                  const In<Index, 1>& label_values, const In<Index, 1>& begins,
                                  const In<Index, 1>& candidates, float weight) {
  check_ranges(label_begins, label_values.size(), "label_begins must ascend from 0 to the number of values of labels");
  check_ranges(begins, candidates.size(), "begins must ascend from 0 to the number of candidates");
  require(begins.size() == scores.shape(0) + 1, "begins must have one entry per word and one more");
  check_below(view(label_values), scores.shape(1), "a value of a label is out of range");
  check_below(view(candidates), label_begins.size() - 1, "a candidate is out of range");
  auto found = new_array<Out<float, 1>>({candidates.size()});
  candidate_scores(view(scores), scores.shape(1), {view(label_begins), view(label_values)},
                   {view(begins), view(candidates)}, weight, view(found));
  return found;
}

nb::tuple probabilities(const NetworkShape& shape, const In<float, 1>& weights, const In<float, 2>& embeddings,
                        const In<Index, 2>& rows, const In<Index, 1>& offsets, const char* instructions) {
  const NetworkInput input = checked_input(rows, offsets, embeddings.shape(0));
  Network network(shape, view(weights), view(embeddings), choose_instructions(instructions));
  network.repack(Purpose::Use);
  Random unused(0);
  NetworkRecord record;
  forward(network, input, {}, unused, record);
  nb::list found;
  std::vector<float> transposed, scores, scratch;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::size_t begin = offsets(s), size = offsets(s + 1) - begin, stride = padded(static_cast<Index>(size));
    arc_scores(network, record, offsets(s), static_cast<Index>(size), transposed, scores);
    auto arcs = new_array<Out<float, 2>>({size, size});
    for (std::size_t word = 0; word < size; ++word) {
      float* row = scores.data() + word * stride;
      log_probabilities(*network.kernels, row, static_cast<Index>(stride), scratch);
      std::copy_n(row, size, arcs.data() + word * size);
    }
    found.append(arcs);
  }
  const std::size_t words = record.words, projected = shape.projected();
  return nb::make_tuple(found, copied<Out<float, 2>>(record.projected, {words, projected}));
}

}  // namespace

void bind_dense(nb::module_& m) {
  nb::class_<NetworkShape>(m, "NetworkShape", "The sizes of a network. All but depth and labels are multiples of 16.")
      .def(
          "__init__",
          [](NetworkShape* self, Index width, Index hidden, Index depth, Index arc, Index label, Index labels,
             Index vectors, std::vector<Index> groups) {
            new (self) NetworkShape{width, hidden, depth, arc, label, labels, vectors, std::move(groups)};
            self->check();
          },
          "width"_a, "hidden"_a, "depth"_a, "arc"_a = 0, "label"_a = 0, "labels"_a = 0, "vectors"_a = 0,
          "groups"_a = std::vector<Index>{},
          "A network scores arcs and labels, or, with groups of so many values, the values of words.")
      .def_prop_ro(
          "weights", [](const NetworkShape& self) { return NetworkLayout(self).size; }, "The number of weights.")
      .def("linears", &linears, nb::sig("def linears(self) -> list[tuple[int, int, int]]"),
           "Return begin, rows and columns of each linear map in the weights; its bias follows its matrix.\n\n"
           "The convolution is the first, then come the layers, the projection, and what scores arcs and labels.")
      .def("norms", &norms, nb::sig("def norms(self) -> list[tuple[int, int]]"),
           "Return begin and size of the gains of each normalization; the offsets follow the gains.");
  nb::class_<PyEncoder>(m, "Encoder", "A trained network with its vocabulary, to be used by a parser.")
      .def("__init__", &make_encoder, "shape"_a, "weights"_a, "embeddings"_a, "codes"_a, "rows"_a, "columns"_a,
           "arc_weight"_a, "label_weight"_a,
           "Args:\n"
           "    embeddings: [rows, width]; row 0 is that of the root.\n"
           "    codes, rows: the known attribute values and their embedding rows.\n"
           "    columns: for each attribute, its column in the codes of words, and the row of unknown values or -1.\n"
           "    arc_weight, label_weight: what log-probabilities are multiplied by.");
  nb::class_<Dropout>(m, "Dropout", "Shares of what is hidden in training.")
      .def(
          "__init__",
          [](Dropout* self, float attributes, float convolution, float layers) {
            for (float share : {attributes, convolution, layers})
              require(share >= 0.0F && share < 1.0F, "a share must be in [0, 1)");
            new (self) Dropout{attributes, convolution, layers};
          },
          "attributes"_a = 0.0F, "convolution"_a = 0.0F, "layers"_a = 0.0F);
  nb::class_<PyTrainer>(m, "NetworkTrainer", "A network in training. Weights and embeddings are changed in place.")
      .def(nb::init<const NetworkShape&, InOut<float, 1>, InOut<float, 2>, In<Index, 1>, In<Index, 1>, In<Index, 1>,
                    GoldValues>(),
           "shape"_a, "weights"_a, "embeddings"_a, "offsets"_a, "heads"_a, "labels"_a, "values"_a = nb::none(),
           "Gold values [words, groups] are for networks with groups, where heads and labels do not matter.")
      .def("set_vectors", &PyTrainer::set_vectors, "vectors"_a,
           "Declare the last embeddings to be those of words with fixed vectors, [words, shape.vectors].\n\n"
           "What is learned is the map of vectors to embeddings, the last weights.")
      .def("step", &PyTrainer::step, "rows"_a, "sentences"_a, "dropout"_a, "label_share"_a, "rate"_a, "seed"_a,
           "threads"_a,
           "Take a step of Adam on some sentences, and return the mean loss per word.\n\n"
           "The result does not depend on the number of threads.")
      .def("state", &PyTrainer::state,
           nb::sig("def state(self) -> tuple[int, dict[str, numpy.typing.NDArray[typing.Any]]]"),
           "Return the number of steps, and the arrays that are needed to resume, besides the weights.")
      .def("restore", &PyTrainer::restore, "steps"_a, "arrays"_a,
           nb::sig("def restore(self, steps: int, arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> None"),
           "Continue from a state.")
      .def(
          "start_average", [](PyTrainer& self) { self.trainer.start_average(); },
          "Begin to average the weights of all further steps.")
      .def("average", &PyTrainer::average, "weights"_a, "embeddings"_a,
           "Write the averages, or the weights themselves if averaging has not begun.");
  nb::class_<PyWordScorer>(m, "WordScorer", "A trained network that scores the values of words.")
      .def(nb::init<const NetworkShape&, In<float, 1>, In<float, 2>, const char*>(), "shape"_a, "weights"_a,
           "embeddings"_a, "instructions"_a = "")
      .def("scores", &PyWordScorer::scores, "rows"_a, "offsets"_a, "threads"_a,
           nb::sig("def scores(self, rows: numpy.typing.NDArray[numpy.int32], offsets: "
                   "numpy.typing.NDArray[numpy.int32], threads: int) -> numpy.typing.NDArray[numpy.float32]"),
           "Return the scores [words, values] of all values of words, given their embedding rows.\n\n"
           "They are log-probabilities plus a constant per word and group.");
  m.def("candidate_scores", &py_candidate_scores, "scores"_a, "label_begins"_a, "label_values"_a, "begins"_a,
        "candidates"_a, "weight"_a,
        nb::sig("def candidate_scores(scores: numpy.typing.NDArray[numpy.float32], label_begins: "
                "numpy.typing.NDArray[numpy.int32], label_values: numpy.typing.NDArray[numpy.int32], begins: "
                "numpy.typing.NDArray[numpy.int32], candidates: numpy.typing.NDArray[numpy.int32], weight: float) -> "
                "numpy.typing.NDArray[numpy.float32]"),
        "Return the scores [candidates] of candidate labels: weight times the sum over their values.\n\n"
        "The candidates of word i are candidates[begins[i] : begins[i + 1]], and the values of label j are\n"
        "label_values[label_begins[j] : label_begins[j + 1]].");
  m.def("gradient", &gradient, "shape"_a, "weights"_a, "embeddings"_a, "rows"_a, "offsets"_a, "heads"_a, "labels"_a,
        "label_share"_a, "dropout"_a, "seed"_a, "instructions"_a = "", "values"_a = nb::none(),
        nb::sig("def gradient(shape: NetworkShape, weights: numpy.typing.NDArray[numpy.float32], embeddings: "
                "numpy.typing.NDArray[numpy.float32], rows: numpy.typing.NDArray[numpy.int32], offsets: "
                "numpy.typing.NDArray[numpy.int32], heads: numpy.typing.NDArray[numpy.int32], labels: "
                "numpy.typing.NDArray[numpy.int32], label_share: float, dropout: Dropout, seed: int, "
                "instructions: str = '', values: numpy.typing.NDArray[numpy.int32] | None = None) -> tuple[float, "
                "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
        "Return the loss of sentences, and its gradient by weights and by embeddings.");
  m.def("probabilities", &probabilities, "shape"_a, "weights"_a, "embeddings"_a, "rows"_a, "offsets"_a,
        "instructions"_a = "",
        nb::sig("def probabilities(shape: NetworkShape, weights: numpy.typing.NDArray[numpy.float32], embeddings: "
                "numpy.typing.NDArray[numpy.float32], rows: numpy.typing.NDArray[numpy.int32], offsets: "
                "numpy.typing.NDArray[numpy.int32], instructions: str = '') -> "
                "tuple[list[numpy.typing.NDArray[numpy.float32]], numpy.typing.NDArray[numpy.float32]]"),
        "Return the log-probabilities [modifier, head] of each sentence, and the projected vectors of all words.");
}

}  // namespace headlong
