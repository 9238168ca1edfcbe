// Randomized hill climbing (Zhang 2014b): climbs from many trees, until the best tree has not changed for some of them.
//
// Climbs from trees drawn at random are the paper's. Small shocks to the best tree so far are cheaper: arcs are forced
// upon it, the words around them climb by changes of heads while the forced arcs stay, then all do, and if that did not
// lead higher the moves are taken back. That costs a few words instead of a sentence. Single arcs come first, those
// that cost least before the others, then pairs of arcs drawn with a preference for cheap ones. What is hard to reach
// from the best tree is easy to reach from others, so that by default half of the restarts are of either kind. What is
// drawn does not depend on what has been found: threads climb from the next few trees together.
#pragma once

#include "decode/climb.hpp"
#include "decode/options.hpp"
#include "trees/eisner.hpp"
#include "trees/random_trees.hpp"

namespace headlong {

// What a caller sets for one run, beside the options.
struct RestartLimits {
  double seconds = 0.0;                // time limit; 0: none
  std::span<const Score> draw_scores;  // [arcs] trees are drawn by these; empty: by the arc scores
  // A tree of this value is good enough: no tree is worth more.
  Score enough = std::numeric_limits<Score>::infinity();
};

// A tree that was drawn, after climbing from it.
struct DrawnTree {
  Score value = NEGATIVE_INFINITY;
  std::vector<Index> heads;  // [size]
};

// What a thread needs to draw trees and to climb from them.
struct DrawWorkspace {
  ClimbWorkspace climb;
  RandomTrees trees;
  bool prepared = false;
  std::vector<Score> dense;  // [size * size] of projective trees
  EisnerWorkspace eisner;
};

// Scratch memory, kept between calls.
struct RestartWorkspace {
  std::vector<Index> best;                       // [size] heads
  std::vector<std::uint8_t> best_flags;          // [size] see Climber::save
  std::vector<Index> log;                        // likewise
  std::vector<std::pair<Score, Index>> choices;  // arcs that could be forced, with what that gains, best first
  std::vector<DrawWorkspace> drawing;            // one a thread
  std::vector<DrawnTree> drawn;                  // some restarts ahead
};

struct RestartResult {
  Score value = NEGATIVE_INFINITY;
  Index climbs = 0;
  bool in_time = true;
};

// A seed for what is drawn for a problem: it does not depend on the problem's place in a corpus. O(arcs).
std::uint64_t seed_of(const Frames& frames, std::span<const Score> arc_scores, std::uint64_t seed);

// Climbs from the tree in heads [size], if it is one of candidates and worth anything, then from others until
// options.restarts in a row leave the best tree unchanged; leaves the best tree in heads. The value is -inf if no tree
// worth anything was found. With ClimbStart::Nearby trees are drawn as well, in proportion to exp(arc score), as long
// as there is none. Projective trees are not drawn by Wilson's algorithm: they are the best ones under arc scores with
// Gumbel noise. The result does not depend on options.threads. The problem must not have globals.
RestartResult climb_often(const Problem& problem, const DecodeOptions& options, const RestartLimits& limits,
                          std::span<Index> heads, ClimbWorkspace& climb_workspace, RestartWorkspace& workspace);

}  // namespace headlong
