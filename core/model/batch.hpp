// Many sentences at once, on threads.
#pragma once

#include "model/labeler.hpp"
#include "model/scored_parts.hpp"

namespace headlong {

// Sentences laid end to end, each with its root; sentence s has the words offsets[s] to offsets[s + 1].
struct Corpus {
  std::span<const Code> attributes;  // [words * attribute_count]
  std::span<const Traits> traits;    // [words]
  std::span<const Index> offsets;    // [sentences + 1]
  std::span<const Index> gold_heads, gold_labels;
  Index attribute_count = 0;
  const FeatureFunction* function = nullptr;

  std::size_t size() const { return offsets.size() - 1; }
  Words sentence(std::size_t s) const;
};

// What a decoder answers for a corpus: per word, and per sentence.
struct Answers {
  std::span<Index> heads, labels;     // [words]
  std::span<double> scores, bounds;   // [sentences]
  std::span<std::uint8_t> certified;  // [sentences]
  std::span<Index> iterations;        // [sentences] of the descent and of the solver behind it
  std::span<Status> statuses;         // [sentences]
};

// A model with the pruner that chooses its candidates; without one, every arc is a candidate.
template <class Weight>
struct PrunedModel {
  ParserModel<Weight> model;
  const ParserModel<Weight>* pruner = nullptr;
  PruningRule rule = {0, 0.0};
};

// The workspaces of one thread.
struct ParserWorkspace {
  ScoredArcs arcs, pruning;
  ScoredParts parts;
  LabelerWorkspace labeler;
};

// Chooses the candidates of a sentence, in `out`; a tree that the decoder can find is among them.
template <class Weight>
void choose_candidates(const PrunedModel<Weight>& model, const Words& words, bool projective, ScoredArcs& pruning,
                       Candidates& out);

// The candidates of all sentences.
template <class Weight>
std::vector<Candidates> prune_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective,
                                    std::size_t threads);

// Parses with the method of `options`, on options.threads threads; a first-order model has one method. `guide` has the
// heads of the guides of all sentences [words], or is empty.
template <class Weight>
void parse_batch(const PrunedModel<Weight>& model, const Corpus& corpus, const DecodeOptions& options,
                 std::span<const Index> guide, const Answers& answers);

// The labels of trees of candidates, heads [words], as parse_batch chooses them; those of a tree with an arc that is no
// candidate stay as they are.
template <class Weight>
void label_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective, std::size_t threads,
                 std::span<const Index> heads, std::span<Index> labels);

// How probable the arc (heads[word], word) is for each word of the corpus, and the labelled arc. For a first-order
// model, the marginal under the distribution over labelled trees; with larger parts the marginal is the pruner's, which
// the model must have (in sentences longer than MAX_MARGINAL_SIZE, the share of exp(score) among the word's heads). A
// label has its share of exp(score) under the scores that choose labels.
template <class Weight>
void confidence_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective, std::size_t threads,
                      std::span<const Index> heads, std::span<const Index> labels, std::span<double> arc_marginals,
                      std::span<double> label_marginals);

}  // namespace headlong
