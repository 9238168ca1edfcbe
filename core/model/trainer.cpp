#include "model/trainer.hpp"

#include "base/threads.hpp"
#include "model/sample_rank.hpp"

namespace headlong {

namespace {

void choose_tree_arcs(const ArcProblem& problem, Lesson& lesson) {
  for (std::size_t arc = 0; arc < problem.arcs.count; ++arc)
    lesson.chosen[arc] = lesson.heads[problem.arcs.slots[2 * arc + 1]] == problem.arcs.slots[2 * arc];
}

// Finds arcs that are better than gold's, or as good, under the scores with costs; returns what they are worth.
Score find_rival(const ParserModel<float>& model, const Words& words, Compare compare, TreeOptions options,
                 Lesson& lesson) {
  ArcProblem& problem = lesson.problem;
  HigherProblem& higher = lesson.higher;
  lesson.chosen.resize(problem.arcs.count);
  if (model.is_first_order()) {
    const Decoder decoder = options.rules.projective ? Decoder::Eisner : Decoder::Mst;
    const Score found = decode(problem, model.root, decoder, lesson.heads, lesson.labels);
    choose_tree_arcs(problem, lesson);
    return found;
  }
  build_higher(model, words, problem, higher);
  if (compare == Compare::Free) return choose_freely(problem, higher.frames, lesson.choices, lesson.chosen);
  options.rules.root = model.root;
  solve_tree(higher.frames, higher.extras, term_of(model, higher), problem.scores, options, higher.decoding,
             higher.solution);
  lesson.heads.assign(higher.solution.heads.begin(), higher.solution.heads.end());
  labels_of(problem, lesson.heads, lesson.labels);
  choose_tree_arcs(problem, lesson);
  lesson.choices = choices_of(lesson.heads);
  return higher.solution.score;
}

// Takes the difference between gold, whose arcs are worth `gold`, and its rival; returns by how much that is better.
double compare_with_rival(const ParserModel<float>& model, const Words& words, Compare compare, double gold,
                          const TreeOptions& options, Lesson& lesson) {
  const Score rival = find_rival(model, words, compare, options, lesson);
  arc_difference(model, words, lesson.problem, lesson.chosen, lesson.difference);
  if (!model.is_first_order()) {
    HigherProblem& higher = lesson.higher;
    const Extras* extras = compare == Compare::Best ? &higher.extras : nullptr;
    GlobalScorer* term = compare == Compare::Best ? term_of(model, higher) : nullptr;
    gold += tree_value(higher.frames, {}, words.gold_heads, higher.decoding.climb, extras, term);
    higher_difference(model, words, lesson.problem, higher, lesson.choices, lesson.difference);
    if (extras) extra_difference(model, words, lesson.problem, higher, lesson.heads, lesson.difference);
    if (term) global_difference(model, words, higher, lesson.heads, lesson.difference);
  }
  return rival - gold;
}

}  // namespace

void study(const ParserModel<float>& model, const Words& words, Compare compare, float cost, const TreeOptions& options,
           Lesson& lesson) {
  ArcProblem& problem = lesson.problem;
  build_arcs(model, words, problem);
  const double gold = value(problem, model.label ? model.labels.stride : 0, words.gold_heads, words.gold_labels);
  if (compare == Compare::Expected) {
    fold_all_labels(model, words, problem);
    lesson.loss = infer(problem, model.root, options.rules.projective ? Decoder::Eisner : Decoder::Mst) - gold;
    expected_difference(model, words, problem, lesson.difference);
  } else {
    lesson.heads.resize(words.size());
    lesson.labels.resize(words.size());
    fold_best_labels(model, words, cost, problem);
    lesson.loss = compare == Compare::Samples ? rank_samples(model, words, gold, options, lesson)
                                              : compare_with_rival(model, words, compare, gold, options, lesson);
    if (model.nearby)
      lesson.loss += label_difference(model, words, problem, cost, lesson.difference.labels, lesson.labeler);
  }
  lesson.squared_norm = lesson.difference.squared_norm();
}

void Trainer::choose_all_candidates(Decoder decoder, std::size_t threads) {
  candidates = prune_batch(*model, corpus, decoder, threads);
}

void Trainer::study_batch(std::span<const Index> sentences, Compare compare, float cost, const TreeOptions& options,
                          std::size_t threads) {
  if (lessons.size() < sentences.size()) lessons.resize(sentences.size());
  parallel_for(sentences.size(), threads, [&](std::size_t, std::size_t i) {
    const Words words = corpus.sentence(sentences[i]);
    if (candidates.empty())
      all_arcs(words.size(), lessons[i].problem.candidates);
    else
      lessons[i].problem.candidates = candidates[sentences[i]];
    study(model->model, words, compare, cost, options, lessons[i]);
  });
}

void Trainer::apply(std::size_t lesson, float step, float time) {
  apply_step(lessons[lesson].difference.parts, step, time, parts);
  apply_step(lessons[lesson].difference.labels, step, time, labels);
}

}  // namespace headlong
