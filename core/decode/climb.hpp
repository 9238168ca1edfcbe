// Hill climbing over trees (Zhang 2014b): from any tree to one that no move improves. Decoders of the dual family round
// with it; randomized climbing (restarts.hpp) does it again and again.
//
// Moves: a word takes another head, an arc is turned round, another word becomes the only root and the old one takes a
// head. Words are visited bottom-up. What a move gains is known in constant time, apart from the look whether it closes
// a cycle: each fan keeps the places of its modifiers, so that one place more or less touches its neighbours alone, and
// each arc keeps what the word's own modifiers are worth under it. A word is visited again only if something in its
// neighbourhood has changed.
#pragma once

#include "decode/problem.hpp"

namespace headlong {

// The state of a climb, and its scratch memory: O(candidates), kept between calls.
struct ClimbWorkspace {
  std::vector<Index> arcs;          // [size] the arc into each word
  std::vector<Index> chosen;        // [arcs] of each fan, the places of its modifiers, ascending
  std::vector<Index> counts;        // [2 * size] how many each fan has
  std::vector<Score> worth;         // [arcs] an arc, and what its modifier's own fans are worth under it
  std::vector<std::uint8_t> flags;  // [size] what is known of each word
  std::vector<Index> seen;          // [size] how many moves there had been when it was visited last
  std::vector<Index> order;         // words, bottom-up
  std::vector<Index> depths;        // [size]
  std::vector<Index> layers;        // [size + 1]
};

// The value of a tree of candidates: its arcs (none if the problem has no arc scores) and all parts. -inf if one of its
// arcs is no candidate. O(size + arcs), plus the cost of extras and globals.
Score tree_value(const Problem& problem, std::span<const Index> heads, ClimbWorkspace& workspace);
// The same without extras and globals.
Score frames_value(const Problem& problem, std::span<const Index> heads, ClimbWorkspace& workspace);

// Improves a tree of candidates until no move does, and returns its value. Trees stay within the rules. O(arcs + size)
// per sweep, and three sweeps are common. Extras are valued from scratch for each move, so that with them a sweep is
// O(arcs * size^2); globals are shown each move, and its way back.
Score climb(const Problem& problem, std::span<Index> heads, ClimbWorkspace& workspace);

}  // namespace headlong
