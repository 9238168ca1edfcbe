// The one file that knows Python: it checks shapes, releases the GIL and calls the core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "bind_graph.hpp"
#include "bind_parts.hpp"
#include "parser/trainer.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace headlong;

namespace {

template <class T, int Dimensions>
using In = nb::ndarray<const T, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using InOut = nb::ndarray<T, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>>;

// The elements of an array, as the core takes them.
template <class Array>
auto view(const Array& array) {
  return std::span(array.data(), array.size());
}

void require(bool holds, const char* message) {
  if (!holds) throw nb::value_error(message);
}

RootRule root_rule(bool single_root) { return single_root ? RootRule::Single : RootRule::Multi; }

// A new array that NumPy owns.
template <class Array>
Array new_array(std::initializer_list<std::size_t> shape) {
  using Value = typename Array::Scalar;
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::unique_ptr<Value[]> values(new Value[count]);
  nb::capsule owner(values.get(), [](void* pointer) noexcept { delete[] static_cast<Value*>(pointer); });
  return Array(values.release(), shape, owner);
}

// A new array that NumPy owns, with a copy of `values`.
template <class Array, class Value>
Array copied(const std::vector<Value>& values, std::initializer_list<std::size_t> shape) {
  Array array = new_array<Array>(shape);
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

// ---- trees -------------------------------------------------------------------------------------------------

using ArcScores = In<double, 2>;
using Heads = Out<Index, 1>;
using ArcMarginals = Out<double, 2>;

// The words of a sentence and the root; checks what the tree kernels ask of their scores.
Index checked_size(const ArcScores& scores) {
  const std::size_t size = scores.shape(0);
  if (size == 0 || scores.shape(1) != size || size > 65535) {
    throw std::invalid_argument("scores has shape (" + std::to_string(size) + ", " + std::to_string(scores.shape(1)) +
                                "), expected (words + 1, words + 1) with at most 65534 words");
  }
  for (std::size_t head = 0; head < size; ++head) {
    for (std::size_t modifier = 1; modifier < size; ++modifier) {
      const double score = scores.data()[head * size + modifier];
      // Sums of scores must stay finite. NaN fails every comparison.
      if (head == modifier || std::abs(score) < 1e300 || score == NEGATIVE_INFINITY) continue;
      char found[32];
      std::snprintf(found, sizeof found, "%g", score);
      throw std::invalid_argument("scores[" + std::to_string(head) + ", " + std::to_string(modifier) + "] is " + found +
                                  ", expected -inf or a finite number below 1e300 in magnitude");
    }
  }
  return static_cast<Index>(size);
}

// Runs a kernel that writes heads and returns their score.
template <class Workspace, class Kernel>
nb::tuple best_heads(const ArcScores& scores, bool single_root, Kernel kernel) {
  const Index size = checked_size(scores);
  Heads heads = new_array<Heads>({static_cast<std::size_t>(size)});
  const std::span<Index> out(heads.data(), heads.size());
  Score score;
  {
    nb::gil_scoped_release release;
    Workspace workspace;
    score = kernel(view(scores), size, root_rule(single_root), out, workspace);
  }
  return nb::make_tuple(heads, score);
}

// Runs a kernel that writes marginals and returns the log-partition.
template <class Workspace, class Kernel>
nb::tuple arc_marginals(const ArcScores& scores, bool single_root, Kernel kernel) {
  const Index size = checked_size(scores);
  ArcMarginals marginals = new_array<ArcMarginals>({static_cast<std::size_t>(size), static_cast<std::size_t>(size)});
  const std::span<double> out(marginals.data(), marginals.size());
  Score log_partition;
  {
    nb::gil_scoped_release release;
    Workspace workspace;
    log_partition = kernel(view(scores), size, root_rule(single_root), out, workspace);
  }
  return nb::make_tuple(marginals, log_partition);
}

void bind_trees(nb::module_& m) {
  m.def(
      "maximum_spanning_tree",
      [](const ArcScores& scores, bool single_root) {
        return best_heads<MstWorkspace>(scores, single_root, maximum_spanning_tree);
      },
      "scores"_a, "single_root"_a,
      nb::sig("def maximum_spanning_tree(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], float]"),
      "The best tree over scores[head, modifier], word 0 being the root: (heads, score).\n\n"
      "-inf marks an arc that does not exist. If there is no tree the score is -inf and heads is a tree with as few\n"
      "missing arcs as possible. O(words^2).");
  m.def(
      "eisner",
      [](const ArcScores& scores, bool single_root) {
        return best_heads<EisnerWorkspace>(scores, single_root, eisner);
      },
      "scores"_a, "single_root"_a,
      nb::sig("def eisner(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], float]"),
      "The best projective tree over scores[head, modifier]: (heads, score).\n\n"
      "If there is none the score is -inf and heads is a chain. O(words^3).");
  m.def(
      "eisner_marginals",
      [](const ArcScores& scores, bool single_root) {
        return arc_marginals<EisnerWorkspace>(scores, single_root, eisner_marginals);
      },
      "scores"_a, "single_root"_a,
      nb::sig("def eisner_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.float64], float]"),
      "Arc probabilities over all projective trees: (marginals[head, modifier], log_partition).\n\n"
      "If there is no tree the marginals are 0 and the log-partition is -inf. O(words^3).");
  m.def(
      "tree_marginals",
      [](const ArcScores& scores, bool single_root, bool wide) {
        const Range range = wide ? Range::Wide : Range::Automatic;
        return arc_marginals<MatrixTreeWorkspace>(
            scores, single_root, [range](auto in, Index size, RootRule rule, auto out, MatrixTreeWorkspace& workspace) {
              return tree_marginals(in, size, rule, out, workspace, range);
            });
      },
      "scores"_a, "single_root"_a, "wide"_a = false,
      nb::sig(
          "def tree_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, wide: bool = False) -> "
          "tuple[numpy.typing.NDArray[numpy.float64], float]"),
      "Arc probabilities over all trees: (marginals[head, modifier], log_partition).\n\n"
      "If there is no tree the marginals are 0 and the log-partition is -inf. Stable for any scores. With wide the "
      "slow\n"
      "number type is used at once, which is otherwise what happens only where doubles would lose digits. O(words^3).");
}

// ---- features ----------------------------------------------------------------------------------------------

Templates make_templates(const In<Code, 1>& seeds, const In<Index, 2>& atoms, const In<Code, 2>& multipliers,
                         Index slots) {
  require(slots >= 1, "a family must have at least one slot");
  require(atoms.shape(1) == 4, "atoms must have the columns template, slot, offset, attribute");
  std::vector<Atom> list(atoms.shape(0));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = {atoms(i, 0), atoms(i, 1), atoms(i, 2), atoms(i, 3)};
  return Templates(view(seeds), list, view(multipliers), slots, static_cast<Index>(multipliers.shape(0)));
}

Attributes check_attributes(const In<Code, 2>& attributes, const Templates& templates) {
  const Attributes result{view(attributes), static_cast<Index>(attributes.shape(0)),
                          static_cast<Index>(attributes.shape(1))};
  for (const Atom& atom : templates.atoms)
    require(atom.attribute < result.count, "a template looks at an attribute that the words do not have");
  return result;
}

PartColumns check_parts(const In<Index, 2>& slots, const In<Code, 2>& relations, const Templates& templates,
                        Index words) {
  require(static_cast<Index>(slots.shape(1)) == templates.slots, "parts must have one column a slot");
  require(static_cast<Index>(relations.shape(1)) == templates.relations && relations.shape(0) == slots.shape(0),
          "relations must have one row a part and one column a relation");
  for (Index position : view(slots)) require(position >= 0 && position < words, "a part names a word out of range");
  return {view(slots), view(relations), slots.shape(0)};
}

using Weights = std::variant<In<float, 2>, In<std::int16_t, 2>>;

template <class Weight>
Table<Weight> make_table(const In<Weight, 2>& weights, Index columns, float scale) {
  // One row more than a power of two: a vector read at the very last weight stays inside the array.
  Index bits = 0;
  while ((std::size_t{1} << (bits + 1)) < weights.shape(0)) ++bits;
  require(bits >= 1 && bits <= 31 && weights.shape(0) == (std::size_t{1} << bits) + 1,
          "a weight table must have 2^bits + 1 rows");
  const Index stride = static_cast<Index>(weights.shape(1));
  require(stride == 1 || (stride % 8 == 0 && stride <= 1024),
          "a weight table must have 1 column, or a multiple of 8 up to 1024");
  require(columns >= 1 && columns <= stride, "a weight table has fewer columns than labels");
  require((std::size_t{1} << bits) * stride <= std::size_t{1} << 32, "a weight table has more than 2^32 weights");
  return {weights.data(), bits, columns, stride, scale};
}

Instructions choose_instructions(bool scalar) { return scalar ? Instructions::Scalar : best_instructions(); }

void bind_features(nb::module_& m) {
  nb::class_<Templates>(m, "Templates", "A compiled family of templates.")
      .def(
          "__init__",
          [](Templates* self, const In<Code, 1>& seeds, const In<Index, 2>& atoms, const In<Code, 2>& multipliers,
             Index slots) { new (self) Templates(make_templates(seeds, atoms, multipliers, slots)); },
          "seeds"_a, "atoms"_a, "multipliers"_a, "slots"_a,
          "seeds [templates]; atoms [n, 4] (template, slot, offset, attribute); multipliers [relations, templates].")
      .def_ro("count", &Templates::count)
      .def_ro("slots", &Templates::slots)
      .def_ro("relations", &Templates::relations);
  m.def(
      "slot_codes",
      [](const In<Code, 2>& attributes, const Templates& templates) {
        SlotCodes codes;
        slot_codes(check_attributes(attributes, templates), templates, codes);
        return copied<Out<Code, 3>>(codes.codes,
                                    {static_cast<std::size_t>(templates.slots), static_cast<std::size_t>(codes.words),
                                     static_cast<std::size_t>(codes.stride)});
      },
      "attributes"_a, "templates"_a, "Codes [slots, words, stride] of all words in all slots.");
  m.def(
      "score_parts",
      [](const In<Code, 2>& attributes, const Templates& templates, const In<Index, 2>& slots,
         const In<Code, 2>& relations, const Weights& weights, Index columns, float scale, bool scalar) {
        const Attributes words = check_attributes(attributes, templates);
        const PartColumns parts = check_parts(slots, relations, templates, words.words);
        SlotCodes codes;
        slot_codes(words, templates, codes);
        return std::visit(
            [&](const auto& array) {
              const auto table = make_table(array, columns, scale);
              std::vector<float> scores(parts.count * table.stride, 0.0F);
              if (table.stride == 1)
                score_parts(codes, templates, parts, table, choose_instructions(scalar), scores);
              else
                score_rows(codes, templates, parts, table, choose_instructions(scalar), scores);
              return copied<Out<float, 2>>(scores, {parts.count, static_cast<std::size_t>(table.stride)});
            },
            weights);
      },
      "attributes"_a, "templates"_a, "slots"_a, "relations"_a, "weights"_a, "columns"_a = 1, "scale"_a = 1.0F,
      "scalar"_a = false, "Scores [parts, stride] of parts of one family.");
  m.def(
      "feature_indices",
      [](const In<Code, 2>& attributes, const Templates& templates, const In<Index, 2>& slots,
         const In<Code, 2>& relations, Index bits) {
        require(bits >= 1 && bits <= 31, "bits must be 1 to 31");
        const Attributes words = check_attributes(attributes, templates);
        const PartColumns parts = check_parts(slots, relations, templates, words.words);
        SlotCodes codes;
        slot_codes(words, templates, codes);
        std::vector<Code> indices(parts.count * templates.count);
        for (std::size_t p = 0; p < parts.count; ++p)
          feature_indices(codes, templates, parts.slots.data() + p * templates.slots,
                          parts.relations.data() + p * templates.relations, 32 - bits,
                          indices.data() + p * templates.count);
        return copied<Out<Code, 2>>(indices, {parts.count, static_cast<std::size_t>(templates.count)});
      },
      "attributes"_a, "templates"_a, "slots"_a, "relations"_a, "bits"_a,
      "Places [parts, templates] of every feature of every part in a table of 2^bits rows.");
  m.def(
      "quantize_average",
      [](const In<float, 2>& weights, const In<float, 2>& totals, float time, const InOut<std::int16_t, 2>& out) {
        require(weights.size() == totals.size() && weights.size() == out.size(), "the three tables differ in size");
        nb::gil_scoped_release release;
        return quantize_average(view(weights), view(totals), time, view(out));
      },
      "weights"_a, "totals"_a, "time"_a, "out"_a.noconvert(),
      "Writes averaged weights as 16-bit numbers; returns their scale.");
  m.attr("HAS_AVX2") = best_instructions() == Instructions::Avx2;
}

// ---- parser ------------------------------------------------------------------------------------------------

// Sentences laid end to end, with the arrays that own them.
struct Batch {
  In<Code, 2> attributes;
  In<std::uint8_t, 2> traits;
  In<Index, 1> offsets;

  Corpus corpus() const {
    return {view(attributes),
            {reinterpret_cast<const Traits*>(traits.data()), traits.shape(0)},
            view(offsets),
            {},
            {},
            static_cast<Index>(attributes.shape(1))};
  }
};

Batch make_batch(In<Code, 2> attributes, In<std::uint8_t, 2> traits, In<Index, 1> offsets) {
  require(traits.shape(1) == sizeof(Traits), "traits must have 10 columns: tag, classes, 8 agreement values");
  require(traits.shape(0) == attributes.shape(0), "attributes and traits differ in their number of words");
  const auto bounds = view(offsets);
  require(!bounds.empty() && bounds.front() == 0 && bounds.back() == static_cast<Index>(attributes.shape(0)),
          "offsets must go from 0 to the number of words");
  for (std::size_t s = 1; s < bounds.size(); ++s)
    require(bounds[s] > bounds[s - 1], "every sentence must have at least its root");
  return {std::move(attributes), std::move(traits), std::move(offsets)};
}

Decoder decoder_from(bool projective) { return projective ? Decoder::Eisner : Decoder::Mst; }

// A first-order model with the arrays and templates that own what it looks at, and its pruner if it has one.
struct PyArcModel {
  Templates arc;
  std::optional<Templates> between, label, nearby;
  std::array<std::optional<Templates>, KINDS> higher;
  Weights parts;
  std::optional<Weights> labels;
  std::optional<In<std::uint8_t, 3>> allowed;
  std::variant<PrunedModel<float>, PrunedModel<std::int16_t>> pruned;

  template <class Array>
  auto make_pruned(const Array& weights, float scale, bool single_root) const {
    using Weight = std::remove_const_t<typename Array::Scalar>;
    PrunedModel<Weight> made;
    made.model.arc = &arc;
    made.model.between = between ? &*between : nullptr;
    made.model.parts = make_table(weights, 1, scale);
    require(made.model.parts.stride == 1, "part weights must have one column");
    made.model.root = root_rule(single_root);
    made.model.instructions = best_instructions();
    return made;
  }

  PyArcModel(const Templates& arc_, std::optional<Templates> between_, Weights parts_, float part_scale,
             bool single_root)
      : arc(arc_), between(std::move(between_)), parts(std::move(parts_)) {
    require(arc.slots == 2 && arc.relations == ARC_RELATIONS,
            "arc templates must have two slots and the arc relations");
    require(!between || (between->slots == 3 && between->relations == BETWEEN_RELATIONS),
            "between templates must have three slots and the between relations");
    std::visit([&](const auto& weights) { pruned = make_pruned(weights, part_scale, single_root); }, parts);
  }
  PyArcModel(const PyArcModel&) = delete;

  void set_labels(const Templates& label_, const Weights& labels_, float scale, In<std::uint8_t, 3> allowed_) {
    require(label_.slots == 2 && label_.relations == ARC_RELATIONS,
            "label templates must have two slots and the arc relations");
    require(parts.index() == labels_.index(), "part and label weights differ in type");
    require(allowed_.shape(0) == allowed_.shape(1) && allowed_.shape(0) <= MAX_TAGS,
            "allowed must be [tags, tags, labels]");
    const auto flags = view(allowed_);
    for (std::size_t pair = 0; pair < allowed_.shape(0) * allowed_.shape(1); ++pair) {
      const auto row = flags.subspan(pair * allowed_.shape(2), allowed_.shape(2));
      require(std::any_of(row.begin(), row.end(), [](std::uint8_t flag) { return flag != 0; }),
              "allowed must leave at least one label to every pair of tags");
    }
    label = label_;
    labels = labels_;
    allowed = std::move(allowed_);
    std::visit(
        [&](auto& made) {
          using Weight = std::remove_const_t<std::remove_pointer_t<decltype(made.model.parts.weights)>>;
          made.model.labels =
              make_table(std::get<In<Weight, 2>>(*labels), static_cast<Index>(allowed->shape(2)), scale);
          made.model.allowed = view(*allowed);
          made.model.tags = static_cast<Index>(allowed->shape(0));
          made.model.label = &*label;
        },
        pruned);
  }

  void set_nearby(const Templates& templates) {
    require(label.has_value(), "labels in the light of the tree need labels");
    require(templates.slots == NEARBY_SLOTS && templates.relations == NEARBY_RELATIONS,
            "nearby templates must have seven slots and the nearby relations");
    nearby = templates;
    std::visit([&](auto& made) { made.model.nearby = &*nearby; }, pruned);
  }

  void set_parts(std::size_t kind, const Templates& templates) {
    require(kind < KINDS, "no such kind of parts");
    require(templates.slots == KIND_SLOTS[kind] && templates.relations == KIND_RELATIONS[kind],
            "templates must have the slots and relations of their kind of parts");
    higher[kind] = templates;
    std::visit([&](auto& made) { made.model.higher[kind] = &*higher[kind]; }, pruned);
  }

  void set_pruner(const PyArcModel& pruner, Index max_heads, double threshold) {
    require(pruned.index() == pruner.pruned.index(), "model and pruner differ in the type of their weights");
    require(max_heads >= 1 && threshold >= 0.0 && threshold <= 1.0, "max_heads must be positive, threshold in [0, 1]");
    std::visit(
        [&](auto& made) {
          const auto& other = std::get<std::remove_reference_t<decltype(made)>>(pruner.pruned).model;
          require(made.model.root == other.root, "model and pruner differ in their root rule");
          made.pruner = &other;
          made.rule = {max_heads, threshold};
        },
        pruned);
  }

  void check(const Batch& batch) const {
    auto known = [&](const Templates& family) {
      for (const Atom& atom : family.atoms)
        require(atom.attribute < static_cast<Index>(batch.attributes.shape(1)),
                "a template looks at an attribute that the words do not have");
    };
    known(arc);
    if (between) known(*between);
    if (nearby) known(*nearby);
    for (const auto& family : higher)
      if (family) known(*family);
    std::visit(
        [&](const auto& made) {
          if (made.pruner) known(*made.pruner->arc);
          if (made.pruner && made.pruner->between) known(*made.pruner->between);
        },
        pruned);
    if (!label) return;
    known(*label);
    for (std::size_t word = 0; word < batch.traits.shape(0); ++word)
      require(batch.traits(word, 0) < allowed->shape(0), "a word's tag number is out of range");
  }
};

nb::tuple parse(const PyArcModel& self, const Batch& batch, bool projective, std::size_t threads) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  std::vector<Index> heads(corpus.traits.size(), NO_HEAD), labels(corpus.traits.size(), -1);
  std::vector<double> scores(corpus.size(), 0.0);
  {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& model) {
          parse_batch(model, corpus, decoder_from(projective), threads, {heads, labels, scores});
        },
        self.pruned);
  }
  return nb::make_tuple(copied<Out<Index, 1>>(heads, {heads.size()}), copied<Out<Index, 1>>(labels, {labels.size()}),
                        copied<Out<double, 1>>(scores, {scores.size()}));
}

