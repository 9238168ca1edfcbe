// The low-rank tensor for Python: scores of arcs, their gradients, and the vectors of words.
#include "bindings/tensor.hpp"

#include <nanobind/stl/array.h>

#include "bindings/parser.hpp"
#include "bindings/unlocked.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

using Matrix = In<float, 2>;

// The vocabulary of features: row i belongs to code i.
Vocabulary numbered(const In<Code, 1>& codes) {
  std::vector<Index> rows(codes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
  return Vocabulary(view(codes), rows);
}

// Fills in all but the weights of head and modifier.
void make_tensor(PyTensor* self, const Templates& words, const Templates& arcs, const In<Code, 1>& word_codes,
                 const In<Code, 1>& arc_codes, Matrix arc, float share, const char* instructions) {
  require(words.slots == 1 && words.relations == 0, "word templates must have one slot and no relations");
  require(words.count <= static_cast<Index>(MOST_ROWS), "there can be at most 512 word templates");
  require(arcs.slots == 2 && arcs.relations == ARC_RELATIONS,
          "arc templates must have two slots and the arc relations");
  require(arcs.atoms.empty(), "arc templates must not look at words");
  require(share >= 0.0F && share <= 1.0F, "share must be in [0, 1]");
  const std::size_t stride = arc.shape(1);
  require(stride >= PANEL && stride % PANEL == 0 && stride <= 1024, "the rank must be padded to a multiple of 16");
  require(arc.shape(0) == arc_codes.size(), "arc must have one row per arc feature");
  new (self) PyTensor{words, arcs, {}, {}, nullptr};
  self->weights[static_cast<std::size_t>(Factor::Arc)] = std::move(arc);
  std::vector<Index> relations;
  for (Index relation = arcs.relations - 1; relation >= 0; --relation)  // distances, which differ most, come first
    if (std::ranges::any_of(arcs.used, [&](std::uint32_t used) { return used >> relation & 1; }))
      relations.push_back(relation);
  const Instructions chosen = choose_instructions(instructions);
  self->tensor = std::make_unique<Tensor>(Tensor{&self->words,
                                                 &self->arcs,
                                                 std::move(relations),
                                                 numbered(word_codes),
                                                 numbered(arc_codes),
                                                 static_cast<Index>(word_codes.size()),
                                                 0,
                                                 static_cast<Index>(stride),
                                                 {nullptr, nullptr, self->weights.back().data()},
                                                 nullptr,
                                                 share,
                                                 chosen,
                                                 &kernels(chosen)});
}

void make_float_tensor(PyTensor* self, const Templates& words, const Templates& arcs, const In<Code, 1>& word_codes,
                       const In<Code, 1>& arc_codes, Matrix head, Matrix modifier, Matrix arc, Index vector_size,
                       float share, const char* instructions) {
  require(vector_size >= 0 && vector_size <= 10'000, "vector_size must be 0 to 10,000");
  const std::size_t rows = word_codes.size() + 3 * static_cast<std::size_t>(vector_size), stride = arc.shape(1);
  for (const Matrix* matrix : {&head, &modifier})
    require(matrix->shape(0) == rows && matrix->shape(1) == stride,
            "head and modifier must have one row per word feature and per place of the three vectors");
  make_tensor(self, words, arcs, word_codes, arc_codes, std::move(arc), share, instructions);
  self->weights[0] = std::move(head), self->weights[1] = std::move(modifier);
  self->tensor->weights[0] = self->weights[0].data(), self->tensor->weights[1] = self->weights[1].data();
  self->tensor->vector_size = vector_size;
}

void make_rounded_tensor(PyTensor* self, const Templates& words, const Templates& arcs, const In<Code, 1>& word_codes,
                         const In<Code, 1>& arc_codes, const std::array<In<std::int8_t, 2>, 2>& matrices,
                         const std::array<In<float, 1>, 2>& scales, Matrix arc, float share, const char* instructions) {
  const std::size_t columns = matrices[0].shape(1);
  require(columns <= arc.shape(1) && columns + PANEL > arc.shape(1), "arc must have the padded rank of the others");
  for (std::size_t side = 0; side < 2; ++side) {
    require(matrices[side].shape(0) == word_codes.size() && matrices[side].shape(1) == columns &&
                scales[side].size() == word_codes.size(),
            "head and modifier must have one row and one scale per word feature");
    for (float scale : view(scales[side])) require(scale >= 0.0F && scale < 1e6F, "scales must be 0 to 1e6");
  }
  make_tensor(self, words, arcs, word_codes, arc_codes, std::move(arc), share, instructions);
  self->rounded =
      pair_rows({ScaledRows{view(matrices[0]), view(scales[0])}, ScaledRows{view(matrices[1]), view(scales[1])}},
                static_cast<Index>(columns));
  self->tensor->rounded = &self->rounded;
}

// The arcs of one sentence with their relations.
Parts parts_of(const Words& words, const In<Index, 2>& arcs) {
  require(arcs.shape(1) == 2, "arcs must have the columns head and modifier");
  for (Index word : view(arcs)) require(word >= 0 && word < words.size(), "an arc names a word that is out of range");
  ArcContext context;
  prepare(words.traits, context);
  Parts parts;
  for (std::size_t i = 0; i < arcs.shape(0); ++i) add_arc(context, arcs(i, 0), arcs(i, 1), parts);
  return parts;
}

// The arcs of one sentence under a tensor.
struct Scored {
  TensorSentence sentence;
  std::vector<float> scores;
};

Scored score(const PyTensor& self, const Batch& batch, const In<Index, 2>& arcs) {
  check_tensor(self, batch);
  const Corpus corpus = batch.corpus();
  require(corpus.size() == 1, "expected a batch of one sentence");
  const Words words = corpus.sentence(0);
  const Parts parts = parts_of(words, arcs);
  Scored found;
  found.scores.assign(parts.count, 0.0F);
  add_tensor_scores(*self.tensor, words.attributes, words.vectors, parts.view(), found.sentence, found.scores);
  return found;
}

nb::tuple difference(const PyTensor& self, const Batch& batch, const In<Index, 2>& arcs, const In<float, 1>& amounts,
                     std::size_t factor) {
  require(amounts.size() == arcs.shape(0), "amounts must have one entry per arc");
  require(factor < FACTORS, "the factor must be 0 (head), 1 (modifier) or 2 (arc)");
  const Scored found = score(self, batch, arcs);
  std::vector<WeightedArc> weighted;
  for (std::size_t i = 0; i < amounts.size(); ++i) weighted.push_back({i, arcs(i, 0), arcs(i, 1), amounts(i)});
  TensorDifference made;
  tensor_difference(*self.tensor, found.sentence, weighted, static_cast<Factor>(factor), made);
  const std::size_t stride = self.tensor->stride;
  return nb::make_tuple(copied(made.rows), copied<Out<float, 2>>(made.values, {made.rows.size(), stride}),
                        made.squared_norm);
}

nb::tuple project_words(const PyTensor& self, const Batch& batch) {
  check_tensor(self, batch);
  const Corpus corpus = batch.corpus();
  const std::size_t stride = self.tensor->stride, words = corpus.traits.size();
  std::vector<float> heads, modifiers;
  {
    const Unlocked unlocked;
    TensorSentence sentence;
    std::vector<float> none;
    for (std::size_t s = 0; s < corpus.size(); ++s) {
      const Words one = corpus.sentence(s);
      add_tensor_scores(*self.tensor, one.attributes, one.vectors, {}, sentence, none);
      heads.insert(heads.end(), sentence.heads.begin(), sentence.heads.end());
      modifiers.insert(modifiers.end(), sentence.modifiers.begin(), sentence.modifiers.end());
    }
  }
  return nb::make_tuple(copied<Out<float, 2>>(heads, {words, stride}),
                        copied<Out<float, 2>>(modifiers, {words, stride}));
}

}  // namespace

void check_tensor(const PyTensor& self, const Batch& batch) {
  for (const Templates* family : {&self.words, &self.arcs})
    for (const Atom& atom : family->atoms)
      require(atom.attribute < static_cast<Index>(batch.attributes.shape(1)),
              "a template looks at an attribute that the words do not have");
  const Index size = batch.vectors ? static_cast<Index>(batch.vectors->shape(1)) : 0;
  require(self.tensor->vector_size == 0 || size == self.tensor->vector_size,
          "the vectors of the words do not have the size that the tensor needs");
}

void bind_tensor(nb::module_& m) {
  nb::class_<PyTensor>(m, "Tensor", "The low-rank tensor that scores arcs.")
      .def("__init__", &make_float_tensor, "words"_a, "arcs"_a, "word_codes"_a, "arc_codes"_a, "head"_a, "modifier"_a,
           "arc"_a, "vector_size"_a, "share"_a, "instructions"_a = "",
           "Args:\n"
           "    words, arcs: templates of the features.\n"
           "    word_codes, arc_codes: the codes of known features.\n"
           "    head, modifier: [word features + 3 * vector_size, rank padded to a multiple of 16].\n"
           "    arc: [arc features, the same].\n"
           "    share: what the scores are multiplied by.")
      .def("__init__", &make_rounded_tensor, "words"_a, "arcs"_a, "word_codes"_a, "arc_codes"_a, "matrices"_a,
           "scales"_a, "arc"_a, "share"_a, "instructions"_a = "",
           "Make a tensor that does not learn.\n\n"
           "Args:\n"
           "    words, arcs: templates of the features.\n"
           "    word_codes, arc_codes: the codes of known features.\n"
           "    matrices: those of head and modifier, as 8-bit integers [word features, rank].\n"
           "    scales: the values of one unit in their rows [word features].\n"
           "    arc: [arc features, rank padded to a multiple of 16].\n"
           "    share: what the scores are multiplied by.")
      .def(
          "scores",
          [](const PyTensor& self, const Batch& batch, const In<Index, 2>& arcs) {
            return copied(score(self, batch, arcs).scores);
          },
          "batch"_a, "arcs"_a, "Return the scores of arcs [n, 2] (head, modifier) of one sentence.")
      .def("difference", &difference, "batch"_a, "arcs"_a, "amounts"_a, "factor"_a,
           nb::sig("def difference(self, batch: headlong._core.parser.Batch, arcs: numpy.typing.NDArray[numpy.int32], "
                   "amounts: numpy.typing.NDArray[numpy.float32], factor: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], float]"),
           "Return the gradient of the weighted sum of the scores of arcs, by factor 0 (head), 1 (modifier) or 2\n"
           "(arc): its rows that are not zero, their values, and its squared norm.")
      .def("project", &project_words, "batch"_a,
           nb::sig("def project(self, batch: headlong._core.parser.Batch) -> "
                   "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
           "Return the vectors of all words as heads and as modifiers, [words, stride] each.");
  m.def(
      "arc_relations",
      [](const Batch& batch, const In<Index, 2>& arcs) {
        const Corpus corpus = batch.corpus();
        require(corpus.size() == 1, "expected a batch of one sentence");
        const Parts parts = parts_of(corpus.sentence(0), arcs);
        return copied<Out<Code, 2>>(parts.relations, {parts.count, ARC_RELATIONS});
      },
      "batch"_a, "arcs"_a, "Return the relations [n, 8] of arcs [n, 2] (head, modifier) of one sentence.");
}

}  // namespace headlong
