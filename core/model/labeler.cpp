#include "model/labeler.hpp"

#include <algorithm>
#include <cmath>

namespace headlong {

namespace {

template <class Weight>
std::span<const float> base_row(const ParserModel<Weight>& model, const ScoredArcs& arcs, Index arc) {
  return std::span(arcs.label_rows).subspan(static_cast<std::size_t>(arc) * model.labels.stride, model.labels.stride);
}

// Returns the best allowed label under row + more. Unless `gold` is negative, all labels except `gold` get `cost`
// extra.
template <class Weight>
Index best_label(const ParserModel<Weight>& model, const Words& words, Index head, Index modifier,
                 std::span<const float> row, std::span<const float> more, Index gold, float cost) {
  const auto allowed = allowed_labels(model, words, head, modifier);
  float best = 0.0F;
  Index chosen = -1;
  for (Index label = 0; label < model.labels.columns; ++label) {
    if (!allowed[label]) continue;
    const float score = row[label] + (more.empty() ? 0.0F : more[label]) + (gold >= 0 && label != gold ? cost : 0.0F);
    if (chosen < 0 || score > best) best = score, chosen = label;
  }
  return chosen;
}

// Finds the candidate, the first label and the neighbors in the tree of every word.
template <class Weight>
void survey(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, std::span<const Index> heads,
            LabelerWorkspace& w) {
  const Index size = words.size();
  for (auto* column : {&w.arcs, &w.first, &w.before, &w.after, &w.children[0], &w.children[1]})
    column->assign(size, NO_HEAD);
  for (auto& column : w.counts) column.assign(size, 0);
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc) {
    const Index head = arcs.parts.slots[2 * arc], modifier = arcs.parts.slots[2 * arc + 1];
    if (heads[modifier] == head) w.arcs[modifier] = static_cast<Index>(arc);
  }
  // Words are visited in order, so the last modifier seen on the same side of a head is the neighboring sibling.
  std::vector<Index>& last = w.children[1];
  for (Index word = 1; word < size; ++word) {
    const Index head = heads[word];
    w.first[word] = best_label(model, words, head, word, base_row(model, arcs, w.arcs[word]), {}, -1, 0.0F);
    if (w.children[0][head] == NO_HEAD) w.children[0][head] = word;
    ++w.counts[word > head][head];
    const Index other = last[head];
    if (other != NO_HEAD && (other > head) == (word > head)) {
      if (word > head) {
        w.before[word] = other;
        w.after[other] = word;
      } else {
        w.after[word] = other;
        w.before[other] = word;
      }
    }
    last[head] = word;
  }
}

void add_tree_label_parts(const Words& words, std::span<const Index> heads, LabelerWorkspace& w) {
  const Index size = words.size();
  w.parts.count = size - 1;
  w.parts.slots.resize(static_cast<std::size_t>(size - 1) * TREE_LABEL_SLOTS);
  w.parts.relations.resize(static_cast<std::size_t>(size - 1) * TREE_LABEL_RELATIONS);
  Index* slots = w.parts.slots.data();
  Code* relations = w.parts.relations.data();
  auto label = [&](Index word) { return mix(7 + static_cast<Code>(word == NO_HEAD ? -1 : w.first[word])); };
  auto few = [](Index count) { return static_cast<Code>(std::min(count, Index{3})); };
  for (Index word = 1; word < size; ++word, slots += TREE_LABEL_SLOTS, relations += TREE_LABEL_RELATIONS) {
    const Index head = heads[word], above = heads[head];
    const Index before = w.before[word], after = w.after[word], first = w.children[0][word], last = w.children[1][word];
    auto or_else = [](Index found, Index other) { return found == NO_HEAD ? other : found; };
    const Index row[] = {
        or_else(above, head), head, word, or_else(before, head), or_else(after, head), or_else(first, word),
        or_else(last, word)};
    std::copy_n(row, TREE_LABEL_SLOTS, slots);
    const Code side = (word > head) + 2 * (before == NO_HEAD) + 4 * (after == NO_HEAD) + 8 * (first == NO_HEAD);
    const Code values[] = {mix(32 + side),
                           label(head),
                           label(before),
                           label(after),
                           label(first),
                           label(last),
                           mix(100 + 4 * few(w.counts[0][word]) + few(w.counts[1][word]))};
    std::copy_n(values, TREE_LABEL_RELATIONS, relations);
  }
}

template <class Weight>
void score_tree_labels(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                       std::span<const Index> heads, LabelerWorkspace& w) {
  survey(model, words, arcs, heads, w);
  add_tree_label_parts(words, heads, w);
  slot_codes(words.attributes, *model.tree_label, w.codes);
  w.rows.resize(w.parts.count * model.labels.stride);
  score_rows(w.codes, *model.tree_label, w.parts.view(), model.labels, model.instructions, w.rows);
}

template <class Weight>
std::span<const float> tree_label_row(const ParserModel<Weight>& model, Index word, const LabelerWorkspace& w) {
  return std::span(w.rows).subspan(static_cast<std::size_t>(word - 1) * model.labels.stride, model.labels.stride);
}

}  // namespace

