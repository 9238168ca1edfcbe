// Random spanning trees of the candidate graph by Wilson's algorithm (Wilson 1996; Zhang 2014a and 2014b): in
// proportion to the product of exp(score) over the arcs, which is uniform if all scores are equal. Exact under both
// root rules.
//
// Wilson's algorithm walks from each word to a head, drawn in proportion to exp(score), to a head of that, and so on
// until it meets the tree; loops are forgotten. With any number of roots the tree starts as word 0. With a single one,
// the root word is drawn first, from its exact marginals by the matrix-tree theorem; given that word, what is left is
// a tree of the other words rooted there, and the walk, without root arcs, starts the tree as it. Rejecting trees with
// more root arcs would be exact as well, but may take for ever where the root's arcs score high.
//
// A walk may be long where words prefer each other's company: exp(30) steps round one loop. After some steps the tree
// is drawn word by word from the marginals given the heads so far instead. That changes nothing in the distribution,
// because the tree is independent of the loops that were popped (Propp and Wilson 1998, section 6), hence of the
// number of steps.
#pragma once

#include "base/random.hpp"
#include "trees/matrix_tree.hpp"

namespace headlong {

// What trees of one problem are drawn from: O(size^2), kept between problems.
struct RandomTrees {
  Index size = 0;
  RootRule rule = RootRule::Single;
  std::vector<Index> arc_heads;         // [arcs] by modifier, as in Candidates
  std::vector<Index> arc_begins;        // [size + 1]
  std::vector<Score> scores;            // [arcs]
  std::vector<double> sums;             // [arcs] for each word the running sums of its weights; single: no root arcs
  std::vector<double> root_sums;        // [size] running sums of the root's marginals; single root alone
  std::vector<std::uint8_t> connected;  // [size] scratch: words that have joined the tree
  std::vector<std::uint8_t> marked;     // [size] scratch: words whose heads are drawn
  std::vector<Score> dense;             // [size * size] scratch of the marginals
  std::vector<double> marginals;        // [size * size]
  std::vector<double> head_sums;        // [size]
  MatrixTreeWorkspace workspace;
};

// The first place whose running sum is above a random share of the last: never one without weight. -1 if none has any.
Index draw_place(std::span<const double> sums, Random& random);

// Gets ready to draw trees of the candidates `arc_heads`, `arc_begins` with scores [arcs], finite or -inf (never
// drawn). No scores: uniform. False if there is no tree. O(size^3), with any number of roots O(arcs).
bool prepare(RandomTrees& trees, std::span<const Index> arc_heads, std::span<const Index> arc_begins,
             std::span<const Score> scores, RootRule rule);

// Draws a tree to heads [size]. The time is the mean number of steps to the root, O(size) to O(size^2) for most
// graphs, at most O(size^4).
void draw_tree(RandomTrees& trees, Random& random, std::span<Index> heads);

// Draws new heads for the marked words [size] of a tree, from the distribution of trees given the heads of all others.
// With a single root the root word keeps its head even if it is marked.
void redraw_heads(RandomTrees& trees, std::span<const std::uint8_t> marked, Random& random, std::span<Index> heads);

}  // namespace headlong
