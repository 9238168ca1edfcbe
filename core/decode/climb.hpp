// Hill climbing over trees (Zhang 2014b): improve a tree until no move helps. The dual decoders use it for rounding,
// and randomized climbing (restarts.hpp) repeats it.
//
// There are three moves: a word takes another head, an arc is reversed, or another word becomes the only root and the
// old root takes a head. Words are visited bottom-up. The gain of a move takes constant time, apart from the check for
// cycles: each fan stores the places of its modifiers, so adding or removing a place affects only its neighbors, and
// each arc stores the value of its modifier's own fans under it. A word is visited again only if something around it
// has changed.
#pragma once

#include "decode/problem.hpp"

namespace headlong {

// State and scratch memory of a climb, reused between calls: O(candidates).
struct ClimbWorkspace {
  std::vector<Index> arcs;          // [size] the arc into each word
  std::vector<Index> chosen;        // [arcs] per fan, the places of its modifiers, ascending
  std::vector<Index> counts;        // [2 * size] number of modifiers of each fan
  std::vector<Score> worth;         // [arcs] score of an arc plus the value of its modifier's own fans under it
  std::vector<std::uint8_t> flags;  // [size] bits of Climber: DIRTY, BLOCKED, FROZEN
  std::vector<Index> seen;          // [size] number of moves made before the last visit of each word
  std::vector<Index> order;         // words, bottom-up
  std::vector<Index> depths;        // [size]
  std::vector<Index> layers;        // [size + 1]
};

// Returns the value of a tree: its arcs (unless the problem has no arc scores) and all parts. Returns -inf if one of
// its arcs is not a candidate. O(size + arcs), plus the cost of extras and globals.
Score tree_value(const Problem& problem, std::span<const Index> heads, ClimbWorkspace& workspace);
// Returns the same value without extras and globals.
Score frames_value(const Problem& problem, std::span<const Index> heads, ClimbWorkspace& workspace);

// Improves a tree of candidates until no move helps and returns its value. The tree stays within the rules. A sweep
// takes O(arcs + size); three sweeps are typical. Extras are valued from scratch for each move, so a sweep with extras
// takes O(arcs * size^2). The global scorer sees every move that is tried, and its reversal.
Score climb(const Problem& problem, std::span<Index> heads, ClimbWorkspace& workspace);

}  // namespace headlong
