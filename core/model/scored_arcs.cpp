#include "model/scored_arcs.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"

namespace headlong {

namespace {

// Smaller expectations do not change weights: they belong to most arcs, and their sum is negligible.
constexpr double NEGLIGIBLE = 1e-3;

// Adds the scores of the tags between head and modifier, one modifier at a time. All at once would take n^2 times the
// number of tags in memory for an unpruned sentence.
template <class Weight>
void score_between(const ParserModel<Weight>& model, ScoredArcs& arcs) {
  WorkCounter work;
  for (Index modifier = 1; modifier < arcs.size; ++modifier) {
    work.add(30 * arcs.between.count);
    arcs.between.clear();
    arcs.owners.clear();
    add_between(arcs.context, arcs.candidates.of(modifier), modifier, arcs.between, arcs.owners);
    arcs.between_scores.assign(arcs.between.count, 0.0F);
    score_parts(arcs.between_codes, *model.between, arcs.between.view(), model.parts, model.instructions,
                arcs.between_scores);
    float* scores = arcs.arc_scores.data() + arcs.candidates.begins[modifier];
    for (std::size_t b = 0; b < arcs.between.count; ++b) scores[arcs.owners[b]] += arcs.between_scores[b];
  }
}

// Calls visit(candidate, head, modifier) for every candidate.
template <class Visit>
void for_each_arc(const ScoredArcs& arcs, Visit visit) {
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc)
    visit(arc, arcs.parts.slots[2 * arc], arcs.parts.slots[2 * arc + 1]);
}

void fill_matrix(ScoredArcs& arcs) {
  arcs.matrix.assign(static_cast<std::size_t>(arcs.size) * arcs.size, NEGATIVE_INFINITY);
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    arcs.matrix[static_cast<std::size_t>(head) * arcs.size + modifier] = arcs.scores[arc];
  });
}

// Adds `amount` times the features of one arc and of the tags between its words.
template <class Weight>
void add_arc_features(const ParserModel<Weight>& model, const ScoredArcs& arcs, std::size_t arc, float amount,
                      std::vector<Code>& scratch, SparseVector& out) {
  const Index* slots = arcs.parts.slots.data() + 2 * arc;
  const Code* relations = arcs.parts.relations.data() + arc * ARC_RELATIONS;
  add_features(arcs.arc_codes, *model.arc, slots, relations, model.parts.shift(), 1, 0, amount, scratch, out);
  if (!model.between) return;
  const Index left = std::min(slots[0], slots[1]), right = std::max(slots[0], slots[1]);
  std::uint64_t seen = 0;
  for (Index word = left + 1; word < right; ++word) {
    const Index tag = arcs.context.traits[word].tag % MAX_TAGS;
    if (seen >> tag & 1) continue;
    seen |= std::uint64_t{1} << tag;
    const Index triple[] = {slots[0], slots[1], arcs.context.first[tag]};
    add_features(arcs.between_codes, *model.between, triple, relations, model.parts.shift(), 1, 0, amount, scratch,
                 out);
  }
}

template <class Weight>
void add_label_features(const ParserModel<Weight>& model, const ScoredArcs& arcs, std::size_t arc, Index label,
                        float amount, std::vector<Code>& scratch, SparseVector& out) {
  add_features(arcs.label_codes, *model.label, arcs.parts.slots.data() + 2 * arc,
               arcs.parts.relations.data() + arc * ARC_RELATIONS, model.labels.shift(), model.labels.stride, label,
               amount, scratch, out);
}

}  // namespace

template <class Weight>
void score_arcs(const ParserModel<Weight>& model, const Words& words, ScoredArcs& arcs) {
  arcs.size = words.size();
  prepare(words.traits, arcs.context);
  arcs.parts.clear();
  add_arcs(arcs.context, arcs.candidates, arcs.parts);
  arcs.arc_scores.assign(arcs.parts.count, 0.0F);
  slot_codes(words.attributes, *model.arc, arcs.arc_codes);
  score_parts(arcs.arc_codes, *model.arc, arcs.parts.view(), model.parts, model.instructions, arcs.arc_scores);
  if (model.between) {
    slot_codes(words.attributes, *model.between, arcs.between_codes);
    score_between(model, arcs);
  }
  if (model.tensor)
    add_tensor_scores(*model.tensor, words.attributes, words.vectors, arcs.parts.view(), arcs.tensor, arcs.arc_scores);
  arcs.scores.assign(arcs.arc_scores.begin(), arcs.arc_scores.end());
  arcs.labels.assign(arcs.parts.count, -1);
  if (!model.label) return;
  arcs.label_rows.resize(arcs.parts.count * model.labels.stride);
  slot_codes(words.attributes, *model.label, arcs.label_codes);
  score_rows(arcs.label_codes, *model.label, arcs.parts.view(), model.labels, model.instructions, arcs.label_rows);
}

