// Parts of more than one arc: their slots and the relations that templates may look at.
//
// A part that needs a modifier where there is none (before the first, behind the last, no modifier at all on this side)
// has the head in that slot; the relation `side` tells these cases apart, so every template looks at it.
#pragma once

#include <array>

#include "parts/arcs.hpp"
#include "parts/frames.hpp"

namespace headlong {

// Slots in this order:        Sibling          head, modifier, sibling nearer to the head
//                             Grandparent      grandparent, head, modifier
//                             GrandSibling     grandparent, head, modifier, sibling
//                             TriSibling       head, modifier, sibling, sibling nearest to the head
//                             HeadBigram       modifier, head, word before the modifier, head of that word
//                             ArbitrarySibling head, modifier, sibling behind it in the sentence
//                             NonProjective    head, modifier
//                             Path             ancestor, descendant
// The first FRAME_KINDS are laid out in frames, the others are extras.
enum class Kind : Index {
  Sibling,
  Grandparent,
  GrandSibling,
  TriSibling,
  HeadBigram,
  ArbitrarySibling,
  NonProjective,
  Path,
  Count
};
inline constexpr std::size_t KINDS = static_cast<std::size_t>(Kind::Count);
inline constexpr std::size_t FRAME_KINDS = static_cast<std::size_t>(Kind::HeadBigram);
inline constexpr std::array<Index, KINDS> KIND_SLOTS = {3, 3, 4, 4, 4, 3, 2, 2};
// The relations are side, distance, agreement and punctuation between two of the words (the outer two; the two heads of
// a head bigram). Grand-siblings and tri-siblings have the side alone.
inline constexpr std::array<Index, KINDS> KIND_RELATIONS = {4, 4, 1, 1, 4, 4, 4, 4};

// A part on its way into a family's columns.
struct PartRow {
  std::array<Index, 4> slots;
  std::array<Code, 4> relations;
};

// `modifier` or `sibling` equal to the head: there is none. `right` is the side of the fan.
PartRow sibling_part(const ArcContext& context, Index head, bool right, Index modifier, Index sibling);
PartRow grandparent_part(const ArcContext& context, Index grandparent, Index head, Index modifier);
PartRow grand_sibling_part(Index grandparent, Index head, bool right, Index modifier, Index sibling);
PartRow tri_sibling_part(Index head, bool right, Index modifier, Index sibling, Index nearest);

// All parts of a kind of frames, in the order in which the scores stand in the frames: siblings by fan and pair,
// grandparents by fan, place and lane, grand-siblings by fan, pair and lane, tri-siblings by fan and triple.
// Grand-siblings without any modifier are left out, and so are the root's lanes.
void add_parts(const ArcContext& context, const Frames& frames, Kind kind, Parts& parts);

// Adds their scores to the frames.
void add_scores(Kind kind, std::span<const float> scores, Frames& frames);

// Calls visit(kind, row) for each part that a head is in the middle of: `left` and `right` are its modifiers, nearest
// first, and `grandparent` its head (NO_HEAD for the root).
template <class Visit>
void visit_parts(const ArcContext& context, Index head, Index grandparent, std::span<const Index> left,
                 std::span<const Index> right, Visit visit) {
  for (const bool is_right : {false, true}) {
    Index before = NO_HEAD, last = head;
    auto step = [&](Index modifier) {
      visit(Kind::Sibling, sibling_part(context, head, is_right, modifier, last));
      if (grandparent != NO_HEAD && (modifier != head || last != head))
        visit(Kind::GrandSibling, grand_sibling_part(grandparent, head, is_right, modifier, last));
      if (before != NO_HEAD) visit(Kind::TriSibling, tri_sibling_part(head, is_right, modifier, last, before));
      before = last;
      last = modifier;
    };
    for (Index modifier : is_right ? right : left) {
      step(modifier);
      if (grandparent != NO_HEAD) visit(Kind::Grandparent, grandparent_part(context, grandparent, head, modifier));
    }
    step(head);
  }
}

}  // namespace headlong
