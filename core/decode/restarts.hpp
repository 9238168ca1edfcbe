// Randomized hill climbing (Zhang 2014b): climb from many trees until the best tree stops changing.
//
// The paper climbs from trees drawn at random. Perturbing the best tree so far is cheaper: force arcs into it, let the
// words around them climb by changing heads while the forced arcs stay, then let all words climb, and undo the moves if
// the result is not better. This touches a few words instead of a whole sentence. Single arcs are forced first, the
// cheapest before the others, then pairs of arcs drawn with a preference for cheap ones. Trees that are hard to reach
// from the best tree can be easy to reach from others, so by default half of the restarts are of either kind. Draws do
// not depend on earlier results, so threads climb from the next few trees in parallel.
#pragma once

#include "decode/climb.hpp"
#include "decode/options.hpp"
#include "trees/eisner.hpp"
#include "trees/random_trees.hpp"

namespace headlong {

// What a caller sets for one run, in addition to the options.
struct RestartLimits {
  std::span<const Score> draw_scores;  // [arcs] scores for drawing trees; empty: the arc scores
  // Stop at a tree of this value: no tree has a larger one.
  Score enough = std::numeric_limits<Score>::infinity();
};

// A drawn tree after climbing from it.
struct DrawnTree {
  Score value = NEGATIVE_INFINITY;
  std::vector<Index> heads;  // [size]
};

// Memory of one thread that draws trees and climbs from them.
struct DrawWorkspace {
  ClimbWorkspace climb;
  RandomTrees trees;
  bool prepared = false;
  std::vector<Score> dense;  // [size * size] for projective trees
  EisnerWorkspace eisner;
};

// Scratch memory, reused between calls.
struct RestartWorkspace {
  std::vector<Index> best;                       // [size] heads
  std::vector<std::uint8_t> best_flags;          // [size] see Climber::save
  std::vector<Index> log;                        // see Climber::save
  std::vector<std::pair<Score, Index>> choices;  // arcs that can be forced with their gains, best first
  std::vector<DrawWorkspace> drawing;            // one per thread
  std::vector<DrawnTree> drawn;                  // trees for the next restarts
};

struct RestartResult {
  Score value = NEGATIVE_INFINITY;
  Index climbs = 0;
  bool in_time = true;
};

// Returns a random seed for a problem that does not depend on the problem's place in a corpus. O(arcs).
std::uint64_t seed_of(const Frames& frames, std::span<const Score> arc_scores, std::uint64_t seed);

// Climbs from the tree in heads [size], if it is a tree of candidates with a finite value, and then from others until
// options.restarts in a row do not improve the best tree. Leaves the best tree in heads. The value is -inf if no tree
// with a finite value was found. ClimbStart::Nearby also draws trees, in proportion to exp(arc score), until there is
// one. Projective trees are not drawn with Wilson's algorithm: they are the best trees under arc scores with Gumbel
// noise. The result does not depend on options.threads. The problem must not have globals.
RestartResult climb_with_restarts(const Problem& problem, const DecodeOptions& options, const RestartLimits& limits,
                                  std::span<Index> heads, ClimbWorkspace& climb_workspace, RestartWorkspace& workspace);

}  // namespace headlong
