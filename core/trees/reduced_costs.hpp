// Maximum spanning trees over few arcs per word, and their dual: what each arc costs compared to the best tree.
#pragma once

#include "base/types.hpp"

namespace headlong {

// Scratch memory of the functions below, reused between calls: O(size + arcs).
struct ReducedCostWorkspace {
  std::vector<Index> keys;            // [arcs] see reduced_costs.cpp
  std::vector<Index> next;            // [arcs] linked lists of the arcs into each component
  std::vector<Index> first, last;     // [size] the ends of these lists, by component
  std::vector<Index> parents;         // [size] union-find: word -> component
  std::vector<Index> previous;        // [size] component -> the component that its best arc comes from
  std::vector<std::uint8_t> settled;  // [size] component -> whether the root reaches it
  std::vector<std::uint32_t> walks;   // [size] component -> the last walk that visited it
  // The forest of contractions. Its nodes are words and, from `size` on, contracted cycles.
  std::vector<Index> nodes;           // [size] component -> its node
  std::vector<Index> above;           // [2 * size] node -> the node it was contracted into
  std::vector<Index> chosen;          // [2 * size] node -> the arc chosen to enter it
  std::vector<std::uint8_t> entered;  // [2 * size] whether the tree enters a node by an arc of a node above it
  std::vector<Score> weights;         // [arcs]
};

// The arcs into each word are heads[begins[word]] to heads[begins[word + 1]], with finite weights [arcs]. Replaces the
// weights by reduced costs r <= 0 and returns the value V of the best tree under the root rule, such that
//   weight of a tree <= V + sum of r over its arcs
// for every tree, with equality for the best trees, whose arcs cost nothing. Arcs found to be in no tree get -inf. If
// there is no tree, returns -inf and leaves the weights undefined. Uses Edmonds' contractions (1967), whose dual
// variables are the weights of the arcs chosen to enter each component. O(size * arcs), usually O(arcs).
Score reduced_costs(std::span<const Index> heads, std::span<const Index> begins, RootRule rule,
                    std::span<Score> weights, ReducedCostWorkspace& workspace);

// Writes the best tree over the same arcs, with finite scores [arcs], to tree [size] and returns its score, or -inf if
// there is no tree. Ties are broken deterministically. O(size * arcs), usually O(arcs).
Score sparse_spanning_tree(std::span<const Index> heads, std::span<const Index> begins, RootRule rule,
                           std::span<const Score> scores, std::span<Index> tree, ReducedCostWorkspace& workspace);

}  // namespace headlong
