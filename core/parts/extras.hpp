// Parts beyond one head and its neighbours (Martins 2011a, table 1; Martins 2013, section 3): consecutive words with
// their heads, any two modifiers of a head, arcs that cross, and paths. No head automaton holds them, so they stand
// beside the frames, and a tree is worth what frames and extras are worth together.
//
//   HeadBigram        one part for each pair of candidates of two neighbouring words
//   ArbitrarySibling  one for each pair of candidate modifiers of a head, on one side or on both: k (k - 1) / 2 for a
//                     head with k of them; none for the root, which has one modifier in most trees
//   NonProjective     one for each candidate that spans a word and does not come from the root: in a tree it counts if
//                     one of the words between the two does not descend from the head
//   Path              one for each pair of words such that arcs of the candidates lead from one to the other; the root,
//                     from which all words descend, is left out
#pragma once

#include <algorithm>

#include "parts/frame_parts.hpp"
#include "parts/tree_view.hpp"

namespace headlong {

// Which kinds are there, their scores, and where to find the score of a part. It is laid out for the candidates of
// frames, to which all numbers of arcs belong.
struct Extras {
  std::array<bool, KINDS> on{};                  // kinds of frames are never on
  std::array<std::vector<float>, KINDS> scores;  // [parts of the kind], in the order of `add_extras`
  std::vector<Index> head_arcs, head_begins;     // [arcs], [size + 1] by head, then modifier
  std::vector<Index> ranks;                      // [arcs] among those of the same head
  std::vector<std::size_t> bigram_begins;        // [size] then by lane of the word, lane of the word before
  std::vector<std::size_t> sibling_begins;       // [size] of each head, then by rank of the later, of the earlier one
  std::vector<Index> crossing_places;            // [arcs] -1: never non-projective
  std::vector<Index> path_places;                // [size * size] by ancestor, descendant; -1: there is no path

  bool has(Kind kind) const { return on[static_cast<std::size_t>(kind)]; }
  const std::vector<float>& of(Kind kind) const { return scores[static_cast<std::size_t>(kind)]; }
  bool any() const;
};

// Lays out the kinds that are on, with all scores zero. O(parts), with paths O(size * arcs).
void lay_out(const Frames& frames, const std::array<bool, KINDS>& on, Extras& extras);

// Whether arcs of the candidates lead from a word to another: [size * size]. Words lead to themselves. O(size * arcs).
std::vector<std::uint8_t> reachable_words(const Frames& frames);

// Where the score of a pair of candidates stands: of a word and of the word before it; of two modifiers of a head.
inline std::size_t bigram_place(const Frames& frames, const Extras& extras, Index arc, Index before) {
  const Index word = frames.arc_modifiers[arc];
  const std::size_t lane = arc - frames.arc_begins[word];
  return extras.bigram_begins[word] + lane * frames.lanes[word - 1] + (before - frames.arc_begins[word - 1]);
}
inline std::size_t sibling_place(const Frames& frames, const Extras& extras, Index earlier, Index later) {
  const std::size_t rank = extras.ranks[later];
  return extras.sibling_begins[frames.arc_heads[later]] + rank * (rank - 1) / 2 + extras.ranks[earlier];
}

// A part with its relations, from its slots.
using ExtraSlots = std::array<Index, 4>;
PartRow extra_part(const ArcContext& context, Kind kind, const ExtraSlots& slots);

// The slots of all parts of a kind, in the order of the scores.
void list_extras(const Frames& frames, const Extras& extras, Kind kind, std::vector<ExtraSlots>& out);

// Writes all parts of a kind, in this order. `slots` is scratch.
void add_extras(const ArcContext& context, const Frames& frames, const Extras& extras, Kind kind,
                std::vector<ExtraSlots>& slots, Parts& parts);

// Writes the extras of frames that have some of the arcs of others, with the same scores. `slots` is scratch.
void filter_extras(const Frames& from, const Extras& extras, const Frames& reduced, std::vector<ExtraSlots>& slots,
                   Extras& out);

// Adds to the scores of arcs so much that with them, and without extras, no tree is worth less than it is with extras:
// half of the best that a pair of arcs could bring goes to each of the two, and what an arc that is non-projective or
// carries a path could bring goes to the arc. O(parts), with paths O(size * arcs).
void add_optimism(const Frames& frames, const Extras& extras, bool projective, std::span<Score> arc_scores);

// What the extras of a tree of candidates are worth. O(size^2 + length of all arcs * depth).
Score extras_value(const Frames& frames, const Extras& extras, std::span<const Index> heads);

// Whether some word between head and modifier does not descend from the head.
inline bool is_crossing(std::span<const Index> heads, Index head, Index modifier) {
  for (Index word = std::min(head, modifier) + 1; word < std::max(head, modifier); ++word)
    if (!is_above(heads, head, word)) return true;
  return false;
}

// Calls visit(slots) for each part of a kind that is in a tree.
template <class Visit>
void visit_extras(Kind kind, std::span<const Index> heads, Visit visit) {
  const Index size = static_cast<Index>(heads.size());
  switch (kind) {
    case Kind::HeadBigram:
      for (Index word = 2; word < size; ++word) visit(ExtraSlots{word, heads[word], word - 1, heads[word - 1]});
      break;
    case Kind::ArbitrarySibling:
      for (Index word = 1; word < size; ++word)
        for (Index later = word + 1; later < size && heads[word] != 0; ++later)
          if (heads[later] == heads[word]) visit(ExtraSlots{heads[word], word, later, 0});
      break;
    case Kind::NonProjective:
      for (Index word = 1; word < size; ++word)
        if (heads[word] != 0 && is_crossing(heads, heads[word], word)) visit(ExtraSlots{heads[word], word, 0, 0});
      break;
    default:
      for (Index word = 1; word < size; ++word)
        for (Index above = heads[word]; above > 0; above = heads[above]) visit(ExtraSlots{above, word, 0, 0});
  }
}

}  // namespace headlong
