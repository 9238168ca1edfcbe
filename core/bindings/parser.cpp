// The parser for Python: batches of sentences and the methods of a model.
#include "bindings/parser.hpp"

#include <algorithm>
#include <limits>

#include "bindings/global_scorer.hpp"
#include "bindings/graph.hpp"
#include "bindings/options.hpp"
#include "bindings/parts.hpp"
#include "bindings/unlocked.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

Batch make_batch(In<Code, 2> attributes, In<std::uint8_t, 2> traits, In<Index, 1> offsets) {
  require(traits.shape(1) == sizeof(Traits), "traits must have 10 columns: tag, classes, 8 agreement values");
  require(traits.shape(0) == attributes.shape(0), "attributes and traits must have the same number of words");
  const auto bounds = view(offsets);
  require(!bounds.empty() && bounds.front() == 0 && bounds.back() == static_cast<Index>(attributes.shape(0)),
          "offsets must go from 0 to the number of words");
  for (std::size_t s = 1; s < bounds.size(); ++s)
    require(bounds[s] > bounds[s - 1], "every sentence must have at least its root");
  return {std::move(attributes), std::move(traits), std::move(offsets), {}, {}, {}};
}

// Wraps a Python function, which the batch owns, for the core. The wrapper acquires the GIL. A Python exception passes
// through as nanobind::python_error.
FeatureFunction feature_function(nb::handle function) {
  return [function](std::size_t sentence, std::span<const Index> heads, std::vector<NamedFeature>& out) {
    nb::gil_scoped_acquire acquire;
    const nb::object answer = function(sentence, copied(std::vector<Index>(heads.begin(), heads.end())));
    const auto [codes, values] = nb::cast<std::pair<In<Code, 1>, In<float, 1>>>(answer);
    require(codes.size() == values.size(), "codes and values must have the same size");
    for (std::size_t i = 0; i < codes.size(); ++i) out.push_back({codes(i), values(i)});
  };
}

nb::tuple parse(const PyParserModel& self, const Batch& batch, const DecodeOptions& options,
                const std::optional<In<Index, 1>>& guide, const std::optional<In<double, 1>>& shares) {
  self.check(batch);
  options.check();
  const Corpus corpus = batch.corpus();
  const std::size_t words = corpus.traits.size(), sentences = corpus.size();
  require(!guide || guide->size() == words, "guide must have one head per word");
  require(!shares || shares->size() == sentences, "shares must have one number per sentence");
  const auto guide_heads = guide ? view(*guide) : std::span<const Index>();
  const auto time_shares = shares ? view(*shares) : std::span<const double>();
  std::vector<Index> heads(words, NO_HEAD), labels(words, -1), iterations(sentences);
  std::vector<double> scores(sentences, 0.0), bounds(sentences);
  std::vector<std::uint8_t> certified(sentences);
  std::vector<Status> statuses(sentences);
  {
    const Unlocked unlocked;
    std::visit(
        [&](const auto& model) {
          parse_batch(model, corpus, options, guide_heads, time_shares,
                      {heads, labels, scores, bounds, certified, iterations, statuses});
        },
        self.pruned);
  }
  nb::list names;
  for (Status status : statuses) names.append(name_of(status));
  return nb::make_tuple(copied<Out<Index, 1>>(heads, {words}), copied<Out<Index, 1>>(labels, {words}),
                        copied<Out<double, 1>>(scores, {sentences}), copied<Out<double, 1>>(bounds, {sentences}),
                        copied<Out<std::uint8_t, 1>>(certified, {sentences}),
                        copied<Out<Index, 1>>(iterations, {sentences}), names);
}

nb::tuple prune_all(const PyParserModel& self, const Batch& batch, bool projective, std::size_t threads) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  std::vector<Index> heads, begins{0};
  const Unlocked unlocked;
  const auto found =
      std::visit([&](const auto& model) { return prune_batch(model, corpus, projective, threads); }, self.pruned);
  for (const Candidates& candidates : found) {
    const Index before = static_cast<Index>(heads.size());
    heads.insert(heads.end(), candidates.heads.begin(), candidates.heads.end());
    for (std::size_t word = 1; word < candidates.begins.size(); ++word)
      begins.push_back(before + candidates.begins[word]);
  }
  nb::gil_scoped_acquire acquire;
  return nb::make_tuple(copied<Out<Index, 1>>(heads, {heads.size()}), copied<Out<Index, 1>>(begins, {begins.size()}));
}

