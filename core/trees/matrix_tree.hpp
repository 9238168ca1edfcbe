// Sums over all spanning trees, projective or not (scores as in trees/mst.hpp): log-partition and arc marginals.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "trees/leading_term.hpp"

namespace headlong {

// Scratch memory for one number type. See matrix_tree.cpp.
template <class Number>
struct EliminationMemory {
  std::vector<Number> weights;  // [word][column]: the weights of the walk before any elimination
  std::vector<Number> levels;   // the matrices of all levels, concatenated
  std::vector<Number> pivots;   // the pivots of all levels, concatenated
  std::vector<Number> escape;   // [word]: escape probabilities for the last remaining word
  std::vector<Number> ordered;  // the same, in the order of one level
  std::vector<Index> words;     // the words of all levels, in the order of each level
};

// Scratch memory of tree_marginals, reused between calls: O(size^2).
struct MatrixTreeWorkspace {
  std::vector<Score> shifts;  // [word]: subtracted from the scores of all arcs into the word
  EliminationMemory<double> fast;
  EliminationMemory<numbers::LeadingTerm> wide;
  std::int64_t wide_runs = 0;  // how often doubles were not accurate enough
};

// Which numbers to use: doubles unless they would lose digits, or always the wide ones (for tests).
enum class Range : std::uint8_t { Automatic, Wide };

// Writes p(head -> modifier) to marginals[head * size + modifier] and returns the log-partition: the logarithm of the
// sum of exp(score) over all trees. If there is no tree, returns -inf and zero marginals. O(size^3), without any
// subtraction of weights: accurate for all finite scores, however strongly words prefer each other. The absolute error
// is a few units in the last place of 1 (marginals far below 1e-16 may be returned as 0, except with Range::Wide).
Score tree_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<double> marginals,
                     MatrixTreeWorkspace& workspace, Range range = Range::Automatic);

}  // namespace headlong
