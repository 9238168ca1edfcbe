// Chains of labels of order 0, 1 and 2: the best path (Viterbi 1967) and sums over all paths (forward-backward, Baum
// 1972), as one recursion in two semirings.
//
// Each item takes one of its candidate labels; a tag dictionary keeps the lattice narrow. The score of a path is the
// sum of its nodes, of its pairs of adjacent labels (order 1 and above) and of its triples (order 2; Rush 2010, section
// 3). Before the first item is a boundary with the label number `labels`.
#pragma once

#include "base/types.hpp"

namespace headlong {

struct Lattice {
  Index order = 1;
  Index labels = 0;
  std::span<const Index> begins;      // [items + 1] ranges of `candidates`; every item has at least one
  std::span<const Index> candidates;  // [nodes] labels
  std::span<const Score> nodes;       // [nodes] scores
  const float* pairs = nullptr;       // [labels + 1][labels] by previous label and label; null: all zero
  const float* triples =
      nullptr;  // [labels + 1][labels][labels + 1] by previous label, label, label before both; null: all zero
  std::span<const Score> item_pairs;   // per item [previous candidates][candidates]: extra scores of pairs, or empty
  std::span<const std::size_t> tiles;  // [items + 1] where the pairs of each item begin in `item_pairs`

  Index size() const { return static_cast<Index>(begins.size()) - 1; }
  // Returns how many candidates an item has. The boundary, item -1, has one.
  Index width(Index item) const { return item < 0 ? 1 : begins[item + 1] - begins[item]; }
  Index label(Index item, Index candidate) const { return item < 0 ? labels : candidates[begins[item] + candidate]; }
};

// A state is the last label of a path and, with order 2, the label before it. The states of item i are
// [kept][width(i)], where kept is the number of candidates of item i - 1 with order 2, and 1 otherwise.
struct LatticeWorkspace {
  std::vector<std::size_t> states;      // [items + 1] where the states of each item begin
  std::vector<Score> inside, outside;   // [states] sums over the paths up to a state, and after it
  std::vector<Score> edges, row, more;  // scratch
};

// Finds the best path: writes the index of the chosen candidate of each item and returns the score. Ties go to the
// first candidate, starting from the last item. If no path is possible, the score is -inf. O(items * candidates^(order
// + 1)).
Score best_path(const Lattice& lattice, std::span<Index> chosen, LatticeWorkspace& workspace);

// Sums over all paths: writes the probability of each node [nodes] and returns the log-partition. If no path is
// possible, the probabilities are 0 and the log-partition is -inf. O(items * candidates^(order + 1)).
Score path_marginals(const Lattice& lattice, std::span<double> probabilities, LatticeWorkspace& workspace);

// Writes the probabilities of the steps into one item, after `path_marginals`: [kept][candidates][sums], where sums is
// the number of candidates of the earliest item that the order looks at.
void edge_marginals(const Lattice& lattice, Index item, Score log_partition, LatticeWorkspace& workspace,
                    std::vector<double>& probabilities);

// Returns the score of one path, given as the index of the candidate of each item.
Score path_score(const Lattice& lattice, std::span<const Index> chosen);

}  // namespace headlong
