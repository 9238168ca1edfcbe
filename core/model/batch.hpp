// Work on many sentences in parallel.
#pragma once

#include "dense/encoder.hpp"
#include "model/labeler.hpp"
#include "model/scored_parts.hpp"

namespace headlong {

// Sentences laid end to end, each with its root. Sentence s has the words offsets[s] to offsets[s + 1].
struct Corpus {
  std::span<const Code> attributes;  // [words * attribute_count]
  std::span<const Traits> traits;    // [words]
  std::span<const Index> offsets;    // [sentences + 1]
  std::span<const Index> gold_heads, gold_labels;
  Index attribute_count = 0;
  const FeatureFunction* function = nullptr;
  std::span<const float> vectors;  // [words * vector_size], or empty
  Index vector_size = 0;

  std::size_t size() const { return offsets.size() - 1; }
  Words sentence(std::size_t s) const;
};

// The results for a corpus, per word and per sentence.
struct Answers {
  std::span<Index> heads, labels;     // [words]
  std::span<double> scores, bounds;   // [sentences]
  std::span<std::uint8_t> certified;  // [sentences]
  std::span<Index> iterations;        // [sentences] sweeps of the descent plus iterations of the solver after it
  std::span<Status> statuses;         // [sentences]
};

// A model with what chooses its candidates: a context encoder, which also adds to the scores of arcs and labels, or a
// pruner. Without either, every arc is a candidate.
template <class Weight>
struct PrunedModel {
  ParserModel<Weight> model;
  const ParserModel<Weight>* pruner = nullptr;
  const Encoder* encoder = nullptr;
  PruningRule rule = {0, 0.0};
};

// The workspaces of one thread.
struct ParserWorkspace {
  ScoredArcs arcs, pruning;
  ScoredParts parts;
  LabelerWorkspace labeler;
  EncodedSentence encoded;
};

// Chooses the candidates of a sentence, workspace.arcs.candidates, and scores their arcs. They contain a tree that the
// decoder can find.
template <class Weight>
void score_candidates(const PrunedModel<Weight>& model, const Words& words, bool projective,
                      ParserWorkspace& workspace);

// Returns the candidates of all sentences.
template <class Weight>
std::vector<Candidates> prune_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective,
                                    std::size_t threads);

// Parses with the method of `options` on options.threads threads. A first-order model has a single method. `guide`
// holds the heads of the guides of all sentences [words], or is empty. `shares` [sentences] multiplies the time limit
// of each sentence, or is empty. The limit includes pruning and scoring. A sentence for which there is not even time
// for a first tree gets one in which each word depends on the word before it (status Unconverged, no bound).
template <class Weight>
void parse_batch(const PrunedModel<Weight>& model, const Corpus& corpus, const DecodeOptions& options,
                 std::span<const Index> guide, std::span<const double> shares, const Answers& answers);

// Labels trees of candidates, heads [words], as `parse_batch` does. If a tree has an arc that is not a candidate, its
// labels stay unchanged.
template <class Weight>
void label_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective, std::size_t threads,
                 std::span<const Index> heads, std::span<Index> labels);

// Computes the probability of the arc (heads[word], word), and of the labeled arc, for each word of the corpus. For a
// first-order model, it is the marginal under the distribution over labeled trees. Other models must have an encoder or
// a pruner, and the marginal is that of the encoder or the pruner (in sentences longer than MAX_MARGINAL_SIZE, the
// share of exp(score) among the word's heads). The probability of a label is its share of exp(score) under the scores
// that choose labels.
template <class Weight>
void confidence_batch(const PrunedModel<Weight>& model, const Corpus& corpus, bool projective, std::size_t threads,
                      std::span<const Index> heads, std::span<const Index> labels, std::span<double> arc_marginals,
                      std::span<double> label_marginals);

}  // namespace headlong
