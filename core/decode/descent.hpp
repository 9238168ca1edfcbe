// Block-coordinate descent on the dual of a sentence's problem: a bound on all trees at the price of a few recursions.
//
// Each arc a = (h, m) has a score in the automaton of h, where m is a modifier, another in the automaton of m, where h
// is a lane, and one in the tree. The three sum to the arc's score, and for any such split
//   bound = best tree + sum over heads of the best configuration of its automaton
// holds for all trees. A step visits one automaton: link by link, the difference between the best values with the link
// on and off moves, in part, to the automaton on the other side of the arc. No step raises the bound (the sequential
// message passing of Kolmogorov 2006 and 2015, on automata instead of edges); what the links are worth is computed
// along the recursion, so that a visit costs little more than two recursions.
#pragma once

#include "decode/problem_graph.hpp"
#include "trees/reduced_costs.hpp"

namespace headlong {

struct Descent {
  std::vector<Index> begins;      // [size + 1] of each head's links
  std::vector<Index> others;      // [links] the link of the same arc on its other side
  std::vector<Index> partners;    // [links] the head on that side
  std::vector<Index> lane_links;  // [arcs] the link of each arc in its modifier's automaton
  std::vector<Score> scores;      // [links]
  std::vector<Score> tree;        // [arcs]
  std::vector<Score> deficits;    // [links] what the automaton's value loses at least if the link must be on
  std::vector<Score> values;      // [size] of the automata
  // [size] a bit a direction: the last visit in it had nothing to move, and nothing has come in since.
  std::vector<std::uint8_t> quiet;
  std::vector<Score> states, rests[2], totals[2], outside, reduced;  // scratch of a visit
  Score tree_value = 0.0;                                            // of the best tree under `tree`
  ReducedCostWorkspace costs;
};

// Splits the scores of the arcs and sets everything up; all must be finite but for a still sweep alone. O(arcs).
void start_descent(const Frames& frames, std::span<const Score> arc_scores, Descent& descent);

enum class Direction : std::uint8_t { Forward, Backward, Still };

// Visits all heads, forth or back; each passes on to those that come later. Still: nothing is passed
// on, and all deficits hold together. Sets values and deficits (those of lanes hold after any sweep), and returns the
// bound.
Score sweep(const Frames& frames, Direction direction, Descent& descent);

// Lets the tree see the deficits of the lanes: where they do not form a tree, the bound falls, and arcs into cycles
// become cheaper. Trees may be non-projective. Follows a sweep; returns the bound, -inf if there is no tree.
Score ask_tree(const Frames& frames, RootRule rule, Descent& descent);

// Whether the incumbent's rivals may need each arc [arcs]: 0 if all trees with the arc are worth no more than
// `threshold`. Follows a still sweep that returned `bound`. Returns how many may be needed. O(arcs).
std::size_t needed_arcs(const Frames& frames, Score bound, Score threshold, const Descent& descent,
                        std::span<std::uint8_t> keep);

// The split by arc: what a search needs to come back to it.
struct ArcSplit {
  std::vector<Score> lanes, modifiers, tree;  // [arcs]
  Score tree_value = 0.0;
};

// The split of some arcs, given by their numbers.
void save_split(const Descent& descent, std::span<const Index> arcs, ArcSplit& split);

// Goes on from a split of all arcs of the frames.
void load_split(const Frames& frames, const ArcSplit& split, Descent& descent);

// The multipliers [links] at which the graph of the sentence has the scores of the descent.
void multipliers_of(const Frames& frames, const Graph& graph, const Descent& descent, std::vector<double>& multipliers);

// Goes on from the multipliers of the graph of the sentence, the tree having been asked.
void load_multipliers(const Frames& frames, std::span<const Score> arc_scores, const Graph& graph,
                      std::span<const double> multipliers, RootRule rule, Descent& descent);

}  // namespace headlong
