// Maximum spanning trees over dense arc scores, with one root arc or any number of them. Exact in both cases.
//
// All tree kernels read scores[head * size + modifier], where size = words + 1. A score is finite and below 1e300 in
// magnitude, or -inf if the arc does not exist. Column 0 and the diagonal are ignored.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace headlong {

// A score with an integer key that is compared first. Keyed scores form an ordered abelian group, so the spanning tree
// algorithm works on them unchanged. The key encodes hard preferences without adding large constants to scores.
struct KeyedScore {
  std::int64_t key = 0;
  Score score = 0.0;
};

// Scratch memory of the functions below, reused between calls: O(size^2).
struct MstWorkspace {
  std::vector<Score> plain;          // weights[modifier * size + head] between contracted words
  std::vector<KeyedScore> keyed;     // the same with keys; a call uses one of the two
  std::vector<std::uint32_t> arcs;   // the input arc, head * size + modifier, of each weight
  std::vector<Index> alive;          // slots not merged into another one, ascending
  std::vector<Index> node;           // slot -> its node in the forest of contractions
  std::vector<Index> path;           // slots of the current path
  std::vector<std::uint8_t> status;  // slot -> not seen, on the path, or settled
  std::vector<Index> parent;         // node -> node it was contracted into
  std::vector<std::uint8_t> broken;  // node -> its cycle has been broken
  std::vector<std::uint32_t> enter;  // node -> arc chosen to enter it
  std::vector<Score> plain_chosen;   // slot -> weight of that arc
  std::vector<KeyedScore> keyed_chosen;
  std::vector<Score> forced;  // [head * size + modifier] of tree_max_marginals: scores that leave one word a single arc
  std::vector<Index> heads, other;  // [size] the best tree, and the best tree with a forced arc
};

// Returns the sum of the tree's arc scores.
Score tree_score(std::span<const Score> scores, Index size, std::span<const Index> heads);

// Writes the best tree to heads (heads[0] = NO_HEAD) and returns its score, or -inf if no tree exists. Even then heads
// is a tree, with one root arc under RootRule::Single and as few missing arcs as possible. Scores are compared up to
// the rounding of their differences. Ties are broken deterministically. Time and memory O(size^2).
Score maximum_spanning_tree(std::span<const Score> scores, Index size, RootRule rule, std::span<Index> heads,
                            MstWorkspace& workspace);

// Writes the score of the best tree with each arc to best[head * size + modifier] (-inf if there is none) and returns
// the score of the best tree. For each arc outside the best tree, finds the best tree with that arc as the only one
// into its modifier. O(arcs * size^2); arcs that do not exist cost nothing.
Score tree_max_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<Score> best,
                         MstWorkspace& workspace);

}  // namespace headlong
