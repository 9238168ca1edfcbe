// The dual of the maximum spanning tree: what each arc costs beside the best tree.
#pragma once

#include "base/types.hpp"

namespace headlong {

// Scratch memory of reduced_costs: O(size + arcs), kept between calls.
struct ReducedCostWorkspace {
  std::vector<Index> keys;            // [arcs]
  std::vector<Index> next;            // [arcs] lists of the arcs into a component
  std::vector<Index> first, last;     // [size] of these lists, by the component's name
  std::vector<Index> parents;         // [size] union-find: word -> component
  std::vector<Index> previous;        // [size] component -> the one that the best arc into it comes from
  std::vector<std::uint8_t> settled;  // [size] component -> reached from the root
  std::vector<std::uint32_t> walks;   // [size] component -> the walk that has seen it
};

// The arcs into each word are heads[begins[word]] to heads[begins[word + 1]], with finite weights [arcs]. Replaces the
// weights by reduced costs r <= 0 and returns the value V of the best tree within the root rule, where
//   weight of a tree <= V + sum of r over its arcs
// holds for every tree, with equality for the best ones, whose arcs cost nothing. An arc that is seen to be in no tree
// gets -inf. Returns -inf, and leaves no sense in the weights, if there is no tree. By Edmonds' contractions (1967),
// whose dual variables are the weights of the arcs chosen to enter each component: O(size * arcs), mostly O(arcs).
Score reduced_costs(std::span<const Index> heads, std::span<const Index> begins, RootRule rule,
                    std::span<Score> weights, ReducedCostWorkspace& workspace);

}  // namespace headlong
