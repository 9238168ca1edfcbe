// Hill climbing over trees: the local search that improves rounded trees (Zhang 2014a; Martins 2013 rounds alone).
#pragma once

#include "parts/extras.hpp"
#include "search/term.hpp"

namespace headlong {

// The state of a climb, and its scratch memory: O(candidates), kept between calls.
struct ClimbWorkspace {
  std::vector<Index> arcs;        // [size] the arc into each word
  std::vector<Index> chosen;      // [arcs] of each fan, the places of its modifiers, ascending
  std::vector<Index> counts;      // [2 * size] how many each fan has
  std::vector<Score> fan_values;  // [2 * size] what each fan is worth under its head's lane
  std::vector<Index> trial;       // a fan with one place more or less
};

// What a tree of candidates is worth: its arcs (but not if `arc_scores` is empty) and all parts. -inf if one of its
// arcs is no candidate. Extras of the same candidates and a term count as well. O(size + arcs), and what these take.
Score tree_value(const Frames& frames, std::span<const Score> arc_scores, std::span<const Index> heads,
                 ClimbWorkspace& workspace, const Extras* extras = nullptr, TreeTerm* term = nullptr);

// Improves a tree of candidates until no move does: a word takes another head, an arc is turned round, another word
// becomes the root (and the old root takes any head). Trees stay within the root rule and, if asked, projective.
// Returns the value of the tree. O(arcs * modifiers) a sweep; three sweeps are common. Extras are valued from scratch
// for each move, so that with them a sweep is O(arcs * size^2); a term is shown each move, and its way back.
Score climb(const Frames& frames, std::span<const Score> arc_scores, RootRule root, bool projective,
            std::span<Index> heads, ClimbWorkspace& workspace, const Extras* extras = nullptr,
            TreeTerm* term = nullptr);

}  // namespace headlong
