// Parts of more than one arc: their slots and the relations that templates can look at.
//
// Some parts lack a modifier: before the first one, after the last one, or if a side has none. Then the slot holds the
// head. The relation `side` distinguishes these cases, so every template looks at it.
#pragma once

#include <algorithm>
#include <array>

#include "parts/arcs.hpp"
#include "parts/frames.hpp"

namespace headlong {

// The kinds and their slots:  Sibling          head, modifier, sibling nearer to the head
//                             Grandparent      grandparent, head, modifier
//                             GrandSibling     grandparent, head, modifier, sibling
//                             TriSibling       head, modifier, sibling, sibling nearest to the head
//                             HeadBigram       modifier, head, word before the modifier, head of that word
//                             ArbitrarySibling head, modifier, sibling after it in the sentence
//                             NonProjective    head, modifier
//                             Path             ancestor, descendant
// The first FRAME_KINDS are frame parts and live in frames (frames.hpp). The others are extras (extras.hpp).
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
// The relations are side, distance, agreement and punctuation between the two outer words of the part (for a head
// bigram, between the two heads). Grand-siblings and tri-siblings have only the side.
inline constexpr std::array<Index, KINDS> KIND_RELATIONS = {4, 4, 1, 1, 4, 4, 4, 4};

// One part: its slots and relations, padded with zeros.
struct PartRow {
  std::array<Index, 4> slots;
  std::array<Code, 4> relations;
};

// Writes `count` parts of one kind into columns, replacing what was there.
class PartWriter {
 public:
  PartWriter(Kind kind, std::size_t count, Parts& parts);
  void add(const PartRow& row) {
    std::copy_n(row.slots.data(), slots_, parts_.slots.data() + next_ * slots_);
    std::copy_n(row.relations.data(), relations_, parts_.relations.data() + next_ * relations_);
    ++next_;
  }

 private:
  Parts& parts_;
  Index slots_, relations_;
  std::size_t next_ = 0;
};

// `modifier` or `sibling` equals the head if there is none. `right` is the side of the fan.
PartRow sibling_part(const ArcContext& context, Index head, bool right, Index modifier, Index sibling);
PartRow grandparent_part(const ArcContext& context, Index grandparent, Index head, Index modifier);
PartRow grand_sibling_part(Index grandparent, Index head, bool right, Index modifier, Index sibling);
PartRow tri_sibling_part(Index head, bool right, Index modifier, Index sibling, Index nearest);

// Writes all parts of a frame kind in the order of the scores in the frames: siblings by fan and pair, grandparents by
// fan, place and lane, grand-siblings by fan, pair and lane, tri-siblings by fan and triple. Leaves out grand-siblings
// without any modifier and the root's lane.
void add_parts(const ArcContext& context, const Frames& frames, Kind kind, Parts& parts);

// Adds scores, in the order of `add_parts`, to the frames.
void add_scores(Kind kind, std::span<const float> scores, Frames& frames);

// Calls visit(kind, row) for each frame part of one head. `left` and `right` are its modifiers, nearest first;
// `grandparent` is its own head (NO_HEAD for the root).
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
