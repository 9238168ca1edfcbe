// The low-rank tensor that scores arcs (Lei et al. 2014): the sum over i of [U phi_h]_i [V phi_m]_i [W phi_hm]_i, where
// phi_h and phi_m are the features of head and modifier, and phi_hm are those of the arc.
//
// The features of words and arcs come from templates. A matrix has one row of `stride` weights per known feature, so
// U phi is a sum of rows. Features that are not known have no row. Features of arcs look at relations alone, so that
// the arcs of a sentence have few different vectors.
#pragma once

#include <array>

#include "dense/rounded_rows.hpp"
#include "dense/vocabulary.hpp"

namespace headlong {

// The factors of the tensor.
enum class Factor : std::uint8_t { Head, Modifier, Arc };
inline constexpr std::size_t FACTORS = 3;

struct Tensor {
  const Templates* word_templates;            // one slot, no relations
  const Templates* arc_templates;             // those of arcs, without attributes
  std::vector<Index> relations;               // those that templates of arcs look at
  Vocabulary words, arcs;                     // the rows of features
  Index known_words;                          // rows of word features; after them come those of the vectors of words
  Index vector_size;                          // of a word and of its neighbors, three vectors; or 0
  Index stride;                               // a multiple of PANEL
  std::array<const float*, FACTORS> weights;  // U, V [word rows * stride] and W [arc rows * stride]
  const RoundedRowPairs* rounded;             // U and V of a tensor that does not learn; null: floats
  float share;                                // what the tensor's scores are multiplied by: 1 - gamma
  Instructions instructions;
  const Kernels* kernels;

  const float* of(Factor factor) const { return weights[static_cast<std::size_t>(factor)]; }
};

// Weighted rows of items (words or arcs), laid end to end.
struct FeatureRows {
  std::vector<WeightedRow> rows;
  std::vector<Index> begins;  // [items + 1]

  std::span<const WeightedRow> of(std::size_t item) const {
    return std::span(rows).subspan(begins[item], begins[item + 1] - begins[item]);
  }
};

// A sentence under the tensor, its own workspace.
struct TensorSentence {
  SlotCodes word_codes, arc_codes;
  std::vector<Code> codes;
  FeatureRows words, kinds;             // of words, and of arcs with the same relations
  std::vector<Index> kind_of;           // [arcs]
  std::vector<Code> kind_relations;     // [kinds * relations]
  std::vector<float> heads, modifiers;  // [words * stride] U phi, V phi
  std::vector<float> relations;         // [kinds * stride] W phi

  const float* head(Index word, Index stride) const { return heads.data() + static_cast<std::size_t>(word) * stride; }
  const float* modifier(Index word, Index stride) const {
    return modifiers.data() + static_cast<std::size_t>(word) * stride;
  }
  const float* relation(std::size_t arc, Index stride) const {
    return relations.data() + static_cast<std::size_t>(kind_of[arc]) * stride;
  }
};

// Adds the scores of the tensor to scores [arcs]. `vectors` are those of the words [words * vector_size], or empty if
// the tensor has none. O((words * features + arcs) * rank).
void add_tensor_scores(const Tensor& tensor, const Attributes& words, std::span<const float> vectors,
                       const PartColumns& arcs, TensorSentence& sentence, std::span<float> scores);

// An arc of a sentence with its weight in a difference of features.
struct WeightedArc {
  std::size_t arc;
  Index head, modifier;
  float weight;
};

// The gradient of a weighted sum of arc scores by one factor: sparse rows of the factor's matrix.
struct TensorDifference {
  Factor factor = Factor::Head;
  std::vector<Index> rows;    // increasing
  std::vector<float> values;  // [rows * stride]
  double squared_norm = 0.0;

  // Workspace: one vector per word or kind of arc, and the rows that it enters.
  struct Share {
    Index row, vector;
    float weight;
  };
  std::vector<float> vectors;
  std::vector<Index> numbers;
  std::vector<Share> shares;
};

void tensor_difference(const Tensor& tensor, const TensorSentence& sentence, std::span<const WeightedArc> arcs,
                       Factor factor, TensorDifference& out);

}  // namespace headlong