Out<Index, 1> label(const PyParserModel& self, const Batch& batch, const In<Index, 1>& heads, bool projective,
                    std::size_t threads) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  require(heads.size() == corpus.traits.size(), "heads must have one entry per word");
  std::vector<Index> labels(heads.size(), -1);
  {
    const Unlocked unlocked;
    std::visit([&](const auto& model) { label_batch(model, corpus, projective, threads, view(heads), labels); },
               self.pruned);
  }
  return copied<Out<Index, 1>>(labels, {labels.size()});
}

nb::tuple parts(const PyParserModel& self, const Batch& batch, std::size_t kind, bool projective) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  require(corpus.size() == 1, "expected a batch of one sentence");
  require(kind < KINDS && self.families[kind], "the model has no parts of this kind");
  ParserWorkspace workspace;
  ScoredArcs& made = workspace.arcs;
  ScoredParts& parts_made = workspace.parts;
  const auto score = [&](const auto& model) {
    const Words words = corpus.sentence(0);
    score_candidates(model, words, projective, workspace);
    lay_out(made.candidates, made.size, false, parts_made.frames);
    std::array<bool, KINDS> on{};
    on[kind] = true;
    lay_out(parts_made.frames, on, parts_made.extras);
    score_kind(model.model, words, made, static_cast<Kind>(kind), parts_made);
  };
  {
    const Unlocked unlocked;
    std::visit(score, self.pruned);
  }
  const std::size_t count = parts_made.rows.count, slots = KIND_SLOTS[kind];
  return nb::make_tuple(copied<Out<Index, 2>>(parts_made.rows.slots, {count, slots}),
                        copied<Out<float, 1>>(parts_made.scores, {count}));
}

nb::tuple confidence(const PyParserModel& self, const Batch& batch, const In<Index, 1>& heads,
                     const In<Index, 1>& labels, bool projective, std::size_t threads) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  require(heads.size() == corpus.traits.size() && labels.size() == corpus.traits.size(),
          "heads and labels must have one entry per word");
  for (std::size_t word = 0; self.label && word < heads.size(); ++word)
    require(heads(word) < 0 || (labels(word) >= 0 && static_cast<std::size_t>(labels(word)) < self.allowed->shape(2)),
            "a label is out of range");
  std::visit(
      [](const auto& model) {
        require(model.encoder || model.pruner || model.model.is_first_order(),
                "confidence of a model with frames, extras or globals needs an encoder or a pruner");
      },
      self.pruned);
  std::vector<double> arcs(heads.size(), 0.0), labeled(heads.size(), 0.0);
  {
    const Unlocked unlocked;
    std::visit(
        [&](const auto& model) {
          confidence_batch(model, corpus, projective, threads, view(heads), view(labels), arcs, labeled);
        },
        self.pruned);
  }
  return nb::make_tuple(copied<Out<double, 1>>(arcs, {arcs.size()}), copied<Out<double, 1>>(labeled, {labeled.size()}));
}

nb::tuple problem(const PyParserModel& self, const Batch& batch, bool projective, double time_limit) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  require(corpus.size() == 1, "expected a batch of one sentence");
  ParserWorkspace workspace;
  ScoredArcs& made = workspace.arcs;
  const auto score = [&](const auto& model) {
    const Words words = corpus.sentence(0);
    score_candidates(model, words, projective, workspace);
    fold_best_labels(model.model, words, 0.0F, made);
    if (!model.model.is_first_order()) score_all_parts(model.model, words, made, workspace.parts);
    return model.model.label ? static_cast<std::size_t>(model.model.labels.stride) : 0;
  };
  std::size_t stride;
  {
    const Unlocked unlocked;
    const TimeLimit limit(time_limit);
    stride = std::visit(score, self.pruned);
  }
  const std::size_t count = made.parts.count;
  nb::object frames = nb::none(), extras = nb::none();
  if (workspace.parts.frames.size > 0) frames = nb::cast(std::move(workspace.parts.frames));
  if (workspace.parts.extras.any()) extras = nb::cast(PyExtras(frames, std::move(workspace.parts.extras)));
  return nb::make_tuple(
      copied<Out<Index, 2>>(made.parts.slots, {count, 2}), copied<Out<float, 1>>(made.arc_scores, {count}),
      copied<Out<float, 2>>(made.label_rows, {count, stride}), copied<Out<double, 1>>(made.scores, {count}),
      copied<Out<Index, 1>>(made.labels, {count}), frames, extras);
}

