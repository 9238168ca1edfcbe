// The factor graph of a sentence: arcs as variables, a tree factor over all of them, and an automaton for each head.
#pragma once

#include "decode/problem.hpp"
#include "graph/tree.hpp"

namespace headlong {

// Writes the graph of a sentence of at least one word: factor 0 is the tree, with the arcs as links, the others are the
// automata of the heads that have modifiers. What the other heads are worth under each lane is part of the scores of
// their arcs. The frames must outlive the graph, whose memory is used again. O(arcs).
void build_graph(const Problem& problem, Graph& graph);

// The heads [size] of an assignment of the graph: the head of each word, NO_HEAD if it has none.
void heads_of(const Frames& frames, std::span<const std::uint8_t> assignment, std::span<Index> heads);

// And back.
void assignment_of(const Frames& frames, std::span<const Index> heads, std::span<std::uint8_t> assignment);

}  // namespace headlong