nb::tuple confidence(const PyArcModel& self, const Batch& batch, const In<Index, 1>& heads, const In<Index, 1>& labels,
                     bool projective, std::size_t threads) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  require(heads.size() == corpus.traits.size() && labels.size() == corpus.traits.size(),
          "heads and labels must have one entry a word");
  for (std::size_t word = 0; self.label && word < heads.size(); ++word)
    require(heads(word) < 0 || (labels(word) >= 0 && static_cast<std::size_t>(labels(word)) < self.allowed->shape(2)),
            "a label is out of range");
  std::vector<double> arcs(heads.size(), 0.0), labelled(heads.size(), 0.0);
  {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& model) {
          confidence_batch(model, corpus, decoder_from(projective), threads, view(heads), view(labels), arcs, labelled);
        },
        self.pruned);
  }
  return nb::make_tuple(copied<Out<double, 1>>(arcs, {arcs.size()}),
                        copied<Out<double, 1>>(labelled, {labelled.size()}));
}

nb::tuple problem(const PyArcModel& self, const Batch& batch, bool projective) {
  self.check(batch);
  const Corpus corpus = batch.corpus();
  require(corpus.size() == 1, "a problem is made of one sentence");
  ParserWorkspace workspace;
  ArcProblem& made = workspace.problem;
  const std::size_t stride = std::visit(
      [&](const auto& model) {
        const Words words = corpus.sentence(0);
        choose_candidates(model, words, decoder_from(projective), workspace.pruning, made.candidates);
        build_arcs(model.model, words, made);
        fold_best_labels(model.model, words, 0.0F, made);
        return model.model.label ? static_cast<std::size_t>(model.model.labels.stride) : 0;
      },
      self.pruned);
  const std::size_t count = made.arcs.count;
  return nb::make_tuple(copied<Out<Index, 2>>(made.arcs.slots, {count, 2}),
                        copied<Out<float, 1>>(made.arc_scores, {count}),
                        copied<Out<float, 2>>(made.label_rows, {count, stride}),
                        copied<Out<double, 1>>(made.scores, {count}), copied<Out<Index, 1>>(made.labels, {count}));
}

