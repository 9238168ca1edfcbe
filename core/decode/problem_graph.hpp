// The factor graph of a sentence: arcs as variables, a tree factor over all of them, and one automaton per head.
#pragma once

#include "decode/problem.hpp"
#include "graph/tree.hpp"

namespace headlong {

// Builds the graph of a sentence with at least one word. Factor 0 is the tree, with the arcs as links; the others are
// the automata of heads with candidate modifiers. The values of other heads under each lane are added to the scores of
// their arcs. The frames must outlive the graph. Reuses the memory of the graph. O(arcs).
void build_graph(const Problem& problem, Graph& graph);

// Writes the head of each word [size] for an assignment of the graph; NO_HEAD if it has none.
void heads_of(const Frames& frames, std::span<const std::uint8_t> assignment, std::span<Index> heads);

// Writes the assignment [arcs] for the heads of a tree.
void assignment_of(const Frames& frames, std::span<const Index> heads, std::span<std::uint8_t> assignment);

}  // namespace headlong
