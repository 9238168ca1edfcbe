// Extras: the parts that do not fit into the frame of one head (Martins 2011a, table 1; Martins 2013, section 3). No
// head automaton can score them, so they are stored beside the frames. The score of a tree is the sum of its arcs,
// frames and extras.
//
//   HeadBigram        one part per pair of candidates of two adjacent words
//   ArbitrarySibling  one part per pair of candidate modifiers of a head, on one side or on both: k (k - 1) / 2 for a
//                     head with k of them; none for the root, which has one modifier in most trees
//   NonProjective     one part per candidate that spans a word and does not come from the root; a tree has the part if
//                     some word between head and modifier does not descend from the head
//   Path              one part per pair of words that candidates can connect by a path downward; the root is left out,
//                     because all words descend from it
#pragma once

#include <algorithm>

#include "parts/frame_parts.hpp"
#include "parts/tree_view.hpp"

namespace headlong {

// The scores of all extras, and where to find the score of each part. Arc numbers are those of the frames.
struct Extras {
  std::array<bool, KINDS> on{};                  // frame kinds are never on
  std::array<std::vector<float>, KINDS> scores;  // [parts of the kind] in the order of `add_extras`
  std::vector<Index> head_arcs, head_begins;     // [arcs], [size + 1] arcs by head, then modifier
  std::vector<Index> ranks;                      // [arcs] position among the arcs of the same head
  std::vector<std::size_t> bigram_begins;   // [size] per word; then by lane of the word and lane of the word before
  std::vector<std::size_t> sibling_begins;  // [size] per head; then by ranks of the later and earlier modifier
  std::vector<Index> crossing_places;       // [arcs] index of the score; -1: never non-projective
  std::vector<Index> path_places;  // [size * size] index of the score by ancestor, descendant; -1: there is no path

  bool has(Kind kind) const { return on[static_cast<std::size_t>(kind)]; }
  const std::vector<float>& of(Kind kind) const { return scores[static_cast<std::size_t>(kind)]; }
  bool any() const;
};

// Lays out the kinds that are on and sets all scores to zero. O(parts); with paths O(size * arcs).
void lay_out(const Frames& frames, const std::array<bool, KINDS>& on, Extras& extras);

// Returns [size * size] whether candidates lead from one word down to another, or to itself. O(size * arcs).
std::vector<std::uint8_t> reachable_words(const Frames& frames);

// These return the index of a score: of a candidate of a word and one of the word before it, and of two candidate
// modifiers of a head.
inline std::size_t bigram_place(const Frames& frames, const Extras& extras, Index arc, Index before) {
  const Index word = frames.arc_modifiers[arc];
  const std::size_t lane = arc - frames.arc_begins[word];
  return extras.bigram_begins[word] + lane * frames.lanes[word - 1] + (before - frames.arc_begins[word - 1]);
}
inline std::size_t sibling_place(const Frames& frames, const Extras& extras, Index earlier, Index later) {
  const std::size_t rank = extras.ranks[later];
  return extras.sibling_begins[frames.arc_heads[later]] + rank * (rank - 1) / 2 + extras.ranks[earlier];
}

// Builds a part with its relations from its slots.
using ExtraSlots = std::array<Index, 4>;
PartRow extra_part(const ArcContext& context, Kind kind, const ExtraSlots& slots);

// Lists the slots of all parts of a kind, in the order of the scores.
void list_extras(const Frames& frames, const Extras& extras, Kind kind, std::vector<ExtraSlots>& out);

// Writes all parts of a kind with their relations, in the same order. `slots` is scratch memory.
void add_extras(const ArcContext& context, const Frames& frames, const Extras& extras, Kind kind,
                std::vector<ExtraSlots>& slots, Parts& parts);

// Writes the extras of `reduced`, frames with a subset of the arcs of `from`, with the same scores. `slots` is scratch
// memory.
void filter_extras(const Frames& from, const Extras& extras, const Frames& reduced, std::vector<ExtraSlots>& slots,
                   Extras& out);

// Adds upper bounds on the extras to the arc scores. With the new scores and without extras, every tree scores at least
// as high as it did with extras. The best score of a pair of arcs is split evenly between both arcs. The scores of
// non-projective arcs and paths go to the arc that they end with. O(parts); with paths O(size * arcs).
void add_optimism(const Frames& frames, const Extras& extras, bool projective, std::span<Score> arc_scores);

// Returns the score of all extras of a tree of candidates. O(size^2 + length of all arcs * depth).
Score extras_value(const Frames& frames, const Extras& extras, std::span<const Index> heads);

// Returns whether some word between head and modifier does not descend from the head.
inline bool is_crossing(std::span<const Index> heads, Index head, Index modifier) {
  for (Index word = std::min(head, modifier) + 1; word < std::max(head, modifier); ++word)
    if (!is_above(heads, head, word)) return true;
  return false;
}

// Calls visit(slots) for each part of one kind in a tree.
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
