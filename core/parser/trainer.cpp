#include "parser/trainer.hpp"

#include "parser/threads.hpp"

namespace headlong {

namespace {

// Decodes with the larger parts; returns by how much more than gold's larger parts the tree is worth.
double decode_higher(const ArcModel<float>& model, const Words& words, TreeOptions options, Lesson& lesson) {
  HigherProblem& higher = lesson.higher;
  build_higher(model, words, lesson.problem, higher);
  options.rules.root = model.root;
  solve_tree(higher.frames, higher.extras, lesson.problem.scores, options, higher.decoding, higher.solution);
  lesson.heads.assign(higher.solution.heads.begin(), higher.solution.heads.end());
  labels_of(lesson.problem, lesson.heads, lesson.labels);
  return higher.solution.score - tree_value(higher.frames, {}, words.gold_heads, higher.decoding.climb, &higher.extras);
}

}  // namespace

void study(const ArcModel<float>& model, const Words& words, Compare compare, float cost, const TreeOptions& options,
           Lesson& lesson) {
  const Decoder decoder = options.rules.projective ? Decoder::Eisner : Decoder::Mst;
  ArcProblem& problem = lesson.problem;
  build_arcs(model, words, problem);
  const double gold = value(problem, model.label ? model.labels.stride : 0, words.gold_heads, words.gold_labels);
  if (compare == Compare::Best) {
    lesson.heads.resize(words.size());
    lesson.labels.resize(words.size());
    fold_best_labels(model, words, cost, problem);
    const bool first_order = model.is_first_order();
    lesson.loss = (first_order ? decode(problem, model.root, decoder, lesson.heads, lesson.labels)
                               : decode_higher(model, words, options, lesson)) -
                  gold;
    tree_difference(model, words, problem, lesson.heads, lesson.labels, lesson.difference);
    if (!first_order) higher_difference(model, words, problem, lesson.higher, lesson.heads, lesson.difference);
    if (model.nearby)
      lesson.loss += label_difference(model, words, problem, cost, lesson.difference.labels, lesson.labeler);
  } else {
    fold_all_labels(model, words, problem);
    lesson.loss = infer(problem, model.root, decoder) - gold;
    expected_difference(model, words, problem, lesson.difference);
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
