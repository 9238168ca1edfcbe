// Training of the context encoder: the loss and its gradient by backpropagation, then a step of Adam.
#pragma once

#include <array>

#include "dense/network.hpp"

namespace headlong {

// The gradient of the loss of some sentences. Rows of embeddings that no word has are not touched.
struct NetworkGradient {
  std::vector<float> weights;            // as in the network
  std::vector<float> embeddings;         // [rows][width], zero except in touched rows
  std::vector<Index> touched;            // in order of first appearance
  std::vector<std::uint8_t> is_touched;  // [rows]
  double loss = 0.0;

  void clear(const Network& network);
};

// Buffers of the backward pass.
struct BackwardWorkspace {
  std::vector<float> scores, transposed, packed, pairs, label_scores;
  std::vector<float> projected, queries, near_modifier, near_head;  // gradients, as in the record
  std::vector<float> output, below, gates, cells, windows;
};

// What the network should have said: the head of every word, counted in its sentence, and its label. Both are -1 for
// the root, and where nothing is to be learned.
struct NetworkGold {
  std::span<const Index> heads, labels;  // [words]
};

// Adds to `gradient` that of `share` times the sum over words of the negative log-probabilities of head and label;
// labels count `label_share` as much. The record must be that of a forward pass over the same input.
void backward(const Network& network, const NetworkInput& input, const NetworkGold& gold, const Dropout& dropout,
              float share, float label_share, NetworkRecord& record, BackwardWorkspace& workspace,
              NetworkGradient& gradient);

// Adam (Kingma and Ba 2015) with clipping by the norm of the gradient, and an exponential average of the weights. Rows
// of embeddings move only in steps that touch them.
struct AdamOptions {
  float beta1 = 0.9F, beta2 = 0.95F, epsilon = 1e-8F;
  float largest_norm = 5.0F;
  float average_rate = 0.02F;
};

class NetworkTrainer {
 public:
  // The weights are changed in place.
  NetworkTrainer(const NetworkShape& shape, std::span<float> weights, std::span<float> embeddings,
                 Instructions instructions);

  // Declares the last embeddings to be those of words with fixed vectors [words][shape.vectors]: the map of vectors to
  // embeddings is learned instead of them, and they are computed anew in each step that needs them.
  void set_vectors(std::span<const float> vectors);

  // Takes a step on some sentences of a corpus and returns the mean loss per word. The result does not depend on the
  // number of threads: sentences are always split into the same two shares.
  double step(const NetworkInput& corpus, const NetworkGold& gold, std::span<const Index> sentences,
              const Dropout& dropout, float label_share, float rate, std::uint64_t seed, std::size_t threads);

  // Begins to average the weights.
  void start_average();
  // Writes the averages, or the weights if averaging has not begun.
  void average(std::span<float> weights, std::span<float> embeddings);

  // Everything but the weights that a run needs to go on: the number of steps, moments, averages, and how far the
  // averages of rows have come. The last three are empty before averaging begins.
  struct State {
    Index steps = 0;
    std::vector<float> first, second, row_first, row_second, average, row_average;
    std::vector<Index> averaged_until;
  };
  const State& state() const { return state_; }
  // The sizes must be those of this network.
  void restore(State state);

 private:
  static constexpr std::size_t SHARES = 2;

  // One share of a mini-batch, copied from the corpus.
  struct Share {
    std::vector<Index> rows, offsets, heads, labels;
    NetworkRecord record;
    BackwardWorkspace workspace;
    NetworkGradient gradient;
  };

  void map_vectors(std::span<const Index> rows);
  void learn_map(NetworkGradient& gradient) const;
  void move(float rate);
  void catch_up(Index row);

  Network network_;
  std::span<float> weights_, embeddings_;
  std::span<const float> vectors_;
  Index first_mapped_;               // the first embedding that is computed from a vector
  std::vector<Index> mapped_until_;  // by vector: the step for which its embedding is up to date
  std::array<Share, SHARES> shares_;
  State state_;
  double decay1_ = 1.0, decay2_ = 1.0;  // powers of the betas
  AdamOptions options_;
};

}  // namespace headlong