template <class Weight>
void label_tree(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                std::span<const Index> heads, std::span<Index> labels, LabelerWorkspace& workspace) {
  score_tree_labels(model, words, arcs, heads, workspace);
  labels[0] = -1;
  for (Index word = 1; word < words.size(); ++word)
    labels[word] = best_label(model, words, heads[word], word, base_row(model, arcs, workspace.arcs[word]),
                              tree_label_row(model, word, workspace), -1, 0.0F);
}

template <class Weight>
void weigh_labels(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                  std::span<const Index> heads, std::span<const Index> labels, std::span<double> probabilities,
                  LabelerWorkspace& workspace) {
  if (model.tree_label)
    score_tree_labels(model, words, arcs, heads, workspace);
  else
    survey(model, words, arcs, heads, workspace);
  for (Index word = 1; word < words.size(); ++word) {
    const auto row = base_row(model, arcs, workspace.arcs[word]);
    const auto more = model.tree_label ? tree_label_row(model, word, workspace) : std::span<const float>();
    const auto allowed = allowed_labels(model, words, heads[word], word);
    auto score = [&](Index label) { return static_cast<double>(row[label]) + (more.empty() ? 0.0F : more[label]); };
    double sum = 0.0;  // relative to the given label: infinite if that is next to impossible, and its share is then 0
    for (Index label = 0; label < model.labels.columns; ++label)
      if (allowed[label]) sum += std::exp(score(label) - score(labels[word]));
    probabilities[word] /= sum;
  }
}

template <class Weight>
double label_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, float cost,
                        SparseVector& difference, LabelerWorkspace& workspace) {
  score_tree_labels(model, words, arcs, words.gold_heads, workspace);
  double loss = 0.0;
  std::vector<Code> scratch;
  for (Index word = 1; word < words.size(); ++word) {
    const Index arc = workspace.arcs[word], gold = words.gold_labels[word];
    const auto base = base_row(model, arcs, arc), more = tree_label_row(model, word, workspace);
    const Index found = best_label(model, words, words.gold_heads[word], word, base, more, gold, cost);
    if (found == gold) continue;
    loss += base[found] + more[found] + cost - base[gold] - more[gold];
    for (const auto& [label, amount] : {std::pair{gold, 1.0F}, std::pair{found, -1.0F}}) {
      add_features(workspace.codes, *model.tree_label, workspace.parts.slots.data() + (word - 1) * TREE_LABEL_SLOTS,
                   workspace.parts.relations.data() + (word - 1) * TREE_LABEL_RELATIONS, model.labels.shift(),
                   model.labels.stride, label, amount, scratch, difference);
      add_features(arcs.label_codes, *model.label, arcs.parts.slots.data() + 2 * arc,
                   arcs.parts.relations.data() + arc * ARC_RELATIONS, model.labels.shift(), model.labels.stride, label,
                   amount, scratch, difference);
    }
  }
  return loss;
}

#define HEADLONG_INSTANTIATE(Weight)                                                                                  \
  template void label_tree(const ParserModel<Weight>&, const Words&, const ScoredArcs&, std::span<const Index>,       \
                           std::span<Index>, LabelerWorkspace&);                                                      \
  template void weigh_labels(const ParserModel<Weight>&, const Words&, const ScoredArcs&, std::span<const Index>,     \
                             std::span<const Index>, std::span<double>, LabelerWorkspace&);                           \
  template double label_difference(const ParserModel<Weight>&, const Words&, const ScoredArcs&, float, SparseVector&, \
                                   LabelerWorkspace&);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
