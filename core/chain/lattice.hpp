// Chains of labels of order 0, 1 and 2: the best path (Viterbi 1967) and sums over all paths (forward-backward, Baum
// 1972), one recursion in two semirings.
//
// An item may take one of its candidates, labels given item by item, so that a dictionary of tags makes the lattice
// narrow. A path is worth the scores of its nodes, of its pairs of neighbouring labels (order 1 and above) and of its
// triples (order 2; Rush 2010, section 3). Before the first item stands the boundary, which has the number `labels`.
#pragma once

#include "base/types.hpp"

namespace headlong {

struct Lattice {
  Index order = 1;
  Index labels = 0;
  std::span<const Index> begins;       // [items + 1] ranges of `candidates`; every item has one at least
  std::span<const Index> candidates;   // [nodes] labels
  std::span<const Score> nodes;        // [nodes] scores
  const float* pairs = nullptr;        // [labels + 1][labels] by previous label and label; null: all are worth nothing
  const float* triples = nullptr;      // [labels + 1][labels][labels + 1] by previous label, label, label before both
  std::span<const Score> item_pairs;   // by item [previous candidates][candidates], more for a pair; may be empty
  std::span<const std::size_t> tiles;  // [items + 1] where each item's tile begins in `item_pairs`

  Index size() const { return static_cast<Index>(begins.size()) - 1; }
  // How many candidates item `item` has; the boundary, before the first, has one.
  Index width(Index item) const { return item < 0 ? 1 : begins[item + 1] - begins[item]; }
  Index label(Index item, Index candidate) const { return item < 0 ? labels : candidates[begins[item] + candidate]; }
};

// A state is the last label of a path and, with order 2, the one before: states of item i are [kept][width(i)], kept
// being the candidates of item i - 1 with order 2 and 1 otherwise.
struct LatticeWorkspace {
  std::vector<std::size_t> states;      // [items + 1] where each item's states begin
  std::vector<Score> inside, outside;   // [states] of paths up to, and after, a state
  std::vector<Score> edges, row, more;  // scratch
};

// The best path: writes the index of the chosen candidate of each item, returns the score. Among paths of equal worth
// the one with the first candidates, seen from the end. If no path is possible the score is -inf.
// O(items * candidates^(order + 1)).
Score best_path(const Lattice& lattice, std::span<Index> chosen, LatticeWorkspace& workspace);

// Sums over all paths: the probability of each node, [nodes]; returns the log-partition. If no path is possible the
// probabilities are 0 and the log-partition is -inf. O(items * candidates^(order + 1)).
Score path_marginals(const Lattice& lattice, std::span<double> probabilities, LatticeWorkspace& workspace);

// The probabilities of the steps into one item, after `path_marginals`: [kept][candidates][sums], sums being the
// candidates furthest back that the order looks at.
void edge_marginals(const Lattice& lattice, Index item, Score log_partition, LatticeWorkspace& workspace,
                    std::vector<double>& probabilities);

// The score of one path, given as the index of the candidate of each item.
Score path_score(const Lattice& lattice, std::span<const Index> chosen);

}  // namespace headlong
