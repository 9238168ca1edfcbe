// Maximum spanning trees over dense arc scores, with one root arc or any number of them; exact in both cases.
//
// All tree kernels read scores[head * size + modifier], size = words + 1. A score is finite, below 1e300 in magnitude,
// or -inf for an arc that does not exist; modifier 0 and the diagonal have no influence.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace headlong {

// A score behind an integer key, compared key first: an ordered abelian group, so the spanning tree algorithm runs on
// it unchanged. The key states what must hold before scores count; no large constant is ever added to a score.
struct KeyedScore {
  std::int64_t key = 0;
  Score score = 0.0;
};

// Scratch memory of the functions below: O(size^2), kept between calls.
struct MstWorkspace {
  std::vector<Score> plain;          // weights[modifier * size + head] between contracted words
  std::vector<KeyedScore> keyed;     // the same where keys are needed; a call uses one of the two
  std::vector<std::uint32_t> arcs;   // the arc of the input, head * size + modifier, behind each weight
  std::vector<Index> alive;          // slots that have not been merged into another one, ascending
  std::vector<Index> node;           // slot -> its node in the forest of contractions
  std::vector<Index> path;           // slots of the path being grown
  std::vector<std::uint8_t> status;  // slot -> not seen, on the path, settled
  std::vector<Index> parent;         // node -> node it was contracted into
  std::vector<std::uint8_t> broken;  // node -> its cycle has been opened
  std::vector<std::uint32_t> enter;  // node -> arc chosen to enter it
  std::vector<Score> plain_chosen;   // slot -> weight of that arc
  std::vector<KeyedScore> keyed_chosen;
  std::vector<Score> forced;        // [head * size + modifier], of tree_max_marginals: one word has one arc only
  std::vector<Index> heads, other;  // [size] the best tree, and one with another arc
};

// The sum of the tree's arc scores.
Score tree_score(std::span<const Score> scores, Index size, std::span<const Index> heads);

// Writes the best tree to heads (heads[0] = NO_HEAD) and returns the sum of its scores, -inf if no tree exists.
// In that case heads is still a tree, with one root arc under RootRule::Single, that uses as few missing arcs as can
// be. Scores are compared up to the rounding of their differences; among equal trees the choice is deterministic.
// Time and memory O(size^2).
Score maximum_spanning_tree(std::span<const Score> scores, Index size, RootRule rule, std::span<Index> heads,
                            MstWorkspace& workspace);

// Writes the value of the best tree with each arc to best[head * size + modifier], -inf where there is none, and
// returns the value of the best tree of all. An arc of the best tree is worth that; for every other arc the best tree
// is found in which no other arc enters its modifier. Time O(arcs size^2), where arcs that do not exist cost nothing.
Score tree_max_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<Score> best,
                         MstWorkspace& workspace);

}  // namespace headlong
