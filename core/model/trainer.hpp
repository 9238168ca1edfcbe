// The two halves of a training step: compute the updates of a mini-batch (in parallel, weights are only read), then
// apply them (one sentence after another, so the result does not depend on the number of threads).
#pragma once

#include <optional>

#include "model/batch.hpp"

namespace headlong {

// What learning compares gold with: the cost-augmented best tree, independent choices of all heads (for models that are
// not first-order), the trees of a sampler (sample_rank.hpp), or the expectation under the model.
enum class Compare : std::uint8_t { Best, Free, Samples, Expected };

// One sentence of a mini-batch, from decoding to the update of the weights.
struct Update {
  ScoredArcs arcs;
  ScoredParts parts;
  LabelerWorkspace labeler;
  Difference difference;
  TensorDifference tensor;           // by the factor whose turn it is
  std::vector<Index> heads, labels;  // of the best tree or the last sample
  std::vector<Index> before;         // [size] heads of the previous sample
  std::vector<float> amounts;        // [candidates] weights of the candidates in the difference, from samples
  std::vector<std::uint8_t> chosen;  // [candidates] the arcs to compare with gold
  Choices choices;                   // the choices of the heads to compare with gold
  double loss = 0.0;                 // hinge loss with the cost, or negative log-likelihood
  double squared_norm = 0.0;         // of the difference
};

// Decodes one sentence, whose candidates are in update.arcs, and computes the difference of features to gold.
// `factor` is the one of the tensor that learns, if any.
void compute_update(const ParserModel<float>& model, const Words& words, Compare compare, float cost,
                    const DecodeOptions& options, std::optional<Factor> factor, Update& update);

struct Trainer {
  const PrunedModel<float>* model = nullptr;
  Corpus corpus;
  TrainingTable parts, labels;
  std::array<TrainingTable, FACTORS> tensor;  // empty if no tensor learns
  std::uint64_t clock = 0;                    // sentences so far: the factors of the tensor take turns

  bool tensor_learns() const { return !tensor[0].weights.empty(); }
  std::vector<Candidates> candidates;  // of all sentences, if there is a pruner, which does not change
  std::vector<Update> updates;         // of the current mini-batch

  void choose_all_candidates(bool projective, std::size_t threads);
  void compute_updates(std::span<const Index> sentences, Compare compare, float cost, const DecodeOptions& options,
                       std::size_t threads);
  void apply(std::size_t update, float step, float time);
};

}  // namespace headlong
