// Sums over all spanning trees, projective or not (scores as in trees/mst.hpp): log-partition and arc marginals.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "trees/leading_term.hpp"

namespace headlong {

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
  EliminationMemory<numbers::LeadingTerm> wide;
  std::int64_t wide_runs = 0;  // how often plain doubles were not enough
};

// Which numbers to compute with: doubles unless they would lose digits, or the wide ones at once (for tests).
enum class Range : std::uint8_t { Automatic, Wide };

// Writes p(head -> modifier) to marginals[head * size + modifier] and returns the log-partition, the logarithm of the
// sum over all trees of exp(score). If there is no tree, -inf and zero marginals. Time O(size^3), without any
// subtraction of weights: right for any finite scores, however strongly words prefer each other, with an absolute error
// of some units in the last place of 1 (marginals far below 1e-16 may come out as 0; not so with Range::Wide).
Score tree_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<double> marginals,
                     MatrixTreeWorkspace& workspace, Range range = Range::Automatic);

}  // namespace headlong
