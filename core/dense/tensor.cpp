#include "dense/tensor.hpp"

#include <algorithm>

#include "base/platform.hpp"
#include "base/stop.hpp"

namespace headlong {

namespace {

void add_known(const Vocabulary& known, std::span<const Code> codes, std::vector<WeightedRow>& rows) {
  for (Code code : codes)
    if (const Index row = known.find(code); row >= 0) rows.push_back({row, 1.0F});
}

// Adds the vectors of a word and of its neighbors. Each of the three has its own rows.
void add_vectors(const Tensor& tensor, std::span<const float> vectors, Index word, Index count,
                 std::vector<WeightedRow>& rows) {
  for (Index side = 0; side < 3; ++side) {
    const Index neighbor = word + side - 1;
    if (neighbor < 0 || neighbor >= count) continue;
    const auto vector = vectors.subspan(static_cast<std::size_t>(neighbor) * tensor.vector_size, tensor.vector_size);
    for (Index i = 0; i < tensor.vector_size; ++i)
      if (vector[i] != 0.0F) rows.push_back({tensor.known_words + side * tensor.vector_size + i, vector[i]});
  }
}

// Asks for the weights of rows that will soon be summed: most of them are not in the cache.
void prefetch_rows(const Tensor& tensor, std::span<const WeightedRow> rows) {
  constexpr Index FLOATS = 16;  // in a cache line
  for (const WeightedRow& row : rows) {
    if (tensor.rounded) {
      for (Index line = 0; line < 2 * tensor.rounded->half(); ++line) prefetch(tensor.rounded->row(row.row) + line);
      continue;
    }
    for (Index column = 0; column < tensor.stride; column += FLOATS)
      for (Factor factor : {Factor::Head, Factor::Modifier})
        prefetch(tensor.of(factor) + static_cast<std::size_t>(row.row) * tensor.stride + column);
  }
}

// Finds the rows of all words, then sums them: meanwhile the weights are on their way.
void project_words(const Tensor& tensor, const Attributes& words, std::span<const float> vectors,
                   TensorSentence& sentence) {
  slot_codes(words, *tensor.word_templates, sentence.word_codes);
  const std::size_t count = tensor.word_templates->count, stride = tensor.stride;
  FeatureRows& found = sentence.words;
  found.rows.clear();
  found.begins.assign(1, 0);
  sentence.heads.resize(words.words * stride);
  sentence.modifiers.resize(words.words * stride);
  const auto codes_of = [&](Index word) { return std::span(sentence.word_codes.row(0, word), count); };
  const auto project_word = [&](Index word) {
    float *head = &sentence.heads[word * stride], *modifier = &sentence.modifiers[word * stride];
    if (tensor.rounded) return sum_rounded_rows(*tensor.rounded, found.of(word), tensor.instructions, {head, modifier});
    tensor.kernels->sum_rows(tensor.of(Factor::Head), tensor.stride, found.of(word), head);
    tensor.kernels->sum_rows(tensor.of(Factor::Modifier), tensor.stride, found.of(word), modifier);
  };
  for (Index word = 0; word < words.words; ++word) {
    if (word + 1 < words.words)
      for (Code code : codes_of(word + 1)) tensor.words.expect(code);
    add_known(tensor.words, codes_of(word), found.rows);
    if (tensor.vector_size > 0) add_vectors(tensor, vectors, word, words.words, found.rows);
    found.begins.push_back(static_cast<Index>(found.rows.size()));
    prefetch_rows(tensor, found.of(word));
  }
  for (Index word = 0; word < words.words; ++word) project_word(word);
}

// Returns the kind of an arc with the given relations. A new kind has no features yet. A sentence has at most 18, the
// number of signed distances.
Index find_kind(const Tensor& tensor, const Code* relations, TensorSentence& sentence) {
  const std::size_t width = tensor.relations.size();
  std::vector<Code>& known = sentence.kind_relations;
  Index kind = 0;
  for (std::size_t place = 0; place < known.size(); place += width, ++kind) {
    std::size_t i = 0;
    while (i < width && known[place + i] == relations[tensor.relations[i]]) ++i;
    if (i == width) return kind;
  }
  for (Index relation : tensor.relations) known.push_back(relations[relation]);
  return kind;
}

void project_arcs(const Tensor& tensor, const Attributes& words, const PartColumns& arcs, TensorSentence& sentence) {
  constexpr Index ROOT[] = {0, 0};  // any word will do: the templates do not look at words
  const Templates& templates = *tensor.arc_templates;
  slot_codes({words.codes.first(words.count), 1, words.count}, templates, sentence.arc_codes);
  FeatureRows& found = sentence.kinds;
  found.rows.clear();
  found.begins.assign(1, 0);
  sentence.codes.resize(templates.count);
  sentence.kind_of.resize(arcs.count);
  sentence.kind_relations.clear();
  sentence.relations.clear();
  for (std::size_t arc = 0; arc < arcs.count; ++arc) {
    const Code* relations = arcs.relations.data() + arc * templates.relations;
    const std::size_t kind = sentence.kind_of[arc] = find_kind(tensor, relations, sentence);
    if (kind + 1 < found.begins.size()) continue;
    feature_indices(sentence.arc_codes, templates, ROOT, relations, 0, sentence.codes.data());
    add_known(tensor.arcs, sentence.codes, found.rows);
    found.begins.push_back(static_cast<Index>(found.rows.size()));
    sentence.relations.resize((kind + 1) * tensor.stride);
    tensor.kernels->sum_rows(tensor.of(Factor::Arc), tensor.stride, found.of(kind),
                             &sentence.relations[kind * tensor.stride]);
  }
}

}  // namespace

void add_tensor_scores(const Tensor& tensor, const Attributes& words, std::span<const float> vectors,
                       const PartColumns& arcs, TensorSentence& sentence, std::span<float> scores) {
  project_words(tensor, words, vectors, sentence);
  project_arcs(tensor, words, arcs, sentence);
  WorkCounter work;
  for (std::size_t arc = 0; arc < arcs.count; ++arc) {
    work.add(tensor.stride);
    scores[arc] +=
        tensor.share * tensor.kernels->triple_product(sentence.head(arcs.slots[2 * arc], tensor.stride),
                                                      sentence.modifier(arcs.slots[2 * arc + 1], tensor.stride),
                                                      sentence.relation(arc, tensor.stride), tensor.stride);
  }
}

void tensor_difference(const Tensor& tensor, const TensorSentence& sentence, std::span<const WeightedArc> arcs,
                       Factor factor, TensorDifference& out) {
  const Index stride = tensor.stride;
  const FeatureRows& rows = factor == Factor::Arc ? sentence.kinds : sentence.words;
  out.factor = factor;
  out.vectors.clear();
  out.shares.clear();
  out.numbers.assign(rows.begins.size() - 1, -1);
  // By words or kinds of arcs: the weighted sum of the products of the other two factors.
  for (const auto& [arc, head, modifier, weight] : arcs) {
    const Index item = factor == Factor::Head ? head : factor == Factor::Modifier ? modifier : sentence.kind_of[arc];
    const float* first = factor == Factor::Head ? sentence.modifier(modifier, stride) : sentence.head(head, stride);
    const float* second = factor == Factor::Arc ? sentence.modifier(modifier, stride) : sentence.relation(arc, stride);
    if (out.numbers[item] < 0) {
      out.numbers[item] = static_cast<Index>(out.vectors.size() / stride);
      out.vectors.resize(out.vectors.size() + stride, 0.0F);
      for (const auto& [row, value] : rows.of(item)) out.shares.push_back({row, out.numbers[item], value});
    }
    float* sum = out.vectors.data() + static_cast<std::size_t>(out.numbers[item]) * stride;
    const float amount = tensor.share * weight;
    for (Index i = 0; i < stride; ++i) sum[i] += amount * (first[i] * second[i]);
  }
  std::ranges::stable_sort(out.shares, {}, &TensorDifference::Share::row);
  out.rows.clear();
  out.values.clear();
  for (const auto& [row, number, weight] : out.shares) {
    if (out.rows.empty() || out.rows.back() != row) {
      out.rows.push_back(row);
      out.values.resize(out.values.size() + stride, 0.0F);
    }
    float* to = out.values.data() + out.values.size() - stride;
    const float* from = out.vectors.data() + static_cast<std::size_t>(number) * stride;
    for (Index i = 0; i < stride; ++i) to[i] += weight * from[i];
  }
  out.squared_norm = 0.0;
  for (float value : out.values) out.squared_norm += static_cast<double>(value) * value;
}

}  // namespace headlong
