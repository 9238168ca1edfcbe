#include "model/batch.hpp"

#include <algorithm>
#include <numeric>

#include "base/stop.hpp"
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

namespace {

// Chooses candidates by the probabilities of the encoder, [head][modifier] in `pruning.dense`.
void prune(const Encoder& encoder, const Words& words, const PruningRule& rule, const TreeRules& rules,
           EncodedSentence& encoded, ScoredArcs& pruning, Candidates& out) {
  const Index size = words.size(), stride = padded(size);
  encode(encoder, words.attributes, encoded);
  pruning.size = size;
  pruning.matrix.assign(static_cast<std::size_t>(size) * size, NEGATIVE_INFINITY);
  pruning.dense.assign(pruning.matrix.size(), 0.0);
  std::vector<float>& row = encoded.scratch;
  for (Index modifier = 1; modifier < size; ++modifier) {
    const float* from = encoded.log_probabilities.data() + static_cast<std::size_t>(modifier) * stride;
    row.assign(from, from + stride);
    encoder.network.kernels->exponentials(row.data(), stride, 0.0F);
    for (Index head = 0; head < size; ++head) {
      if (head == modifier) continue;
      pruning.matrix[static_cast<std::size_t>(head) * size + modifier] = from[head];
      pruning.dense[static_cast<std::size_t>(head) * size + modifier] = row[head];
    }
  }
  std::vector<Index> heads(size);
  if (rules.projective)
    eisner(pruning.matrix, size, rules.root, heads, pruning.eisner);
  else
    maximum_spanning_tree(pruning.matrix, size, rules.root, heads, pruning.mst);
  select_heads(pruning.dense, size, rule, heads, words.gold_heads, out);
}

template <class Weight>
void choose_candidates(const PrunedModel<Weight>& model, const Words& words, bool projective,
                       ParserWorkspace& workspace, Candidates& out) {
  if (model.encoder)
    prune(*model.encoder, words, model.rule, {model.model.root, projective}, workspace.encoded, workspace.pruning, out);
  else if (model.pruner)
    prune(*model.pruner, words, model.rule, projective, workspace.pruning, out);
  else
    all_arcs(words.size(), out);
}

// Adds the encoder's log-probabilities to the scores of the candidates.
void add_arc_scores(const Encoder& encoder, const EncodedSentence& encoded, ScoredArcs& arcs) {
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc) {
    const Index head = arcs.parts.slots[2 * arc], modifier = arcs.parts.slots[2 * arc + 1];
    arcs.arc_scores[arc] += encoder.arc_weight * encoded.of_arc(head, modifier);
    arcs.scores[arc] = arcs.arc_scores[arc];
  }
}

// Adds the encoder's log-probabilities to the label scores of the arcs of a tree.
void add_label_scores(const Encoder& encoder, std::span<const Index> heads, std::size_t stride,
                      EncodedSentence& encoded, ScoredArcs& arcs) {
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc) {
    const Index head = arcs.parts.slots[2 * arc], modifier = arcs.parts.slots[2 * arc + 1];
    if (heads[modifier] != head) continue;
    const auto found = label_log_probabilities(encoder, encoded, head, modifier);
    float* row = arcs.label_rows.data() + arc * stride;
    for (std::size_t label = 0; label < found.size(); ++label) row[label] += encoder.label_weight * found[label];
  }
}

}  // namespace

template <class Weight>
void score_candidates(const PrunedModel<Weight>& model, const Words& words, bool projective,
                      ParserWorkspace& workspace) {
  choose_candidates(model, words, projective, workspace, workspace.arcs.candidates);
  score_arcs(model.model, words, workspace.arcs);
  if (model.encoder) add_arc_scores(*model.encoder, workspace.encoded, workspace.arcs);
}

template <class Weight>
std::vector<Candidates> prune_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective,
                                    std::size_t threads) {
  std::vector<Candidates> found(corpus.size());
  std::vector<ParserWorkspace> workspaces(useful_threads(corpus.size(), threads));
  parallel_for(corpus.size(), threads, [&](std::size_t thread, std::size_t s) {
    choose_candidates(model, corpus.sentence(s), projective, workspaces[thread], found[s]);
  });
  return found;
}