namespace {

// Gives each candidate its share of exp(score) relative to the best head of its word, in arcs.dense.
void share_scores(ScoredArcs& arcs) {
  arcs.dense.assign(static_cast<std::size_t>(arcs.size) * arcs.size, 0.0);
  for (Index modifier = 1; modifier < arcs.size; ++modifier) {
    const auto heads = arcs.candidates.of(modifier);
    const auto scores = std::span(arcs.scores).subspan(arcs.candidates.begins[modifier], heads.size());
    const Score best = *std::max_element(scores.begin(), scores.end());
    for (std::size_t i = 0; i < heads.size(); ++i)
      arcs.dense[static_cast<std::size_t>(heads[i]) * arcs.size + modifier] = std::exp(scores[i] - best);
  }
}

}  // namespace

template <class Weight>
void prune(const ParserModel<Weight>& pruner, const Words& words, const PruningRule& rule, bool projective,
           ScoredArcs& arcs, Candidates& out) {
  const Index size = words.size();
  const bool is_long = size > MAX_MARGINAL_SIZE;
  near_arcs(size, is_long ? LONG_REACH : size, arcs.candidates);
  score_arcs(pruner, words, arcs);
  std::vector<Index> heads(size), labels(size);
  if (is_long && !projective)
    sparse_spanning_tree(arcs.candidates.heads, arcs.candidates.begins, pruner.root, arcs.scores, heads, arcs.costs);
  else
    decode(arcs, {pruner.root, projective}, heads, labels);
  if (is_long)
    share_scores(arcs);
  else
    infer(arcs, {pruner.root, false});
  select_heads(arcs.dense, size, rule, heads, words.gold_heads, out);
}

template <class Weight>
void fold_best_labels(const ParserModel<Weight>& model, const Words& words, float cost, ScoredArcs& arcs) {
  if (!model.label) {
    for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
      const bool gold = words.has_gold() && words.gold_heads[modifier] == head;
      arcs.scores[arc] = static_cast<Score>(arcs.arc_scores[arc]) + (gold ? 0.0F : cost);
    });
    return;
  }
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    const auto allowed = allowed_labels(model, words, head, modifier);
    const float* row = arcs.label_rows.data() + arc * model.labels.stride;
    const bool gold = words.has_gold() && words.gold_heads[modifier] == head;
    float best = 0.0F;
    Index chosen = -1;  // always replaced, even if scores are NaN: some label is allowed
    for (Index label = 0; label < model.labels.columns; ++label) {
      if (!allowed[label]) continue;
      const float score = row[label] + (gold && words.gold_labels[modifier] == label ? 0.0F : cost);
      if (chosen < 0 || score > best) best = score, chosen = label;
    }
    arcs.labels[arc] = chosen;
    arcs.scores[arc] = static_cast<Score>(arcs.arc_scores[arc]) + best;
  });
}

template <class Weight>
void fold_all_labels(const ParserModel<Weight>& model, const Words& words, ScoredArcs& arcs) {
  fold_best_labels(model, words, 0.0F, arcs);
  if (!model.label) return;
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    const auto allowed = allowed_labels(model, words, head, modifier);
    const float* row = arcs.label_rows.data() + arc * model.labels.stride;
    const float best = row[arcs.labels[arc]];
    double sum = 0.0;
    for (Index label = 0; label < model.labels.columns; ++label)
      if (allowed[label]) sum += std::exp(static_cast<double>(row[label] - best));
    arcs.scores[arc] += std::log(sum);
  });
}

Score decode(ScoredArcs& arcs, const TreeRules& rules, std::span<Index> heads, std::span<Index> labels) {
  fill_matrix(arcs);
  const Score score = rules.projective ? eisner(arcs.matrix, arcs.size, rules.root, heads, arcs.eisner)
                                       : maximum_spanning_tree(arcs.matrix, arcs.size, rules.root, heads, arcs.mst);
  labels[0] = -1;
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    if (heads[modifier] == head) labels[modifier] = arcs.labels[arc];
  });
  return score;
}

Score infer(ScoredArcs& arcs, const TreeRules& rules) {
  fill_matrix(arcs);
  arcs.dense.resize(arcs.matrix.size());
  const Score log_partition = rules.projective
                                  ? eisner_marginals(arcs.matrix, arcs.size, rules.root, arcs.dense, arcs.eisner)
                                  : tree_marginals(arcs.matrix, arcs.size, rules.root, arcs.dense, arcs.matrix_tree);
  arcs.marginals.resize(arcs.parts.count);
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    arcs.marginals[arc] = arcs.dense[static_cast<std::size_t>(head) * arcs.size + modifier];
  });
  return log_partition;
}

