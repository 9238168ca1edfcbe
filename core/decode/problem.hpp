// The input of a decoder: the candidates of one sentence, the scores of their parts, and the rules for trees.
#pragma once

#include "decode/global_scorer.hpp"
#include "parts/extras.hpp"

namespace headlong {

// Which trees are allowed.
struct TreeRules {
  RootRule root = RootRule::Single;
  bool projective = false;
};

// A view: the caller owns everything and keeps it alive. The value of a tree is the sum of its arcs, frame parts,
// extras and globals (`tree_value` in decode/climb.hpp).
struct Problem {
  const Frames* frames = nullptr;         // the candidates and the scores of frame parts
  std::span<const Score> arc_scores;      // [arcs] finite or -inf
  const Extras* extras = nullptr;         // for the same candidates; null: none
  GlobalScorer* global_scorer = nullptr;  // scores whole trees, so only search can use it; null: none
  TreeRules rules;
  // Hints, which change no score.
  std::span<const Index> guide;       // [size] the tree that greedy inference is biased to; empty: none
  std::span<const Index> first_tree;  // [size] where hill climbing starts; empty: the best tree of the arc scores

  Index size() const { return frames->size; }
  Problem without_globals() const {
    Problem plain = *this;
    plain.global_scorer = nullptr;
    return plain;
  }
};

}  // namespace headlong