namespace {

// Decodes a sentence whose arcs have been scored. Leaves the solution in the workspace and writes the heads and the
// labels that the arc model alone chooses.
template <class Weight>
void decode_sentence(const ParserModel<Weight>& model, const Words& words, const DecodeOptions& options,
                     std::span<const Index> guide, ParserWorkspace& workspace, std::span<Index> heads,
                     std::span<Index> labels) {
  auto& [arcs, pruning, parts, labeler, encoded] = workspace;
  Solution& solution = parts.solution;
  if (model.is_first_order()) {
    solution.score = solution.bound = decode(arcs, {model.root, options.projective}, heads, labels);
    solution.certified = solution.score > NEGATIVE_INFINITY;
    solution.status = solution.certified ? Status::Optimal : Status::Infeasible;
    solution.sweeps = 0;
    solution.iterations = 1;
    return;
  }
  score_all_parts(model, words, arcs, parts);
  Problem problem = problem_of(model, arcs, parts, options.projective);
  problem.guide = guide;
  solve(problem, options, parts.decoding, solution);
  std::copy(solution.heads.begin(), solution.heads.end(), heads.begin());
  labels_of(arcs, heads, labels);
}

// Answers with the chain, in which each word depends on the word before it: the cheapest tree there is. If the time
// was too short for the encoder, its score is that of the linear model.
template <class Weight>
void answer_chain(const PrunedModel<Weight>& pruned, const Words& words, bool projective, ParserWorkspace& workspace,
                  std::span<Index> heads, std::span<Index> labels) {
  auto& [arcs, pruning, parts, labeler, encoded] = workspace;
  const ParserModel<Weight>& model = pruned.model;
  const Index size = words.size();
  std::iota(heads.begin(), heads.end(), NO_HEAD);
  arcs.candidates.heads.assign(heads.begin() + 1, heads.end());
  arcs.candidates.begins.assign(1, 0);
  for (Index word = 0; word < size; ++word) arcs.candidates.begins.push_back(word);
  score_arcs(model, words, arcs);
  if (pruned.encoder && encoded.is_whole) add_arc_scores(*pruned.encoder, encoded, arcs);
  fold_best_labels(model, words, 0.0F, arcs);
  labels_of(arcs, heads, labels);
  parts.solution = {};
  if (model.is_first_order()) {
    parts.solution.score = std::accumulate(arcs.scores.begin(), arcs.scores.end(), 0.0);
  } else {
    score_all_parts(model, words, arcs, parts);
    parts.solution.score = tree_value(problem_of(model, arcs, parts, projective), heads, parts.decoding.climb);
  }
}

// Chooses the labels of a tree of candidates again, now that the tree is known.
template <class Weight>
void label(const PrunedModel<Weight>& model, const Words& words, std::span<const Index> heads, std::span<Index> labels,
           ParserWorkspace& workspace) {
  if (!model.model.tree_label) return;
  if (model.encoder && workspace.encoded.is_whole)
    add_label_scores(*model.encoder, heads, model.model.labels.stride, workspace.encoded, workspace.arcs);
  label_tree(model.model, words, workspace.arcs, heads, labels, workspace.labeler);
}

// Chooses the candidates of every sentence, scores their arcs and calls visit(s, words, workspace).
template <class Weight, class Visit>
void visit_sentences(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective, std::size_t threads,
                     Visit visit) {
  std::vector<ParserWorkspace> workspaces(useful_threads(corpus.size(), threads));
  parallel_for(corpus.size(), threads, [&](std::size_t thread, std::size_t s) {
    ParserWorkspace& workspace = workspaces[thread];
    const Words words = corpus.sentence(s);
    score_candidates(model, words, projective, workspace);
    visit(s, words, workspace);
  });
}

}  // namespace

template <class Weight>
void parse_batch(const PrunedModel<Weight>& model, const Corpus& corpus, const DecodeOptions& options,
                 std::span<const Index> guide, std::span<const double> shares, const Answers& answers) {
  DecodeOptions own = options;
  // Threads without a sentence of their own help with another one.
  own.threads = options.threads / useful_threads(corpus.size(), options.threads);
  own.time_limit = 0.0;  // here it includes pruning and scoring
  std::vector<ParserWorkspace> workspaces(useful_threads(corpus.size(), options.threads));
  parallel_for(corpus.size(), options.threads, [&](std::size_t thread, std::size_t s) {
    ParserWorkspace& workspace = workspaces[thread];
    auto& [arcs, pruning, parts, labeler, encoded] = workspace;
    const Words words = corpus.sentence(s);
    const std::size_t begin = corpus.offsets[s], count = words.size();
    const auto heads = answers.heads.subspan(begin, count), labels = answers.labels.subspan(begin, count);
    try {
      const TimeLimit limit(options.time_limit * (shares.empty() ? 1.0 : shares[s]));
      score_candidates(model, words, options.projective, workspace);
      fold_best_labels(model.model, words, 0.0F, arcs);
      decode_sentence(model.model, words, own, guide.empty() ? guide : guide.subspan(begin, count), workspace, heads,
                      labels);
    } catch (const OutOfTime&) {
      answer_chain(model, words, options.projective, workspace, heads, labels);
    }
    label(model, words, heads, labels, workspace);
    const Solution& solution = parts.solution;
    answers.scores[s] = solution.score;
    answers.bounds[s] = solution.bound;
    answers.certified[s] = solution.certified;
    answers.iterations[s] = solution.sweeps + solution.iterations;
    answers.statuses[s] = solution.status;
  });
}