nb::object global_scorer(const PyParserModel& self, const Batch& batch) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  require(corpus.size() == 1, "expected a batch of one sentence");
  return std::visit(
      [&](const auto& model) -> nb::object {
        if (!model.model.has_globals()) return nb::none();
        return scorer_object(nb::make_tuple(nb::find(self), nb::find(batch)), model.model, corpus.sentence(0));
      },
      self.pruned);
}

// Shows the function to the garbage collector: through its module it may refer to the owner of the batch.
int traverse_batch(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Batch>(self)->python_function.ptr());
  return 0;
}

int clear_batch(PyObject* self) {
  Batch* batch = nb::inst_ptr<Batch>(self);
  batch->function = nullptr;
  batch->python_function.reset();
  return 0;
}

PyType_Slot BATCH_SLOTS[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_batch)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear_batch)},
                             {0, nullptr}};

}  // namespace

void bind_parser(nb::module_& m) {
  nb::class_<Batch>(m, "Batch", nb::type_slots(BATCH_SLOTS), "Sentences laid end to end, each with its root.")
      .def(
          "__init__",
          [](Batch* self, In<Code, 2> attributes, In<std::uint8_t, 2> traits, In<Index, 1> offsets) {
            new (self) Batch(make_batch(std::move(attributes), std::move(traits), std::move(offsets)));
          },
          "attributes"_a, "traits"_a, "offsets"_a)
      .def(
          "set_vectors",
          [](Batch& self, In<float, 2> vectors) {
            require(vectors.shape(0) == self.attributes.shape(0), "vectors must have one row per word");
            require(vectors.shape(1) >= 1, "vectors must have at least one column");
            self.vectors = std::move(vectors);
          },
          "vectors"_a, "Set vectors [words, size] of the words, for tensors that were trained with vectors.")
      .def(
          "set_function",
          [](Batch& self, nb::object function) {
            self.function = feature_function(function);
            self.python_function = std::move(function);
          },
          "function"_a,
          nb::sig("def set_function(self, function: collections.abc.Callable[[int, numpy.typing.NDArray[numpy.int32]], "
                  "tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]]) -> None"),
          "Set the feature function, for models with functions.\n\n"
          "It takes the number of a sentence and the heads of a tree, and returns the codes and values of features.");
  nb::class_<PyParserModel>(
      m, "ParserModel", "A parser model: templates, weights and root rule; optionally more parts, labels and a pruner.")
      .def(nb::init<const Templates&, std::optional<Templates>, Weights, float, bool>(), "arc"_a, "between"_a.none(),
           "weights"_a, "scale"_a, "single_root"_a)
      .def("set_labels", &PyParserModel::set_labels, "templates"_a, "weights"_a, "scale"_a, "allowed"_a,
           "Add labels.\n\n"
           "Args:\n"
           "    weights: [2^bits + 1, stride].\n"
           "    allowed: [tags, tags, labels] flags per (head tag, modifier tag).")
      .def("set_tree_labels", &PyParserModel::set_tree_labels, "templates"_a,
           "Choose labels again once the tree is known.")
      .def("set_parts", &PyParserModel::set_parts, "kind"_a, "templates"_a,
           "Add frame parts or extras.\n\n"
           "Args:\n"
           "    kind: 0 sibling, 1 grandparent, 2 grand-sibling, 3 tri-sibling, 4 head bigram, 5 arbitrary sibling,\n"
           "        6 non-projective arc, 7 path.")
      .def("set_global", &PyParserModel::set_global, "kind"_a, "templates"_a,
           "Add globals. Kinds are numbered as in core/parts/globals.hpp.")
      .def("set_tensor", &PyParserModel::set_tensor, "tensor"_a, nb::keep_alive<1, 2>(),
           "Add the scores of a low-rank tensor to those of arcs.")
      .def("set_functions", &PyParserModel::set_functions, "Use the features that the function of a batch finds.")
      .def(
          "set_pruner", &PyParserModel::set_pruner, "pruner"_a, "max_heads"_a, "threshold"_a, nb::keep_alive<1, 2>(),
          "Choose candidates with a pruner: at most max_heads per word, with at least threshold times the word's best\n"
          "posterior.")
      .def("set_encoder", &PyParserModel::set_encoder, "encoder"_a, "max_heads"_a, "threshold"_a,
           nb::keep_alive<1, 2>(),
           "Choose candidates with a context encoder, and add its scores to those of arcs and labels.")
      .def("parse", &parse, "batch"_a, "options"_a, "guide"_a = nb::none(), "shares"_a = nb::none(),
           nb::sig("def parse(self, batch: Batch, options: DecodeOptions, guide: numpy.typing.NDArray[numpy.int32] | "
                   "None = None, shares: numpy.typing.NDArray[numpy.float64] | None = None) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint8], "
                   "numpy.typing.NDArray[numpy.int32], list[str]]"),
           "Parse a batch.\n\n"
           "Args:\n"
           "    guide: heads [words] of the trees that greedy inference is biased to.\n"
           "    shares: the share of the time limit [sentences] that each sentence gets; by default 1.\n\n"
           "Returns:\n"
           "    heads [words], labels [words]; scores, bounds, certified, iterations and statuses [sentences].")
      .def("prune", &prune_all, "batch"_a, "projective"_a, "threads"_a,
           nb::sig("def prune(self, batch: Batch, projective: bool, threads: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"),
           "Return the candidates of all sentences: heads [arcs] as positions in the sentence, sorted by word, and\n"
           "begins [words + 1].")
      .def("confidence", &confidence, "batch"_a, "heads"_a, "labels"_a, "projective"_a, "threads"_a,
           nb::sig("def confidence(self, batch: Batch, heads: numpy.typing.NDArray[numpy.int32], labels: "
                   "numpy.typing.NDArray[numpy.int32], projective: bool, threads: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "Return the marginals of the given arcs and of the given labeled arcs, [words] each.\n\n"
           "A model with frames, extras or globals returns those of its pruner.")
      .def("label", &label, "batch"_a, "heads"_a, "projective"_a, "threads"_a,
           nb::sig("def label(self, batch: Batch, heads: numpy.typing.NDArray[numpy.int32], projective: bool, threads: "
                   "int) -> numpy.typing.NDArray[numpy.int32]"),
           "Return the labels [words] of given trees. Labels are -1 in a tree with an arc that is not a candidate.")
      .def("parts", &parts, "batch"_a, "kind"_a, "projective"_a,
           nb::sig("def parts(self, batch: Batch, kind: int, projective: bool) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]"),
           "Return the parts of a kind (see set_parts) over the candidates of one sentence: positions [n, slots] and\n"
           "scores [n].")
      .def(
          "problem", &problem, "batch"_a, "projective"_a, "time_limit"_a = 0.0,
          nb::sig("def problem(self, batch: Batch, projective: bool, time_limit: float = 0.0) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], "
                  "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], "
                  "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32], Frames | None, "
                  "Extras | None]"),
          "Score the candidates of one sentence.\n\n"
          "Args:\n"
          "    projective: whether the candidates must include a projective tree.\n"
          "    time_limit: seconds after which it raises TimeoutError; 0 for no limit.\n\n"
          "Returns:\n"
          "    Candidates [n, 2], arc scores [n], label rows [n, stride], scores with the best label [n], best labels\n"
          "    [n], frames and extras (None if the model has none).")
      .def("global_scorer", &global_scorer, "batch"_a,
           nb::sig("def global_scorer(self, batch: Batch) -> GlobalScorer | None"),
           "Return the scorer for the globals of one sentence, or None if the model has none.");
}

}  // namespace headlong
