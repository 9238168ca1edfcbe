// Random spanning trees of the candidate graph by Wilson's algorithm (Wilson 1996; Zhang 2014a and 2014b). The
// probability of a tree is proportional to the product of exp(score) over its arcs; with equal scores it is uniform.
// Exact under both root rules.
//
// Wilson's algorithm walks from each word to a head drawn in proportion to exp(score), from there to another head, and
// so on until it meets the tree; it erases loops. With any number of root arcs, the tree starts as word 0. With a
// single root arc, the root word is drawn first, from its exact marginals by the matrix-tree theorem. The rest is a
// tree of the other words rooted at that word, and the walk, without root arcs, starts from it. Rejecting trees with
// more root arcs would also be exact, but could take forever if the root's arcs score high.
//
// A walk is long if two words strongly prefer each other: exp(30) steps around one loop. After a limit, the tree is
// drawn word by word from the marginals given the heads so far. This does not change the distribution, because the tree
// is independent of the erased loops (Propp and Wilson 1998, section 6), and hence of the number of steps.
#pragma once

#include "base/random.hpp"
#include "trees/matrix_tree.hpp"

namespace headlong {

// Everything that drawing trees for one problem needs, reused between problems: O(size^2).
struct RandomTrees {
  Index size = 0;
  RootRule rule = RootRule::Single;
  std::vector<Index> arc_heads;   // [arcs] by modifier, as in Candidates
  std::vector<Index> arc_begins;  // [size + 1]
  std::vector<Score> scores;      // [arcs]
  std::vector<double> sums;       // [arcs] per word: cumulative sums of its weights (single root: without root arcs)
  std::vector<double> root_sums;  // [size] cumulative sums of the root's marginals (single root only)
  std::vector<std::uint8_t> connected;  // [size] scratch: words that have joined the tree
  std::vector<std::uint8_t> marked;     // [size] scratch: words whose heads are to be drawn
  std::vector<Score> dense;             // [size * size] scratch for the marginals
  std::vector<double> marginals;        // [size * size]
  std::vector<double> head_sums;        // [size]
  MatrixTreeWorkspace workspace;
};

// Draws an index in proportion to the weights, given as cumulative sums. Never returns an index without weight; -1 if
// all weights are zero.
Index draw_place(std::span<const double> sums, Random& random);

// Prepares drawing trees of the candidates `arc_heads`, `arc_begins` with scores [arcs], finite or -inf (never drawn).
// Empty scores mean uniform. Returns false if there is no tree. O(size^3); with any number of root arcs O(arcs).
bool prepare(RandomTrees& trees, std::span<const Index> arc_heads, std::span<const Index> arc_begins,
             std::span<const Score> scores, RootRule rule);

// Draws a tree and writes it to heads [size]. The time is the mean number of steps to the root: O(size) to O(size^2)
// for most graphs, at most O(size^4).
void draw_tree(RandomTrees& trees, Random& random, std::span<Index> heads);

// Draws new heads for the marked words [size] of a tree, conditioned on the heads of all other words. With a single
// root, the root word keeps its head even if it is marked.
void redraw_heads(RandomTrees& trees, std::span<const std::uint8_t> marked, Random& random, std::span<Index> heads);

}  // namespace headlong
