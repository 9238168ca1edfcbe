#include "model/arc_problem.hpp"

#include <algorithm>
#include <cmath>

namespace headlong {

namespace {

// Expectations smaller than this move no weight: they are most of all arcs, and together worth next to nothing.
constexpr double NEGLIGIBLE = 1e-3;

// Adds the scores of the tags between head and modifier, one modifier at a time: all at once would be n^2 times the
// number of tags for an unpruned sentence.
template <class Weight>
void score_between(const ParserModel<Weight>& model, ArcProblem& problem) {
  for (Index modifier = 1; modifier < problem.size; ++modifier) {
    problem.between.clear();
    problem.owners.clear();
    add_between(problem.context, problem.candidates.of(modifier), modifier, problem.between, problem.owners);
    problem.between_scores.assign(problem.between.count, 0.0F);
    score_parts(problem.between_codes, *model.between, problem.between.view(), model.parts, model.instructions,
                problem.between_scores);
    float* scores = problem.arc_scores.data() + problem.candidates.begins[modifier];
    for (std::size_t b = 0; b < problem.between.count; ++b) scores[problem.owners[b]] += problem.between_scores[b];
  }
}

// Calls visit(candidate, head, modifier) for every candidate.
template <class Visit>
void for_each_arc(const ArcProblem& problem, Visit visit) {
  for (std::size_t arc = 0; arc < problem.arcs.count; ++arc)
    visit(arc, problem.arcs.slots[2 * arc], problem.arcs.slots[2 * arc + 1]);
}

void fill_matrix(ArcProblem& problem) {
  problem.matrix.assign(static_cast<std::size_t>(problem.size) * problem.size, NEGATIVE_INFINITY);
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    problem.matrix[static_cast<std::size_t>(head) * problem.size + modifier] = problem.scores[arc];
  });
}

// The features of one arc and of the tags between its words, times `amount`.
template <class Weight>
void add_arc_features(const ParserModel<Weight>& model, const ArcProblem& problem, std::size_t arc, float amount,
                      std::vector<Code>& scratch, SparseVector& out) {
  const Index* slots = problem.arcs.slots.data() + 2 * arc;
  const Code* relations = problem.arcs.relations.data() + arc * ARC_RELATIONS;
  add_features(problem.arc_codes, *model.arc, slots, relations, model.parts.shift(), 1, 0, amount, scratch, out);
  if (!model.between) return;
  const Index left = std::min(slots[0], slots[1]), right = std::max(slots[0], slots[1]);
  std::uint64_t seen = 0;
  for (Index word = left + 1; word < right; ++word) {
    const Index tag = problem.context.traits[word].tag % MAX_TAGS;
    if (seen >> tag & 1) continue;
    seen |= std::uint64_t{1} << tag;
    const Index triple[] = {slots[0], slots[1], problem.context.first[tag]};
    add_features(problem.between_codes, *model.between, triple, relations, model.parts.shift(), 1, 0, amount, scratch,
                 out);
  }
}

template <class Weight>
void add_label_features(const ParserModel<Weight>& model, const ArcProblem& problem, std::size_t arc, Index label,
                        float amount, std::vector<Code>& scratch, SparseVector& out) {
  add_features(problem.label_codes, *model.label, problem.arcs.slots.data() + 2 * arc,
               problem.arcs.relations.data() + arc * ARC_RELATIONS, model.labels.shift(), model.labels.stride, label,
               amount, scratch, out);
}

}  // namespace

template <class Weight>
void build_arcs(const ParserModel<Weight>& model, const Words& words, ArcProblem& problem) {
  problem.size = words.size();
  prepare(words.traits, problem.context);
  problem.arcs.clear();
  add_arcs(problem.context, problem.candidates, problem.arcs);
  problem.arc_scores.assign(problem.arcs.count, 0.0F);
  slot_codes(words.attributes, *model.arc, problem.arc_codes);
  score_parts(problem.arc_codes, *model.arc, problem.arcs.view(), model.parts, model.instructions, problem.arc_scores);
  if (model.between) {
    slot_codes(words.attributes, *model.between, problem.between_codes);
    score_between(model, problem);
  }
  problem.scores.assign(problem.arc_scores.begin(), problem.arc_scores.end());
  problem.labels.assign(problem.arcs.count, -1);
  if (!model.label) return;
  problem.label_rows.resize(problem.arcs.count * model.labels.stride);
  slot_codes(words.attributes, *model.label, problem.label_codes);
  score_rows(problem.label_codes, *model.label, problem.arcs.view(), model.labels, model.instructions,
             problem.label_rows);
}

