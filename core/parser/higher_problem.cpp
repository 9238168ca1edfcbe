#include "parser/higher_problem.hpp"

#include <algorithm>

namespace headlong {

namespace {

// The modifiers of every word of a tree: those of a fan stand together, nearest first.
struct Modifiers {
  std::vector<Index> words;
  std::vector<Index> begins;  // [2 * size + 1]

  explicit Modifiers(std::span<const Index> heads) : words(heads.size()), begins(2 * heads.size() + 1, 0) {
    const Index size = static_cast<Index>(heads.size());
    for (Index word = 1; word < size; ++word) ++begins[fan_of(heads[word], word) + 1];
    for (std::size_t fan = 1; fan < begins.size(); ++fan) begins[fan] += begins[fan - 1];
    std::vector<Index> next(begins.begin(), begins.end() - 1);
    for (Index word = 1; word < size; ++word)
      if (heads[word] < word) words[next[fan_of(heads[word], word)]++] = word;
    for (Index word = size - 1; word > 0; --word)
      if (heads[word] > word) words[next[fan_of(heads[word], word)]++] = word;
  }

  std::span<const Index> of(Index fan) const {
    return std::span(words).subspan(begins[fan], begins[fan + 1] - begins[fan]);
  }
};

}  // namespace

template <class Weight>
void build_higher(const ArcModel<Weight>& model, const Words& words, const ArcProblem& arcs, HigherProblem& higher) {
  lay_out(arcs.candidates, arcs.size, model.higher[static_cast<std::size_t>(Kind::TriSibling)] != nullptr,
          higher.frames);
  for (std::size_t kind = 0; kind < KINDS; ++kind) {
    if (!model.higher[kind]) continue;
    score_kind(model, words, arcs, static_cast<Kind>(kind), higher);
    add_scores(static_cast<Kind>(kind), higher.scores, higher.frames);
  }
}

template <class Weight>
void score_kind(const ArcModel<Weight>& model, const Words& words, const ArcProblem& arcs, Kind kind,
                HigherProblem& higher) {
  const auto k = static_cast<std::size_t>(kind);
  const Templates& templates = *model.higher[k];
  add_parts(arcs.context, higher.frames, kind, higher.parts);
  slot_codes(words.attributes, templates, higher.codes[k]);
  higher.scores.assign(higher.parts.count, 0.0F);
  score_parts(higher.codes[k], templates, higher.parts.view(), model.parts, model.instructions, higher.scores);
}

template <class Weight>
void higher_difference(const ArcModel<Weight>& model, const Words& words, const ArcProblem& arcs,
                       const HigherProblem& higher, std::span<const Index> heads, Difference& out) {
  const Modifiers gold(words.gold_heads), found(heads);
  std::vector<Code> scratch;
  auto add = [&](const Modifiers& modifiers, std::span<const Index> tree, Index head, float amount) {
    visit_parts(arcs.context, head, tree[head], modifiers.of(2 * head), modifiers.of(2 * head + 1),
                [&](Kind kind, const PartRow& row) {
                  const auto k = static_cast<std::size_t>(kind);
                  if (model.higher[k])
                    add_features(higher.codes[k], *model.higher[k], row.slots.data(), row.relations.data(),
                                 model.parts.shift(), 1, 0, amount, scratch, out.parts);
                });
  };
  for (Index head = 0; head < words.size(); ++head) {
    if (words.gold_heads[head] == heads[head] && std::ranges::equal(gold.of(2 * head), found.of(2 * head)) &&
        std::ranges::equal(gold.of(2 * head + 1), found.of(2 * head + 1)))
      continue;
    add(gold, words.gold_heads, head, 1.0F);
    add(found, heads, head, -1.0F);
  }
}

bool has_arcs(const ArcProblem& arcs, std::span<const Index> heads) {
  std::size_t count = 0;
  for (std::size_t arc = 0; arc < arcs.arcs.count; ++arc)
    count += heads[arcs.arcs.slots[2 * arc + 1]] == arcs.arcs.slots[2 * arc];
  return count + 1 == heads.size();
}

void labels_of(const ArcProblem& arcs, std::span<const Index> heads, std::span<Index> labels) {
  labels[0] = -1;
  for (std::size_t arc = 0; arc < arcs.arcs.count; ++arc) {
    const Index head = arcs.arcs.slots[2 * arc], modifier = arcs.arcs.slots[2 * arc + 1];
    if (heads[modifier] == head) labels[modifier] = arcs.labels[arc];
  }
}

#define HEADLONG_INSTANTIATE(Weight)                                                                              \
  template void build_higher(const ArcModel<Weight>&, const Words&, const ArcProblem&, HigherProblem&);           \
  template void score_kind(const ArcModel<Weight>&, const Words&, const ArcProblem&, Kind, HigherProblem&);       \
  template void higher_difference(const ArcModel<Weight>&, const Words&, const ArcProblem&, const HigherProblem&, \
                                  std::span<const Index>, Difference&);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
