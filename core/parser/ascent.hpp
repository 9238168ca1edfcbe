// Block-coordinate ascent on the dual of a sentence's problem: a bound on all trees at the price of a few recursions.
//
// Each arc a = (h, m) has a score in the automaton of h, where m is a modifier, another in the automaton of m, where h
// is a lane, and one in the tree. The three sum to the arc's score, and for any such split
//   bound = best tree + sum over heads of the best configuration of its automaton
// holds for all trees. A step visits one automaton: link by link, the difference between the best values with the link
// on and off moves, in part, to the automaton on the other side of the arc. No step raises the bound (the sequential
// message passing of Kolmogorov 2006 and 2015, on automata instead of edges); what the links are worth is computed
// along the recursion, so that a visit costs little more than two recursions.
#pragma once

#include "parser/tree_graph.hpp"

namespace headlong {

struct Ascent {
  std::vector<Index> begins;      // [size + 1] of each head's links
  std::vector<Index> others;      // [links] the link of the same arc on its other side
  std::vector<Index> partners;    // [links] the head on that side
  std::vector<Index> lane_links;  // [arcs]
  std::vector<Score> scores;      // [links]
  std::vector<Score> tree;        // [arcs]
  std::vector<Score> deficits;    // [links] what the automaton's value loses at least if the link must be on
  std::vector<Score> values;      // [size] of the automata
  std::vector<Score> states, rests[2], totals[2], outside;  // scratch of a visit
  Score bound = std::numeric_limits<Score>::infinity();
};

// Splits the scores of the arcs, which must be finite, and sets everything up. O(arcs).
void start_ascent(const Frames& frames, std::span<const Score> arc_scores, Ascent& ascent);

// Visits all heads, in ascending or descending order; each passes on to those that come later. Sets values, deficits
// and the bound (without the tree). Returns the bound.
Score sweep(const Frames& frames, bool ascending, Ascent& ascent);

}  // namespace headlong
