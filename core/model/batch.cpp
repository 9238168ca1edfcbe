#include "model/batch.hpp"

#include <algorithm>

#include "base/threads.hpp"

namespace headlong {

Words Corpus::sentence(std::size_t s) const {
  const std::size_t begin = offsets[s], count = offsets[s + 1] - offsets[s];
  Words words;
  words.attributes = {attributes.subspan(begin * attribute_count, count * attribute_count), static_cast<Index>(count),
                      attribute_count};
  words.traits = traits.subspan(begin, count);
  words.function = function;
  words.number = s;
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
std::vector<Candidates> prune_batch(const PrunedModel<Weight>& model, const Corpus& corpus, Decoder decoder,
                                    std::size_t threads) {
  std::vector<Candidates> found(corpus.size());
  std::vector<ArcProblem> pruning(useful_threads(corpus.size(), threads));
  parallel_for(corpus.size(), threads, [&](std::size_t thread, std::size_t s) {
    choose_candidates(model, corpus.sentence(s), decoder, pruning[thread], found[s]);
  });
  return found;
}

namespace {

// Decodes a sentence whose arcs are scored; the solution and the labels of the arcs alone are in the workspace.
template <class Weight>
void decode_sentence(const ParserModel<Weight>& model, const Words& words, TreeOptions options,
                     ParserWorkspace& workspace, std::span<Index> heads, std::span<Index> labels) {
  auto& [problem, pruning, higher, labeler] = workspace;
  TreeSolution& solution = higher.solution;
  options.rules.root = model.root;
  if (model.is_first_order()) {
    const Decoder decoder = options.rules.projective ? Decoder::Eisner : Decoder::Mst;
    solution.score = solution.bound = decode(problem, model.root, decoder, heads, labels);
    solution.certified = solution.score > NEGATIVE_INFINITY;
    solution.status = solution.certified ? Status::Optimal : Status::Infeasible;
    solution.sweeps = 0;
    solution.iterations = 1;
    return;
  }
  build_higher(model, words, problem, higher);
  solve_tree(higher.frames, higher.extras, term_of(model, higher), problem.scores, options, higher.decoding, solution);
  std::copy(solution.heads.begin(), solution.heads.end(), heads.begin());
  labels_of(problem, heads, labels);
}

// Calls visit(s, words, workspace) for all sentences, when the arcs of their candidates are scored.
template <class Weight, class Visit>
void visit_sentences(const PrunedModel<Weight>& model, const Corpus& corpus, Decoder decoder, std::size_t threads,
                     Visit visit) {
  std::vector<ParserWorkspace> workspaces(useful_threads(corpus.size(), threads));
  parallel_for(corpus.size(), threads, [&](std::size_t thread, std::size_t s) {
    ParserWorkspace& workspace = workspaces[thread];
    const Words words = corpus.sentence(s);
    choose_candidates(model, words, decoder, workspace.pruning, workspace.problem.candidates);
    build_arcs(model.model, words, workspace.problem);
    visit(s, words, workspace);
  });
}

}  // namespace

template <class Weight>
void parse_batch(const PrunedModel<Weight>& model, const Corpus& corpus, const TreeOptions& options,
                 std::size_t threads, const Answers& answers) {
  const Decoder decoder = options.rules.projective ? Decoder::Eisner : Decoder::Mst;
  visit_sentences(model, corpus, decoder, threads, [&](std::size_t s, const Words& words, ParserWorkspace& workspace) {
    auto& [problem, pruning, higher, labeler] = workspace;
    const std::size_t begin = corpus.offsets[s], count = words.size();
    fold_best_labels(model.model, words, 0.0F, problem);
    const auto heads = answers.heads.subspan(begin, count), labels = answers.labels.subspan(begin, count);
    TreeOptions own = options;
    own.restarts.threads = threads / useful_threads(corpus.size(), threads);  // those that have no sentence to parse
    if (!own.guide.empty()) own.guide = own.guide.subspan(begin, count);
    decode_sentence(model.model, words, own, workspace, heads, labels);
    if (model.model.nearby) label_tree(model.model, words, problem, heads, labels, labeler);
    const TreeSolution& solution = higher.solution;
    answers.scores[s] = solution.score;
    answers.bounds[s] = solution.bound;
    answers.certified[s] = solution.certified;
    answers.iterations[s] = solution.sweeps + solution.iterations;
    answers.statuses[s] = solution.status;
  });
}

template <class Weight>
void label_batch(const PrunedModel<Weight>& model, const Corpus& corpus, Decoder decoder, std::size_t threads,
                 std::span<const Index> heads, std::span<Index> labels) {
  visit_sentences(model, corpus, decoder, threads, [&](std::size_t s, const Words& words, ParserWorkspace& workspace) {
    auto& [problem, pruning, higher, labeler] = workspace;
    const auto tree = heads.subspan(corpus.offsets[s], words.size());
    const auto found = labels.subspan(corpus.offsets[s], words.size());
    fold_best_labels(model.model, words, 0.0F, problem);
    if (!has_arcs(problem, tree)) return;
    labels_of(problem, tree, found);
    if (model.model.nearby) label_tree(model.model, words, problem, tree, found, labeler);
  });
}

namespace {

// What the pruner thinks of the candidates, in problem.marginals [candidates].
void take_posteriors(const ArcProblem& pruning, ArcProblem& problem) {
  const std::size_t size = problem.size;
  std::vector<double> sums(size, 0.0);
  for (std::size_t head = 0; head < size; ++head)
    for (std::size_t word = 1; word < size; ++word)
      if (head != word) sums[word] += pruning.dense[head * size + word];
  problem.marginals.resize(problem.arcs.count);
  for (std::size_t arc = 0; arc < problem.arcs.count; ++arc) {
    const std::size_t head = problem.arcs.slots[2 * arc], word = problem.arcs.slots[2 * arc + 1];
    problem.marginals[arc] = std::min(1.0, pruning.dense[head * size + word] / sums[word]);
  }
}

}  // namespace

template <class Weight>
void confidence_batch(const PrunedModel<Weight>& model, const Corpus& corpus, Decoder decoder, std::size_t threads,
                      std::span<const Index> heads, std::span<const Index> labels, std::span<double> arc_marginals,
                      std::span<double> label_marginals) {
  visit_sentences(model, corpus, decoder, threads, [&](std::size_t s, const Words& words, ParserWorkspace& workspace) {
    auto& [problem, pruning, higher, labeler] = workspace;
    const std::size_t begin = corpus.offsets[s], count = words.size();
    fold_all_labels(model.model, words, problem);
    if (model.model.is_first_order())
      infer(problem, model.model.root, decoder);
    else
      take_posteriors(pruning, problem);
    const auto tree = heads.subspan(begin, count);
    for (std::size_t arc = 0; arc < problem.arcs.count; ++arc) {
      const std::size_t word = problem.arcs.slots[2 * arc + 1];
      if (tree[word] == problem.arcs.slots[2 * arc])
        arc_marginals[begin + word] = label_marginals[begin + word] = problem.marginals[arc];
    }
    if (model.model.label && has_arcs(problem, tree))
      weigh_labels(model.model, words, problem, tree, labels.subspan(begin, count),
                   label_marginals.subspan(begin, count), labeler);
  });
}

#define HEADLONG_INSTANTIATE(Weight)                                                                                 \
  template std::vector<Candidates> prune_batch(const PrunedModel<Weight>&, const Corpus&, Decoder, std::size_t);     \
  template void choose_candidates(const PrunedModel<Weight>&, const Words&, Decoder, ArcProblem&, Candidates&);      \
  template void parse_batch(const PrunedModel<Weight>&, const Corpus&, const TreeOptions&, std::size_t,              \
                            const Answers&);                                                                         \
  template void label_batch(const PrunedModel<Weight>&, const Corpus&, Decoder, std::size_t, std::span<const Index>, \
                            std::span<Index>);                                                                       \
  template void confidence_batch(const PrunedModel<Weight>&, const Corpus&, Decoder, std::size_t,                    \
                                 std::span<const Index>, std::span<const Index>, std::span<double>,                  \
                                 std::span<double>);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