// A trainer with the arrays that own what it reads and changes.
struct ArcTrainer {
  using Matrix = InOut<float, 2>;

  Batch batch;
  In<Index, 1> gold_heads, gold_labels;
  Matrix parts, part_totals;
  std::optional<Matrix> labels, label_totals;
  Trainer trainer;

  ArcTrainer(const PyArcModel& model, const Batch& batch_, In<Index, 1> gold_heads_, In<Index, 1> gold_labels_,
             Matrix parts_, Matrix part_totals_, std::optional<Matrix> labels_, std::optional<Matrix> label_totals_,
             bool projective, std::size_t threads)
      : batch(batch_),
        gold_heads(std::move(gold_heads_)),
        gold_labels(std::move(gold_labels_)),
        parts(std::move(parts_)),
        part_totals(std::move(part_totals_)),
        labels(std::move(labels_)),
        label_totals(std::move(label_totals_)) {
    model.check(batch);
    require(std::holds_alternative<PrunedModel<float>>(model.pruned), "only a model of floats can be trained");
    trainer.model = &std::get<PrunedModel<float>>(model.pruned);
    trainer.corpus = batch.corpus();
    trainer.corpus.gold_heads = view(gold_heads);
    trainer.corpus.gold_labels = view(gold_labels);
    check_tables(trainer.model->model);
    check_gold(trainer.corpus, trainer.model->model);
    trainer.parts = {view(parts), view(part_totals)};
    if (labels) trainer.labels = {view(*labels), view(*label_totals)};
    nb::gil_scoped_release release;
    if (trainer.model->pruner) trainer.choose_all_candidates(decoder_from(projective), threads);
  }

