// Projective trees over dense arc scores (laid out as in trees/mst.hpp): the best tree, marginals and max-marginals.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace headlong {

// Scratch memory of the functions below, reused between calls: O(size^2). All charts are [row * size + column].
struct EisnerWorkspace {
  std::vector<Score> between;            // [left][right]: everything between the two words, without an arc
  std::vector<Score> incomplete;         // [head][modifier]: the arc and everything between the two words
  std::vector<Score> complete;           // [head][end]: head with all its dependents on one side, up to end
  std::vector<Score> complete_from_end;  // [end][head]: the transpose, so that every inner loop is contiguous
  std::vector<Score> root_left;          // [word]: the arc from the root to word, times the span left of word
  std::vector<double> complete_share;    // derivatives of the log-partition with respect to the two charts above
                                         // (max-plus: the best tree around a span)
  std::vector<double> complete_from_end_share;
  std::vector<std::pair<Index, Index>> open;  // (head, end) of complete spans that remain to be split
};

// Writes the best projective tree to heads (heads[0] = NO_HEAD) and returns its score. If there is no tree, returns
// -inf and attaches each word to the one before it. Ties are broken deterministically. O(size^3).
Score eisner(std::span<const Score> scores, Index size, RootRule rule, std::span<Index> heads,
             EisnerWorkspace& workspace);

// Writes p(head -> modifier) to marginals[head * size + modifier] and returns the log-partition: the logarithm of the
// sum of exp(score) over all projective trees. If there is no tree, returns -inf and zero marginals. O(size^3).
Score eisner_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<double> marginals,
                       EisnerWorkspace& workspace);

// Writes the score of the best projective tree with each arc to best[head * size + modifier] (-inf if there is none)
// and returns the score of the best tree. O(size^3).
Score eisner_max_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<Score> best,
                           EisnerWorkspace& workspace);

}  // namespace headlong
