// The context encoder: a small recurrent network that turns words into vectors, and vectors into log-probabilities of
// heads and labels.
//
// A word is the sum of the embeddings of its attribute values. One convolution over three words with maxout and `depth`
// bidirectional layers of gated recurrence follow (a light form of the LSTM: gates depend on the input alone, so that
// all products of a layer are one product). Four projections give each word vectors as a head and as a modifier, for
// arcs and for labels. An arc has the score of a bilinear form plus terms of the signed distance (Dozat and Manning
// 2017); a label has that of one hidden layer over head and modifier.
//
// Everything is float, and results have the same bits on every machine (dense/kernels.hpp).
#pragma once

#include "base/random.hpp"
#include "dense/rounded.hpp"

namespace headlong {

// The sizes of a network. All but `depth` and `labels` are multiples of PANEL.
struct NetworkShape {
  Index width = 0;   // of embeddings and of the convolution
  Index hidden = 0;  // of a layer, per direction
  Index depth = 0;   // number of layers
  Index arc = 0;     // of the vectors that score arcs
  Index label = 0;   // of the vectors that score labels
  Index labels = 0;
  Index vectors = 0;  // of fixed vectors of words, in training only; 0 for none

  Index projected() const { return 2 * arc + 2 * label; }
  void check() const;
};

// A linear map x W + b: the place of W [in][out] and then b [out] in the weights of the network.
struct Linear {
  Index in = 0, out = 0;
  std::size_t begin = 0;

  std::size_t bias() const { return begin + static_cast<std::size_t>(in) * out; }
  std::size_t end() const { return bias() + out; }
};

// The gains and then the offsets of a normalized row of `size`.
struct Norm {
  Index size = 0;
  std::size_t begin = 0;

  std::size_t end() const { return begin + 2 * static_cast<std::size_t>(size); }
};

// Where each piece of the network stands in its weights, one array of floats.
struct NetworkLayout {
  Norm input;
  Linear convolution;  // of three words -> two candidates for the maximum
  Norm convolved;
  std::vector<Linear> layers;  // -> values, forget gates and output gates, [forward | backward] each
  std::vector<Norm> outputs;
  Linear projection;                // -> arc head | arc modifier | label head | label modifier
  Linear bilinear;                  // arc modifier -> what its head's vector is multiplied by
  Linear near_modifier, near_head;  // arc modifier and arc head -> one number per bin of signed distance
  Linear label;                     // hidden layer of a pair -> labels, padded
  std::size_t vectors = 0;          // begin of the map [vectors][width] of fixed vectors to embeddings
  std::size_t size = 0;             // the number of weights

  explicit NetworkLayout(const NetworkShape& shape);
  std::vector<const Linear*> linears() const;
};

// Bins of the signed distance from head to modifier: ten each way, padded.
inline constexpr Index DISTANCE_BINS = 32;
Index distance_bin(Index head, Index modifier);

// The weights of a linear map, ready to multiply: W and its transpose in panels for training, else W rounded.
struct PackedLinear {
  std::vector<float> forward, backward;
  Panels panels{}, transposed{};
  RoundedMatrix rounded;
};

// Whether a network learns, with floats, or is used, with integers.
enum class Purpose : std::uint8_t { Training, Use };

// A network with its weights. Embeddings are apart: [rows][width].
struct Network {
  NetworkShape shape;
  NetworkLayout layout;
  std::span<const float> weights;
  std::span<const float> embeddings;
  std::vector<PackedLinear> packed;  // in the order of layout.linears()
  Purpose purpose = Purpose::Use;
  Instructions instructions;
  const Kernels* kernels;

  Network(const NetworkShape& shape, std::span<const float> weights, std::span<const float> embeddings,
          Instructions instructions);
  // Reads the weights again after they have changed.
  void repack(Purpose purpose);
  const PackedLinear& packed_of(const Linear& linear) const;
};

// Sentences laid end to end, each with its root: the embedding rows of every word, `columns` per word, and -1 for none.
// Sentence s has the words offsets[s] to offsets[s + 1].
struct NetworkInput {
  std::span<const Index> rows;
  std::span<const Index> offsets;
  Index columns = 0;

  Index words() const { return offsets.back(); }
  std::span<const Index> rows_of(Index word) const {
    return rows.subspan(static_cast<std::size_t>(word) * columns, columns);
  }
};

// Dropout in training: shares of what is hidden. All are 0 when the network is used.
struct Dropout {
  float attributes = 0.0F, convolution = 0.0F, layers = 0.0F;
};

// What a layer computes; kept for the backward pass.
struct LayerRecord {
  std::vector<float> gates;   // [words][6 hidden] values | forget gates | output gates
  std::vector<float> cells;   // [words][2 hidden]
  std::vector<float> normal;  // [words][2 hidden] the cells, normalized
  std::vector<float> scales;  // [words]
  std::vector<float> mask;    // [words][2 hidden] dropout factors
  std::vector<float> output;  // [words][2 hidden]
};

// What the forward pass computes. The object is its own workspace.
struct NetworkRecord {
  Index words = 0;
  std::vector<float> factors;                                // [words][columns] dropout factors of attributes
  std::vector<float> input, normal, scales, mask, embedded;  // [words][width]; scales [words]
  std::vector<float> windows;                                // [words][3 width]
  std::vector<float> pieces;                                 // [words][2 width] what the maximum is taken of
  std::vector<float> highest, convolved_normal, convolved_scales, convolved_mask, convolved;
  std::vector<LayerRecord> layers;
  std::vector<float> projected, projected_mask;  // [words][projected]
  std::vector<float> queries;                    // [words][arc] bilinear
  std::vector<float> near_modifier, near_head;   // [words][DISTANCE_BINS]
  std::vector<float> scratch, pair, label_scores;
  RoundedRows rounded;
};

inline constexpr float LEAK = 0.1F;  // slope of negative values in projections

// The factor of the bilinear form in the score of an arc.
float bilinear_scale(const NetworkShape& shape);

// Computes the vectors of all words. `random` is used if there is dropout.
void forward(const Network& network, const NetworkInput& input, const Dropout& dropout, Random& random,
             NetworkRecord& record);

// Writes scores [size][padded(size)] of the arcs of one sentence, a row per modifier, a column per head; impossible
// arcs have -infinity.
void arc_scores(const Network& network, const NetworkRecord& record, Index begin, Index size,
                std::vector<float>& heads_transposed, std::vector<float>& scores);

// Turns a row of scores into log-probabilities.
void log_probabilities(const Kernels& kernels, float* row, Index count, std::vector<float>& scratch);

// Writes the hidden layer [label] of the label of an arc.
void label_pair(const Network& network, const NetworkRecord& record, Index head, Index modifier, float* pair);

// Writes the log-probabilities [padded(labels)] of the labels of the arc from word `head` to word `modifier`, counted
// in the record. Entries past the labels are undefined.
void label_probabilities(const Network& network, NetworkRecord& record, Index head, Index modifier, float* out);

}  // namespace headlong