template <class Weight>
void prune(const ParserModel<Weight>& pruner, const Words& words, const PruningRule& rule, Decoder decoder,
           ArcProblem& problem, Candidates& out) {
  const Index size = words.size();
  all_arcs(size, problem.candidates);
  build_arcs(pruner, words, problem);
  std::vector<Index> heads(size), labels(size);
  decode(problem, pruner.root, decoder, heads, labels);
  if (size <= MAX_MARGINAL_SIZE) {
    infer(problem, pruner.root, Decoder::Mst);
  } else {
    problem.dense.resize(problem.matrix.size());
    for (Index modifier = 1; modifier < size; ++modifier) {
      double best = NEGATIVE_INFINITY;
      for (Index head = 0; head < size; ++head)
        if (head != modifier) best = std::max(best, problem.matrix[static_cast<std::size_t>(head) * size + modifier]);
      for (Index head = 0; head < size; ++head) {
        const std::size_t place = static_cast<std::size_t>(head) * size + modifier;
        problem.dense[place] = std::exp(problem.matrix[place] - best);
      }
    }
  }
  select_heads(problem.dense, size, rule, heads, words.gold_heads, out);
}

template <class Weight>
void fold_best_labels(const ParserModel<Weight>& model, const Words& words, float cost, ArcProblem& problem) {
  if (!model.label) {
    for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
      const bool gold = words.has_gold() && words.gold_heads[modifier] == head;
      problem.scores[arc] = static_cast<Score>(problem.arc_scores[arc]) + (gold ? 0.0F : cost);
    });
    return;
  }
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    const auto allowed = allowed_labels(model, words, head, modifier);
    const float* row = problem.label_rows.data() + arc * model.labels.stride;
    const bool gold = words.has_gold() && words.gold_heads[modifier] == head;
    float best = 0.0F;
    Index chosen = -1;  // never left so, not even where scores are NaN: some label is allowed
    for (Index label = 0; label < model.labels.columns; ++label) {
      if (!allowed[label]) continue;
      const float score = row[label] + (gold && words.gold_labels[modifier] == label ? 0.0F : cost);
      if (chosen < 0 || score > best) best = score, chosen = label;
    }
    problem.labels[arc] = chosen;
    problem.scores[arc] = static_cast<Score>(problem.arc_scores[arc]) + best;
  });
}

template <class Weight>
void fold_all_labels(const ParserModel<Weight>& model, const Words& words, ArcProblem& problem) {
  fold_best_labels(model, words, 0.0F, problem);
  if (!model.label) return;
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    const auto allowed = allowed_labels(model, words, head, modifier);
    const float* row = problem.label_rows.data() + arc * model.labels.stride;
    const float best = row[problem.labels[arc]];
    double sum = 0.0;
    for (Index label = 0; label < model.labels.columns; ++label)
      if (allowed[label]) sum += std::exp(static_cast<double>(row[label] - best));
    problem.scores[arc] += std::log(sum);
  });
}

Score decode(ArcProblem& problem, RootRule root, Decoder decoder, std::span<Index> heads, std::span<Index> labels) {
  fill_matrix(problem);
  const Score score = decoder == Decoder::Mst
                          ? maximum_spanning_tree(problem.matrix, problem.size, root, heads, problem.mst)
                          : eisner(problem.matrix, problem.size, root, heads, problem.eisner);
  labels[0] = -1;
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    if (heads[modifier] == head) labels[modifier] = problem.labels[arc];
  });
  return score;
}

Score infer(ArcProblem& problem, RootRule root, Decoder decoder) {
  fill_matrix(problem);
  problem.dense.resize(problem.matrix.size());
  const Score log_partition =
      decoder == Decoder::Mst ? tree_marginals(problem.matrix, problem.size, root, problem.dense, problem.matrix_tree)
                              : eisner_marginals(problem.matrix, problem.size, root, problem.dense, problem.eisner);
  problem.marginals.resize(problem.arcs.count);
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    problem.marginals[arc] = problem.dense[static_cast<std::size_t>(head) * problem.size + modifier];
  });
  return log_partition;
}

