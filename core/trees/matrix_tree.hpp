// Sums over all spanning trees, projective or not (scores as in trees/mst.hpp): log-partition and arc marginals.
#pragma once

#include <span>
#include <vector>

#include "types.hpp"

namespace headlong {

// A non-negative number as the leading term c * epsilon^order of a series in a vanishing epsilon, with c kept as its
// logarithm: neither underflow nor overflow, and exact limits. Slow: it is what tree_marginals falls back to.
struct LeadingTerm {
  std::int64_t order = 0;
  Score log = NEGATIVE_INFINITY;  // -inf: the number zero
};

// Scratch memory of one number type, see matrix_tree.cpp.
template <class Number>
struct EliminationMemory {
  std::vector<Number> weights;  // [word][column]: the walk's weights before any elimination
  std::vector<Number> levels;   // the matrices of all levels, one after another
  std::vector<Number> pivots;   // likewise
  std::vector<Number> escape;   // [word]: for the word that is left over
  std::vector<Number> ordered;  // the same in the order of one level
  std::vector<Index> words;     // the words of all levels, in each level's order
};

// Scratch memory of tree_marginals: O(size^2), kept between calls.
struct MatrixTreeWorkspace {
  std::vector<Score> shifts;  // [word]: taken off all scores of the arcs into the word
  EliminationMemory<double> fast;
  EliminationMemory<LeadingTerm> wide;
  std::int64_t wide_runs = 0;  // how often plain doubles were not enough
};

// Which numbers to compute with: doubles unless they would lose digits, or the wide ones at once (for tests).
enum class Range : std::uint8_t { Automatic, Wide };

// Writes p(head -> modifier) to marginals[head * size + modifier] and returns the log-partition, the logarithm of the
// sum over all trees of exp(score). If there is no tree, -inf and zero marginals. Time O(size^3), without any
// subtraction of weights: right for any finite scores, however strongly words prefer each other.
Score tree_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<double> marginals,
                     MatrixTreeWorkspace& workspace, Range range = Range::Automatic);

}  // namespace headlong
