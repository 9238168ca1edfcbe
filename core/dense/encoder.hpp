// The context encoder as a part of a parser: from the attribute codes of words to log-probabilities of arcs and labels.
#pragma once

#include "dense/network.hpp"

namespace headlong {

// The embedding row of each known attribute value: a hash table with open addressing. A code already tells attributes
// apart.
class Vocabulary {
 public:
  Vocabulary(std::span<const Code> codes, std::span<const Index> rows);
  // Returns the row of a value, or -1 if it is not known.
  Index find(Code code) const;

 private:
  struct Entry {
    Code code;
    Index row;
  };
  std::vector<Entry> entries_;  // row -1: empty
  Code mask_;
};

// How one attribute enters the network: its column in the codes of words, and the row of all values that are not known
// (-1: none).
struct EncoderColumn {
  Index column;
  Index unknown;
};

struct Encoder {
  Network network;
  Vocabulary vocabulary;
  std::vector<EncoderColumn> columns;
  // What log-probabilities are multiplied by before they are added to the scores of the linear model.
  float arc_weight, label_weight;

  static constexpr Index ROOT = 0;  // the embedding row of the root
};

// An encoded sentence, its own workspace.
struct EncodedSentence {
  Index size = 0;
  bool is_whole = false;  // whether encoding came to its end; a time limit or an interrupt may stop it
  std::vector<Index> rows;
  NetworkRecord record;
  std::vector<float> log_probabilities;  // [modifiers][padded(size)] of heads
  std::vector<float> labels, transposed, scratch;

  float of_arc(Index head, Index modifier) const {
    return log_probabilities[static_cast<std::size_t>(modifier) * padded(size) + head];
  }
};

// Log-probabilities below this count as this: otherwise a network that is too sure could overrule everything else.
inline constexpr float LEAST_LOG_PROBABILITY = -15.0F;

// Computes the log-probabilities of all arcs of a sentence. O(n^2).
void encode(const Encoder& encoder, const Attributes& words, EncodedSentence& encoded);

// Returns the log-probabilities [labels] of the labels of an arc, valid until the next call.
std::span<const float> label_log_probabilities(const Encoder& encoder, EncodedSentence& encoded, Index head,
                                               Index modifier);

}  // namespace headlong