namespace {

// Adds `gold_amount` times gold's arcs and amount_of(arc) times each candidate.
template <class Weight, class Amount>
void add_arcs(const ParserModel<Weight>& model, const Words& words, const ArcProblem& problem, Amount amount_of,
              float gold_amount, Difference& out) {
  std::vector<Code> scratch;
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    const float gold = words.gold_heads[modifier] == head ? gold_amount : 0.0F, amount = amount_of(arc);
    const auto add_label = [&](Index label, float share) {
      if (share != 0.0F) add_label_features(model, problem, arc, label, share, scratch, out.labels);
    };
    if (gold + amount != 0.0F) add_arc_features(model, problem, arc, gold + amount, scratch, out.parts);
    if (!model.label) return;
    if (words.gold_labels[modifier] == problem.labels[arc]) return add_label(problem.labels[arc], gold + amount);
    add_label(words.gold_labels[modifier], gold);
    add_label(problem.labels[arc], amount);
  });
}

}  // namespace

template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ArcProblem& problem,
                    std::span<const std::uint8_t> chosen, Difference& out) {
  out.parts.clear();
  out.labels.clear();
  add_arcs(model, words, problem, [&](std::size_t arc) { return chosen[arc] ? -1.0F : 0.0F; }, 1.0F, out);
}

template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ArcProblem& problem,
                    std::span<const float> amounts, float gold, Difference& out) {
  add_arcs(model, words, problem, [&](std::size_t arc) { return amounts[arc]; }, gold, out);
}

template <class Weight>
void expected_difference(const ParserModel<Weight>& model, const Words& words, const ArcProblem& problem,
                         Difference& out) {
  out.parts.clear();
  out.labels.clear();
  std::vector<Code> scratch;
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    const bool gold = words.gold_heads[modifier] == head;
    const double surprise = (gold ? 1.0 : 0.0) - problem.marginals[arc];
    if (std::abs(surprise) > NEGLIGIBLE)
      add_arc_features(model, problem, arc, static_cast<float>(surprise), scratch, out.parts);
    if (!model.label) return;
    const auto allowed = allowed_labels(model, words, head, modifier);
    const float* row = problem.label_rows.data() + arc * model.labels.stride;
    const double log_sum = problem.scores[arc] - problem.arc_scores[arc];
    for (Index label = 0; label < model.labels.columns; ++label) {
      double amount = gold && words.gold_labels[modifier] == label ? 1.0 : 0.0;
      if (allowed[label]) amount -= problem.marginals[arc] * std::exp(row[label] - log_sum);
      if (std::abs(amount) > NEGLIGIBLE)
        add_label_features(model, problem, arc, label, static_cast<float>(amount), scratch, out.labels);
    }
  });
}

Score value(const ArcProblem& problem, Index label_stride, std::span<const Index> heads,
            std::span<const Index> labels) {
  Score total = 0.0;
  for_each_arc(problem, [&](std::size_t arc, Index head, Index modifier) {
    if (heads[modifier] != head) return;
    total += problem.arc_scores[arc];
    if (label_stride > 0) total += problem.label_rows[arc * label_stride + labels[modifier]];
  });
  return total;
}

#define HEADLONG_INSTANTIATE(Weight)                                                                                \
  template void build_arcs(const ParserModel<Weight>&, const Words&, ArcProblem&);                                  \
  template void prune(const ParserModel<Weight>&, const Words&, const PruningRule&, Decoder, ArcProblem&,           \
                      Candidates&);                                                                                 \
  template void fold_best_labels(const ParserModel<Weight>&, const Words&, float, ArcProblem&);                     \
  template void fold_all_labels(const ParserModel<Weight>&, const Words&, ArcProblem&);                             \
  template void arc_difference(const ParserModel<Weight>&, const Words&, const ArcProblem&,                         \
                               std::span<const std::uint8_t>, Difference&);                                         \
  template void arc_difference(const ParserModel<Weight>&, const Words&, const ArcProblem&, std::span<const float>, \
                               float, Difference&);                                                                 \
  template void expected_difference(const ParserModel<Weight>&, const Words&, const ArcProblem&, Difference&);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