  void check_tables(const ArcModel<float>& model) const {
    require(model.parts.weights == parts.data() && parts.size() == part_totals.size(),
            "the part weights to train are not those of the model");
    require(labels.has_value() == (model.label != nullptr) && labels.has_value() == label_totals.has_value(),
            "label weights go with label templates");
    require(!labels || (model.labels.weights == labels->data() && labels->size() == label_totals->size()),
            "the label weights to train are not those of the model");
  }

  static void check_gold(const Corpus& corpus, const ArcModel<float>& model) {
    require(corpus.gold_heads.size() == corpus.traits.size() && corpus.gold_labels.size() == corpus.traits.size(),
            "gold heads and labels must have one entry a word");
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

  nb::tuple study(const In<Index, 1>& sentences, bool expected, float cost, bool projective, std::size_t threads) {
    for (Index s : view(sentences))
      require(s >= 0 && static_cast<std::size_t>(s) < trainer.corpus.size(), "a sentence number is out of range");
    {
      nb::gil_scoped_release release;
      trainer.study_batch(view(sentences), expected ? Compare::Expected : Compare::Best, cost, decoder_from(projective),
                          threads);
    }
    auto losses = new_array<Out<double, 1>>({sentences.size()}), norms = new_array<Out<double, 1>>({sentences.size()});
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      losses.data()[i] = trainer.lessons[i].loss;
      norms.data()[i] = trainer.lessons[i].squared_norm;
    }
    return nb::make_tuple(losses, norms);
  }

