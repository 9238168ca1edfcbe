// Block-coordinate descent on the dual of a sentence's problem: a bound on all trees for the cost of a few recursions.
//
// Each arc a = (h, m) has three scores: one in the automaton of h, where m is a modifier, one in the automaton of m,
// where h is a lane, and one in the tree. They sum to the arc's score, and for any such split
//   bound = best tree + sum over heads of the best configuration of its automaton
// holds for all trees. A step visits one automaton. Link by link, it moves part of the difference between the best
// values with the link on and off to the automaton on the other side of the arc. No step raises the bound (this is the
// sequential message passing of Kolmogorov 2006 and 2015, on automata instead of edges). The values of the links are
// computed during the recursion, so a visit costs little more than two recursions.
#pragma once

#include "decode/problem_graph.hpp"
#include "trees/reduced_costs.hpp"

namespace headlong {

struct Descent {
  Score unit = 1.0;               // magnitude of the scores, at most 1; rounding errors must be small beside it
  std::vector<Index> begins;      // [size + 1] begins of each head's links
  std::vector<Index> others;      // [links] the link of the same arc on its other side
  std::vector<Index> partners;    // [links] the head on that side
  std::vector<Index> lane_links;  // [arcs] the link of each arc in its modifier's automaton
  std::vector<Score> scores;      // [links]
  std::vector<Score> tree;        // [arcs]
  std::vector<Score> deficits;  // [links] if the link must be on, the automaton's value changes by at most this (<= 0)
  std::vector<Score> values;    // [size] value of each automaton
  // [size] one bit per direction: the last visit in it had nothing to move, and nothing has changed since.
  std::vector<std::uint8_t> quiet;
  std::vector<Score> states, rests[2], totals[2], outside, reduced;  // scratch of a visit
  Score tree_value = 0.0;                                            // value of the best tree under `tree`
  ReducedCostWorkspace costs;
};

// Splits the scores of the arcs and prepares the descent. All scores must be finite, except for a single still sweep.
// O(arcs).
void start_descent(const Frames& frames, std::span<const Score> arc_scores, Descent& descent);

enum class Direction : std::uint8_t { Forward, Backward, Still };

// Visits all heads in forward or backward order; each head passes scores on to those visited later. A still sweep
// passes nothing on, and all its deficits are valid together. Sets values and deficits (those of lanes are valid after
// any sweep) and returns the bound.
Score sweep(const Frames& frames, Direction direction, Descent& descent);

// Moves the deficits of the lanes into the tree and its reduced costs back. If the best lanes do not form a tree, the
// bound falls, and arcs into cycles become cheaper. Trees may be non-projective. Call it after a sweep. Returns the
// bound, or -inf if there is no tree.
Score update_tree(const Frames& frames, RootRule rule, Descent& descent);

// Marks the arcs [arcs] that a better tree may need: 0 if no tree with the arc exceeds `threshold`. Call it after a
// still sweep that returned `bound`. Returns the number of marked arcs. O(arcs).
std::size_t mark_needed_arcs(const Frames& frames, Score bound, Score threshold, const Descent& descent,
                             std::span<std::uint8_t> keep);

// The split by arc, which lets a search return to it.
struct ArcSplit {
  std::vector<Score> lanes, modifiers, tree;  // [arcs]
  Score tree_value = 0.0;
};

// Copies the split of the given arcs.
void save_split(const Descent& descent, std::span<const Index> arcs, ArcSplit& split);

// Continues from a split of all arcs of the frames.
void load_split(const Frames& frames, const ArcSplit& split, Descent& descent);

// Computes the multipliers [links] at which the sentence's graph has the scores of the descent.
void multipliers_of(const Frames& frames, const Graph& graph, const Descent& descent, std::vector<double>& multipliers);

// Continues from multipliers of the sentence's graph. Runs a still sweep and `update_tree`.
void load_multipliers(const Frames& frames, std::span<const Score> arc_scores, const Graph& graph,
                      std::span<const double> multipliers, RootRule rule, Descent& descent);

}  // namespace headlong
