#include <cstdlib>
#include "parser/batch.hpp"

#include <cmath>

#include "parser/threads.hpp"

namespace headlong {

Words Corpus::sentence(std::size_t s) const {
  const std::size_t begin = offsets[s], count = offsets[s + 1] - offsets[s];
  Words words;
  words.attributes = {attributes.subspan(begin * attribute_count, count * attribute_count), static_cast<Index>(count),
                      attribute_count};
  words.traits = traits.subspan(begin, count);
  if (!gold_heads.empty()) {
    words.gold_heads = gold_heads.subspan(begin, count);
    words.gold_labels = gold_labels.subspan(begin, count);
  }
  return words;
}

template <class Weight>
void choose_candidates(const PrunedModel<Weight>& model, const Words& words, Decoder decoder, ArcProblem& pruning,
                       Candidates& out) {
  if (model.pruner)
    prune(*model.pruner, words, model.rule, decoder, pruning, out);
  else
    all_arcs(words.size(), out);
}

template <class Weight>
void parse_batch(const PrunedModel<Weight>& model, const Corpus& corpus, Decoder decoder, std::size_t threads,
                 const Answers& answers) {
  std::vector<ParserWorkspace> workspaces(useful_threads(corpus.size(), threads));
  parallel_for(corpus.size(), threads, [&](std::size_t thread, std::size_t s) {
    auto& [problem, pruning, higher, labeler] = workspaces[thread];
    const Words words = corpus.sentence(s);
    const std::size_t begin = corpus.offsets[s], count = words.size();
    choose_candidates(model, words, decoder, pruning, problem.candidates);
    build_arcs(model.model, words, problem);
    fold_best_labels(model.model, words, 0.0F, problem);
    const auto heads = answers.heads.subspan(begin, count), labels = answers.labels.subspan(begin, count);
    answers.scores[s] = decode(problem, model.model.root, decoder, heads, labels);
    if (!model.model.is_first_order()) {
      build_higher(model.model, words, problem, higher);
      TreeOptions options;
      options.rules = {model.model.root, decoder == Decoder::Eisner};
      static const char* method = getenv("HL_PARSE");
      options.method = !method || method[0] == 'c' ? TreeMethod::Climb : method[0] == 'a' ? TreeMethod::Ad3 : TreeMethod::Exact;
      solve_tree(higher.frames, problem.scores, options, higher.decoding, higher.solution);
      std::copy(higher.solution.heads.begin(), higher.solution.heads.end(), heads.begin());
      answers.scores[s] = higher.solution.score;
      labels_of(problem, heads, labels);
    }
    if (model.model.nearby) label_tree(model.model, words, problem, heads, labels, labeler);
  });
}

template <class Weight>
void confidence_batch(const PrunedModel<Weight>& model, const Corpus& corpus, Decoder decoder, std::size_t threads,
                      std::span<const Index> heads, std::span<const Index> labels, std::span<double> arc_marginals,
                      std::span<double> label_marginals) {
  std::vector<ParserWorkspace> workspaces(useful_threads(corpus.size(), threads));
  parallel_for(corpus.size(), threads, [&](std::size_t thread, std::size_t s) {
    ArcProblem& problem = workspaces[thread].problem;
    ArcProblem& pruning = workspaces[thread].pruning;
    const Words words = corpus.sentence(s);
    const std::size_t begin = corpus.offsets[s];
    choose_candidates(model, words, decoder, pruning, problem.candidates);
    build_arcs(model.model, words, problem);
    fold_all_labels(model.model, words, problem);
    infer(problem, model.model.root, decoder);
    for (std::size_t arc = 0; arc < problem.arcs.count; ++arc) {
      const std::size_t word = begin + problem.arcs.slots[2 * arc + 1];
      if (heads[word] != problem.arcs.slots[2 * arc]) continue;
      arc_marginals[word] = label_marginals[word] = problem.marginals[arc];
      if (!model.model.label) continue;
      const double log_sum = problem.scores[arc] - problem.arc_scores[arc];
      const float row = problem.label_rows[arc * model.model.labels.stride + labels[word]];
      label_marginals[word] *= std::exp(row - log_sum);
    }
  });
}

#define HEADLONG_INSTANTIATE(Weight)                                                                            \
  template void choose_candidates(const PrunedModel<Weight>&, const Words&, Decoder, ArcProblem&, Candidates&); \
  template void parse_batch(const PrunedModel<Weight>&, const Corpus&, Decoder, std::size_t, const Answers&);   \
  template void confidence_batch(const PrunedModel<Weight>&, const Corpus&, Decoder, std::size_t,               \
                                 std::span<const Index>, std::span<const Index>, std::span<double>,             \
                                 std::span<double>);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