  void apply(std::size_t lesson, float step, float time) {
    require(lesson < trainer.lessons.size(), "no such lesson");
    trainer.apply(lesson, step, time);
  }
};

void bind_parser(nb::module_& m) {
  nb::class_<Batch>(m, "Batch", "Sentences laid end to end, each with its root.")
      .def(
          "__init__",
          [](Batch* self, In<Code, 2> attributes, In<std::uint8_t, 2> traits, In<Index, 1> offsets) {
            new (self) Batch(make_batch(std::move(attributes), std::move(traits), std::move(offsets)));
          },
          "attributes"_a, "traits"_a, "offsets"_a);
  nb::class_<PyArcModel>(m, "ArcModel", "A first-order model: templates, weights, root rule; labels and a pruner.")
      .def(nb::init<const Templates&, std::optional<Templates>, Weights, float, bool>(), "arc"_a, "between"_a.none(),
           "weights"_a, "scale"_a, "single_root"_a)
      .def("set_labels", &PyArcModel::set_labels, "templates"_a, "weights"_a, "scale"_a, "allowed"_a,
           "Labels: weights [2^bits + 1, stride]; allowed [tags, tags, labels] for (head tag, modifier tag).")
      .def("set_nearby", &PyArcModel::set_nearby, "templates"_a, "Labels in the light of the tree.")
      .def("set_parts", &PyArcModel::set_parts, "kind"_a, "templates"_a,
           "Parts of more than one arc: kind 0 siblings, 1 grandparents, 2 grand-siblings, 3 tri-siblings.")
      .def("set_pruner", &PyArcModel::set_pruner, "pruner"_a, "max_heads"_a, "threshold"_a, nb::keep_alive<1, 2>(),
           "Candidates: at most max_heads a word, with at least threshold times the word's best posterior.")
      .def("parse", &parse, "batch"_a, "projective"_a, "threads"_a,
           nb::sig("def parse(self, batch: Batch, projective: bool, threads: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "heads [words], labels [words], scores [sentences].")
      .def("confidence", &confidence, "batch"_a, "heads"_a, "labels"_a, "projective"_a, "threads"_a,
           nb::sig("def confidence(self, batch: Batch, heads: numpy.typing.NDArray[numpy.int32], labels: "
                   "numpy.typing.NDArray[numpy.int32], projective: bool, threads: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "Marginals of the given arcs, and of the given labelled arcs, [words] each.")
      .def("problem", &problem, "batch"_a, "projective"_a,
           nb::sig("def problem(self, batch: Batch, projective: bool) -> tuple[numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32]]"),
           "Candidates [n, 2], arc scores, label rows [n, stride], scores with the best label, best labels.\n\n"
           "With projective there is a projective tree among the candidates.");
  nb::class_<ArcTrainer>(m, "ArcTrainer", "Decodes mini-batches against gold, then moves the weights.")
      .def(nb::init<const PyArcModel&, const Batch&, In<Index, 1>, In<Index, 1>, ArcTrainer::Matrix, ArcTrainer::Matrix,
                    std::optional<ArcTrainer::Matrix>, std::optional<ArcTrainer::Matrix>, bool, std::size_t>(),
           "model"_a, "batch"_a, "gold_heads"_a, "gold_labels"_a, "part_weights"_a.noconvert(),
           "part_totals"_a.noconvert(), "label_weights"_a.none().noconvert(), "label_totals"_a.none().noconvert(),
           "projective"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def(
          "study", &ArcTrainer::study, "sentences"_a, "expected"_a, "cost"_a, "projective"_a, "threads"_a,
          nb::sig(
              "def study(self, sentences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, projective: "
              "bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
          "Losses and squared norms [sentences] of the differences that `apply` will use.")
      .def("apply", &ArcTrainer::apply, "lesson"_a, "step"_a, "time"_a);
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of headlong: kernels over arrays, no strings, no files.";
  bind_trees(m);
  bind_features(m);
  bind_parser(m);
  bind_graph(m);
  bind_parts(m);
}
