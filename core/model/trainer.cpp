#include "model/trainer.hpp"

#include "base/threads.hpp"
#include "model/sample_rank.hpp"

namespace headlong {

namespace {

float square(float value) { return value * value; }

void choose_tree_arcs(const ScoredArcs& arcs, Update& update) {
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc)
    update.chosen[arc] = update.heads[arcs.parts.slots[2 * arc + 1]] == arcs.parts.slots[2 * arc];
}

// Finds arcs that are at least as good as gold under the scores with costs. Returns their value.
Score find_rival(const ParserModel<float>& model, const Words& words, Compare compare, const DecodeOptions& options,
                 Update& update) {
  ScoredArcs& arcs = update.arcs;
  ScoredParts& parts = update.parts;
  update.chosen.resize(arcs.parts.count);
  if (model.is_first_order()) {
    const Score found = decode(arcs, {model.root, options.projective}, update.heads, update.labels);
    choose_tree_arcs(arcs, update);
    return found;
  }
  score_all_parts(model, words, arcs, parts);
  if (compare == Compare::Free) return choose_freely(arcs, parts.frames, update.choices, update.chosen);
  solve(problem_of(model, arcs, parts, options.projective), options, parts.decoding, parts.solution);
  update.heads.assign(parts.solution.heads.begin(), parts.solution.heads.end());
  labels_of(arcs, update.heads, update.labels);
  choose_tree_arcs(arcs, update);
  update.choices = choices_of(update.heads);
  return parts.solution.score;
}

// Computes the difference between gold, whose arcs have the value `gold`, and its rival. Returns how much better the
// rival is.
double compare_with_rival(const ParserModel<float>& model, const Words& words, Compare compare, double gold,
                          const DecodeOptions& options, Update& update) {
  const Score rival = find_rival(model, words, compare, options, update);
  arc_difference(model, words, update.arcs, update.chosen, update.difference);
  if (!model.is_first_order()) {
    ScoredParts& parts = update.parts;
    Problem problem = problem_of(model, update.arcs, parts, options.projective);
    problem.arc_scores = {};                      // `gold` has the gold arcs, without costs
    const bool whole = compare == Compare::Best;  // otherwise heads choose independently, and there is no tree
    gold += whole ? tree_value(problem, words.gold_heads, parts.decoding.climb)
                  : frames_value(problem, words.gold_heads, parts.decoding.climb);
    frame_difference(model, words, update.arcs, parts, update.choices, update.difference);
    if (whole) extra_difference(model, words, update.arcs, parts, update.heads, update.difference);
    if (whole) global_difference(model, words, parts, update.heads, update.difference);
  }
  return rival - gold;
}

}  // namespace

void compute_update(const ParserModel<float>& model, const Words& words, Compare compare, float cost,
                    const DecodeOptions& options, std::optional<Factor> factor, Update& update) {
  ScoredArcs& arcs = update.arcs;
  score_arcs(model, words, arcs);
  const double gold = value(arcs, model.label ? model.labels.stride : 0, words.gold_heads, words.gold_labels);
  if (compare == Compare::Expected) {
    fold_all_labels(model, words, arcs);
    update.loss = infer(arcs, {model.root, options.projective}) - gold;
    expected_difference(model, words, arcs, update.difference);
  } else {
    update.heads.resize(words.size());
    update.labels.resize(words.size());
    fold_best_labels(model, words, cost, arcs);
    update.loss = compare == Compare::Samples ? rank_samples(model, words, gold, options, update)
                                              : compare_with_rival(model, words, compare, gold, options, update);
    if (model.tree_label)
      update.loss += label_difference(model, words, arcs, cost, update.difference.labels, update.labeler);
  }
  update.squared_norm = update.difference.squared_norm();
  if (!factor) return;
  // The tables of a model with a tensor hold gamma times the linear weights, so that one step along the difference of
  // these weights moves the tables by gamma squared.
  tensor_difference(*model.tensor, arcs.tensor, update.difference.arcs, *factor, update.tensor);
  update.squared_norm = update.squared_norm * square(1.0F - model.tensor->share) + update.tensor.squared_norm;
}

void Trainer::choose_all_candidates(bool projective, std::size_t threads) {
  candidates = prune_batch(*model, corpus, projective, threads);
}

void Trainer::compute_updates(std::span<const Index> sentences, Compare compare, float cost,
                              const DecodeOptions& options, std::size_t threads) {
  if (updates.size() < sentences.size()) updates.resize(sentences.size());
  parallel_for(sentences.size(), threads, [&](std::size_t, std::size_t i) {
    const Words words = corpus.sentence(sentences[i]);
    if (candidates.empty())
      all_arcs(words.size(), updates[i].arcs.candidates);
    else
      updates[i].arcs.candidates = candidates[sentences[i]];
    std::optional<Factor> factor;
    if (tensor_learns()) factor = static_cast<Factor>((clock + i) % FACTORS);
    compute_update(model->model, words, compare, cost, options, factor, updates[i]);
  });
  clock += sentences.size();
}

void Trainer::apply(std::size_t update, float step, float time) {
  const Update& found = updates[update];
  const float linear_step = tensor_learns() ? step * square(1.0F - model->model.tensor->share) : step;
  apply_step(found.difference.parts, linear_step, time, parts);
  apply_step(found.difference.labels, linear_step, time, labels);
  if (!tensor_learns()) return;
  const TrainingTable& table = tensor[static_cast<std::size_t>(found.tensor.factor)];
  apply_rows(found.tensor.rows, found.tensor.values, model->model.tensor->stride, step, time, table);
}

}  // namespace headlong
