// Projective trees over dense arc scores (scores as in trees/mst.hpp): the best one, and what all trees say of each
// arc.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace headlong {

// Scratch memory of the functions below: O(size^2), kept between calls. All charts are [row * size + column].
struct EisnerWorkspace {
  std::vector<Score> between;            // [left][right]: what the two words hold between them, without an arc
  std::vector<Score> incomplete;         // [head][modifier]: the arc and everything between the two words
  std::vector<Score> complete;           // [head][end]: head with all its dependents on that side, as far as end
  std::vector<Score> complete_from_end;  // [end][head]: the same transposed, so that every inner loop is contiguous
  std::vector<Score> root_left;          // [word]: the root's arc to word times what hangs left of word
  std::vector<double> complete_share;    // derivatives of the log-partition (max-plus: the best tree around a span) by
                                         // the two charts of the same shape
  std::vector<double> complete_from_end_share;
  std::vector<std::pair<Index, Index>> open;  // (head, end) of complete spans still to be taken apart
};

// Writes the best projective tree to heads (heads[0] = NO_HEAD) and returns the sum of its scores. If there is none the
// result is -inf and heads is a chain, each word on the one before it. Among equal trees the choice is deterministic.
// Time O(size^3).
Score eisner(std::span<const Score> scores, Index size, RootRule rule, std::span<Index> heads,
             EisnerWorkspace& workspace);

// Writes p(head -> modifier) to marginals[head * size + modifier] and returns the log-partition, the logarithm of the
// sum over all projective trees of exp(score). If there is no tree, -inf and zero marginals. Time O(size^3).
Score eisner_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<double> marginals,
                       EisnerWorkspace& workspace);

// Writes the value of the best projective tree with each arc to best[head * size + modifier], -inf where there is none,
// and returns the value of the best tree of all. Time O(size^3).
Score eisner_max_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<Score> best,
                           EisnerWorkspace& workspace);

}  // namespace headlong
