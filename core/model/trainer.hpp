// The two halves of a training step over a corpus: compute_update a mini-batch (on threads, weights only read), then
// apply what was learnt (one sentence after another, so that the result does not depend on the number of threads).
#pragma once

#include "model/batch.hpp"

namespace headlong {

// What learning compares gold with: the cost-augmented best tree, what every head would choose by itself (for models
// with larger parts), the trees of a sampler (sample_rank.hpp), or the expectation under the model.
enum class Compare : std::uint8_t { Best, Free, Samples, Expected };

// One sentence of a mini-batch on its way from decoding to the update.
struct Update {
  ScoredArcs arcs;
  ScoredParts parts;
  LabelerWorkspace labeler;
  Difference difference;
  std::vector<Index> heads, labels;  // of the best tree, or of the last sample
  std::vector<Index> before;         // [size] the sample before
  std::vector<float> amounts;        // [candidates] what samples add to the difference
  std::vector<std::uint8_t> chosen;  // [candidates] the arcs that are compared with gold's
  Choices choices;                   // and what the heads take
  double loss = 0.0;                 // hinge loss with the cost, or negative log-likelihood
  double squared_norm = 0.0;         // of the difference
};

// Decodes one sentence, whose candidates are in update.arcs, and takes the difference of features against gold.
void compute_update(const ParserModel<float>& model, const Words& words, Compare compare, float cost,
                    const DecodeOptions& options, Update& update);

struct Trainer {
  const PrunedModel<float>* model = nullptr;
  Corpus corpus;
  TrainingTable parts, labels;
  std::vector<Candidates> candidates;  // of all sentences, if there is a pruner: it does not change any more
  std::vector<Update> updates;         // of the current mini-batch

  void choose_all_candidates(bool projective, std::size_t threads);
  void compute_updates(std::span<const Index> sentences, Compare compare, float cost, const DecodeOptions& options,
                       std::size_t threads);
  void apply(std::size_t update, float step, float time);
};

}  // namespace headlong