template <class Weight>
void label_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective, std::size_t threads,
                 std::span<const Index> heads, std::span<Index> labels) {
  visit_sentences(model, corpus, projective, threads,
                  [&](std::size_t s, const Words& words, ParserWorkspace& workspace) {
                    auto& [arcs, pruning, parts, labeler, encoded] = workspace;
                    const auto tree = heads.subspan(corpus.offsets[s], words.size());
                    const auto found = labels.subspan(corpus.offsets[s], words.size());
                    fold_best_labels(model.model, words, 0.0F, arcs);
                    if (!has_arcs(arcs, tree)) return;
                    labels_of(arcs, tree, found);
                    label(model, words, tree, found, workspace);
                  });
}

namespace {

// Writes the pruner's posteriors of the candidates to arcs.marginals [candidates].
void set_pruner_marginals(const ScoredArcs& pruning, ScoredArcs& arcs) {
  const std::size_t size = arcs.size;
  std::vector<double> sums(size, 0.0);
  for (std::size_t head = 0; head < size; ++head)
    for (std::size_t word = 1; word < size; ++word)
      if (head != word) sums[word] += pruning.dense[head * size + word];
  arcs.marginals.resize(arcs.parts.count);
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc) {
    const std::size_t head = arcs.parts.slots[2 * arc], word = arcs.parts.slots[2 * arc + 1];
    arcs.marginals[arc] = std::min(1.0, pruning.dense[head * size + word] / sums[word]);
  }
}

}  // namespace

template <class Weight>
void confidence_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective, std::size_t threads,
                      std::span<const Index> heads, std::span<const Index> labels, std::span<double> arc_marginals,
                      std::span<double> label_marginals) {
  visit_sentences(model, corpus, projective, threads,
                  [&](std::size_t s, const Words& words, ParserWorkspace& workspace) {
                    auto& [arcs, pruning, parts, labeler, encoded] = workspace;
                    const std::size_t begin = corpus.offsets[s], count = words.size();
                    fold_all_labels(model.model, words, arcs);
                    if (model.model.is_first_order())
                      infer(arcs, {model.model.root, projective});
                    else
                      set_pruner_marginals(pruning, arcs);
                    const auto tree = heads.subspan(begin, count);
                    for (std::size_t arc = 0; arc < arcs.parts.count; ++arc) {
                      const std::size_t word = arcs.parts.slots[2 * arc + 1];
                      if (tree[word] == arcs.parts.slots[2 * arc])
                        arc_marginals[begin + word] = label_marginals[begin + word] = arcs.marginals[arc];
                    }
                    if (model.encoder && model.model.label)
                      add_label_scores(*model.encoder, tree, model.model.labels.stride, encoded, arcs);
                    if (model.model.label && has_arcs(arcs, tree))
                      weigh_labels(model.model, words, arcs, tree, labels.subspan(begin, count),
                                   label_marginals.subspan(begin, count), labeler);
                  });
}

#define HEADLONG_INSTANTIATE(Weight)                                                                                   \
  template std::vector<Candidates> prune_batch(const PrunedModel<Weight>&, const Corpus&, bool, std::size_t);          \
  template void score_candidates(const PrunedModel<Weight>&, const Words&, bool, ParserWorkspace&);                    \
  template void parse_batch(const PrunedModel<Weight>&, const Corpus&, const DecodeOptions&, std::span<const Index>,   \
                            std::span<const double>, const Answers&);                                                  \
  template void label_batch(const PrunedModel<Weight>&, const Corpus&, bool, std::size_t, std::span<const Index>,      \
                            std::span<Index>);                                                                         \
  template void confidence_batch(const PrunedModel<Weight>&, const Corpus&, bool, std::size_t, std::span<const Index>, \
                                 std::span<const Index>, std::span<double>, std::span<double>);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