namespace {

// Adds `amount` times one arc.
template <class Weight>
void add_arc(const ParserModel<Weight>& model, const ScoredArcs& arcs, std::size_t arc, float amount,
             std::vector<Code>& scratch, Difference& out) {
  add_arc_features(model, arcs, arc, amount, scratch, out.parts);
  if (model.tensor) out.arcs.push_back({arc, arcs.parts.slots[2 * arc], arcs.parts.slots[2 * arc + 1], amount});
}

// Adds `gold_amount` times the gold arcs and amount_of(arc) times each candidate.
template <class Weight, class Amount>
void add_arcs(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, Amount amount_of,
              float gold_amount, Difference& out) {
  std::vector<Code> scratch;
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    const float gold = words.gold_heads[modifier] == head ? gold_amount : 0.0F, amount = amount_of(arc);
    const auto add_label = [&](Index label, float share) {
      if (share != 0.0F) add_label_features(model, arcs, arc, label, share, scratch, out.labels);
    };
    if (gold + amount != 0.0F) add_arc(model, arcs, arc, gold + amount, scratch, out);
    if (!model.label) return;
    if (words.gold_labels[modifier] == arcs.labels[arc]) return add_label(arcs.labels[arc], gold + amount);
    add_label(words.gold_labels[modifier], gold);
    add_label(arcs.labels[arc], amount);
  });
}

}  // namespace

template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                    std::span<const std::uint8_t> chosen, Difference& out) {
  out.clear();
  add_arcs(model, words, arcs, [&](std::size_t arc) { return chosen[arc] ? -1.0F : 0.0F; }, 1.0F, out);
}

template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                    std::span<const float> amounts, float gold, Difference& out) {
  add_arcs(model, words, arcs, [&](std::size_t arc) { return amounts[arc]; }, gold, out);
}

template <class Weight>
void expected_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                         Difference& out) {
  out.clear();
  std::vector<Code> scratch;
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    const bool gold = words.gold_heads[modifier] == head;
    const double surprise = (gold ? 1.0 : 0.0) - arcs.marginals[arc];
    if (std::abs(surprise) > NEGLIGIBLE) add_arc(model, arcs, arc, static_cast<float>(surprise), scratch, out);
    if (!model.label) return;
    const auto allowed = allowed_labels(model, words, head, modifier);
    const float* row = arcs.label_rows.data() + arc * model.labels.stride;
    const double log_sum = arcs.scores[arc] - arcs.arc_scores[arc];
    for (Index label = 0; label < model.labels.columns; ++label) {
      double amount = gold && words.gold_labels[modifier] == label ? 1.0 : 0.0;
      if (allowed[label]) amount -= arcs.marginals[arc] * std::exp(row[label] - log_sum);
      if (std::abs(amount) > NEGLIGIBLE)
        add_label_features(model, arcs, arc, label, static_cast<float>(amount), scratch, out.labels);
    }
  });
}

Score value(const ScoredArcs& arcs, Index label_stride, std::span<const Index> heads, std::span<const Index> labels) {
  Score total = 0.0;
  for_each_arc(arcs, [&](std::size_t arc, Index head, Index modifier) {
    if (heads[modifier] != head) return;
    total += arcs.arc_scores[arc];
    if (label_stride > 0) total += arcs.label_rows[arc * label_stride + labels[modifier]];
  });
  return total;
}

#define HEADLONG_INSTANTIATE(Weight)                                                                                 \
  template void score_arcs(const ParserModel<Weight>&, const Words&, ScoredArcs&);                                   \
  template void prune(const ParserModel<Weight>&, const Words&, const PruningRule&, bool, ScoredArcs&, Candidates&); \
  template void fold_best_labels(const ParserModel<Weight>&, const Words&, float, ScoredArcs&);                      \
  template void fold_all_labels(const ParserModel<Weight>&, const Words&, ScoredArcs&);                              \
  template void arc_difference(const ParserModel<Weight>&, const Words&, const ScoredArcs&,                          \
                               std::span<const std::uint8_t>, Difference&);                                          \
  template void arc_difference(const ParserModel<Weight>&, const Words&, const ScoredArcs&, std::span<const float>,  \
                               float, Difference&);                                                                  \
  template void expected_difference(const ParserModel<Weight>&, const Words&, const ScoredArcs&, Difference&);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
