// The context encoder for Python: a network to use, and one in training.
#include "bindings/dense.hpp"

#include <nanobind/stl/pair.h>

#include "dense/learning.hpp"

namespace headlong {

using namespace nb::literals;

namespace {

NetworkInput checked_input(const In<Index, 2>& rows, const In<Index, 1>& offsets, std::size_t known) {
  require(offsets.size() >= 1 && offsets(0) == 0, "offsets must begin with 0");
  for (std::size_t s = 1; s < offsets.size(); ++s) require(offsets(s) > offsets(s - 1), "offsets must increase");
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

struct PyTrainer {
  InOut<float, 1> weights;
  InOut<float, 2> embeddings;
  In<Index, 1> offsets, heads, labels;
  NetworkTrainer trainer;

  PyTrainer(const NetworkShape& shape, InOut<float, 1> weights_, InOut<float, 2> embeddings_, In<Index, 1> offsets_,
            In<Index, 1> heads_, In<Index, 1> labels_)
      : weights(std::move(weights_)),
        embeddings(std::move(embeddings_)),
        offsets(std::move(offsets_)),
        heads(std::move(heads_)),
        labels(std::move(labels_)),
        trainer(shape, view(weights), view(embeddings), best_instructions()) {
    require(heads.size() == labels.size(), "heads and labels must have one entry per word");
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      for (Index word = offsets(s); word < offsets(s + 1); ++word) {
        require(heads(word) >= -1 && heads(word) < offsets(s + 1) - offsets(s), "a head is out of range");
        require(labels(word) < shape.labels, "a label is out of range");
      }
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
    nb::gil_scoped_release release;
    return trainer.step(corpus, {view(heads), view(labels)}, view(sentences), dropout, label_share, rate, seed,
                        threads);
  }
};

}  // namespace

void bind_dense(nb::module_& m) {
  nb::class_<NetworkShape>(m, "NetworkShape", "The sizes of a network.")
      .def(
          "__init__",
          [](NetworkShape* self, Index width, Index hidden, Index depth, Index arc, Index label, Index labels) {
            new (self) NetworkShape{width, hidden, depth, arc, label, labels};
            self->check();
          },
          "width"_a, "hidden"_a, "depth"_a, "arc"_a, "label"_a, "labels"_a)
      .def_prop_ro("weights", [](const NetworkShape& self) { return NetworkLayout(self).size; })
      .def("linears",
           [](const NetworkShape& self) {
             nb::list found;
             const NetworkLayout layout(self);
             for (const Linear* one : layout.linears()) found.append(nb::make_tuple(one->begin, one->in, one->out));
             return found;
           })
      .def("norms", [](const NetworkShape& self) {
        nb::list found;
        const NetworkLayout layout(self);
        found.append(nb::make_tuple(layout.input.begin, layout.input.size));
        found.append(nb::make_tuple(layout.convolved.begin, layout.convolved.size));
        for (const Norm& one : layout.outputs) found.append(nb::make_tuple(one.begin, one.size));
        return found;
      });
  nb::class_<PyEncoder>(m, "Encoder", "A trained network with its vocabulary, to be used by a parser.")
      .def(
          "__init__",
          [](PyEncoder* self, const NetworkShape& shape, In<float, 1> weights, In<float, 2> embeddings,
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
            auto made = std::make_unique<Encoder>(
                Encoder{Network(shape, view(weights), view(embeddings), best_instructions()),
                        Vocabulary(view(codes), view(rows)), std::move(list), arc_weight, label_weight});
            made->network.repack(false);
            new (self) PyEncoder{std::move(weights), std::move(embeddings), std::move(made)};
          },
          "shape"_a, "weights"_a, "embeddings"_a, "codes"_a, "rows"_a, "columns"_a, "arc_weight"_a, "label_weight"_a);
  nb::class_<Dropout>(m, "Dropout")
      .def(
          "__init__",
          [](Dropout* self, float attributes, float convolution, float layers) {
            new (self) Dropout{attributes, convolution, layers};
          },
          "attributes"_a = 0.0F, "convolution"_a = 0.0F, "layers"_a = 0.0F);
  nb::class_<PyTrainer>(m, "NetworkTrainer")
      .def(nb::init<const NetworkShape&, InOut<float, 1>, InOut<float, 2>, In<Index, 1>, In<Index, 1>, In<Index, 1>>(),
           "shape"_a, "weights"_a, "embeddings"_a, "offsets"_a, "heads"_a, "labels"_a)
      .def("step", &PyTrainer::step, "rows"_a, "sentences"_a, "dropout"_a, "label_share"_a, "rate"_a, "seed"_a,
           "threads"_a)
      .def(
          "state",
          [](const PyTrainer& self) {
            const NetworkTrainer::State& state = self.trainer.state();
            nb::dict arrays;
            for (const auto& [name, values] : float_arrays(state)) arrays[name] = copied(*values);
            arrays["averaged_until"] = copied(state.averaged_until);
            return nb::make_tuple(state.steps, arrays);
          },
          nb::sig("def state(self) -> tuple[int, dict[str, numpy.typing.NDArray[typing.Any]]]"),
          "Return the number of steps, and the arrays that are needed to resume, besides the weights.")
      .def("restore", &PyTrainer::restore, "steps"_a, "arrays"_a,
           nb::sig("def restore(self, steps: int, arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> None"),
           "Continue from a state.")
      .def("start_average", [](PyTrainer& self) { self.trainer.start_average(); })
      .def("average", [](PyTrainer& self, InOut<float, 1> weights, InOut<float, 2> embeddings) {
        require(weights.size() == self.weights.size() && embeddings.size() == self.embeddings.size(), "wrong sizes");
        self.trainer.average(view(weights), view(embeddings));
      });
  m.def(
      "gradient",
      [](const NetworkShape& shape, const In<float, 1>& weights, const In<float, 2>& embeddings,
         const In<Index, 2>& rows, const In<Index, 1>& offsets, const In<Index, 1>& heads, const In<Index, 1>& labels,
         float label_share, const Dropout& dropout, std::uint64_t seed, bool scalar) {
        const NetworkInput input = checked_input(rows, offsets, embeddings.shape(0));
        Network network(shape, view(weights), view(embeddings), scalar ? Instructions::Scalar : best_instructions());
        network.repack(true);
        Random random(seed);
        NetworkRecord record;
        BackwardWorkspace workspace;
        NetworkGradient gradient;
        gradient.clear(network);
        forward(network, input, dropout, random, record);
        backward(network, input, {view(heads), view(labels)}, dropout, 1.0F, label_share, record, workspace, gradient);
        return nb::make_tuple(gradient.loss, copied<Out<float, 1>>(gradient.weights, {gradient.weights.size()}),
                              copied<Out<float, 2>>(gradient.embeddings, {embeddings.shape(0), embeddings.shape(1)}));
      },
      "shape"_a, "weights"_a, "embeddings"_a, "rows"_a, "offsets"_a, "heads"_a, "labels"_a, "label_share"_a,
      "dropout"_a, "seed"_a, "scalar"_a = false);
  m.def(
      "probabilities",
      [](const NetworkShape& shape, const In<float, 1>& weights, const In<float, 2>& embeddings,
         const In<Index, 2>& rows, const In<Index, 1>& offsets, bool scalar) {
        const NetworkInput input = checked_input(rows, offsets, embeddings.shape(0));
        Network network(shape, view(weights), view(embeddings), scalar ? Instructions::Scalar : best_instructions());
        network.repack(false);
        Random random(0);
        NetworkRecord record;
        forward(network, input, {}, random, record);
        nb::list found;
        std::vector<float> transposed, scores, scratch;
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
          const Index begin = offsets(s), size = offsets(s + 1) - begin;
          arc_scores(network, record, begin, size, transposed, scores);
          auto arcs = new_array<Out<float, 2>>({static_cast<std::size_t>(size), static_cast<std::size_t>(size)});
          for (Index word = 0; word < size; ++word) {
            float* row = scores.data() + static_cast<std::size_t>(word) * padded(size);
            log_probabilities(*network.kernels, row, padded(size), scratch);
            std::copy_n(row, size, arcs.data() + static_cast<std::size_t>(word) * size);
          }
          found.append(arcs);
        }
        return nb::make_tuple(found,
                              copied<Out<float, 2>>(record.projected, {static_cast<std::size_t>(record.words),
                                                                       static_cast<std::size_t>(shape.projected())}));
      },
      "shape"_a, "weights"_a, "embeddings"_a, "rows"_a, "offsets"_a, "scalar"_a = false);
}

}  // namespace headlong
