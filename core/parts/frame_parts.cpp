#include "parts/frame_parts.hpp"

#include <algorithm>

namespace headlong {

namespace {

// Tells which words are there. 0: both, 1: no sibling (first modifier), 2: no modifier (last sibling), 3: neither.
Code presence(Index head, Index modifier, Index sibling) { return (sibling == head) + 2 * (modifier == head); }

// Tells where a modifier is relative to the head and the grandparent. 0: on the side away from the grandparent, 1:
// between the two, 2: beyond the grandparent, 3: on the grandparent's side, but there is no modifier.
Code position(Index grandparent, Index head, bool right, Index modifier) {
  if ((grandparent < head) == right) return 0;
  if (modifier == head) return 3;
  return (modifier < grandparent) == right ? 1 : 2;
}

// Maps the places of a fan to words. Start and end map to the head.
struct FanWords {
  const Frames& frames;
  Index fan;
  Index size = frames.fan_size(fan), head = fan / 2;
  bool right = fan % 2 == 1;

  Index at(Index place) const {
    if (place == 0 || place > size) return head;
    return frames.arc_modifiers[frames.fan_arcs[frames.fan_begins[fan] + place - 1]];
  }
};

template <class Visit>
void for_each_fan(const Frames& frames, Visit visit) {
  for (Index fan = 0; fan < 2 * frames.size; ++fan) visit(FanWords{frames, fan});
}

// Calls visit(first, second) for every pair of places. With `some`, skips the pair (start, end), which has no modifier.
template <class Visit>
void for_each_pair(const FanWords& fan, bool some, Visit visit) {
  for (Index second = 1; second <= fan.size + 1; ++second)
    for (Index first = 0; first < second; ++first)
      if (!some || first > 0 || second <= fan.size) visit(first, second);
}

std::size_t count_parts(const Frames& frames, Kind kind) {
  std::size_t count = 0;
  for_each_fan(frames, [&](const FanWords& fan) {
    const std::size_t lanes = fan.head == 0 ? 0 : frames.lanes[fan.head];
    switch (kind) {
      case Kind::Sibling:
        count += pair_count(fan.size);
        break;
      case Kind::Grandparent:
        count += fan.size * lanes;
        break;
      case Kind::GrandSibling:
        count += (pair_count(fan.size) - 1) * lanes;
        break;
      default:
        count += triple_count(fan.size);
    }
  });
  return count;
}

}  // namespace

PartWriter::PartWriter(Kind kind, std::size_t count, Parts& parts)
    : parts_(parts),
      slots_(KIND_SLOTS[static_cast<std::size_t>(kind)]),
      relations_(KIND_RELATIONS[static_cast<std::size_t>(kind)]) {
  parts.slots.resize(count * slots_);
  parts.relations.resize(count * relations_);
  parts.count = count;
}

PartRow sibling_part(const ArcContext& context, Index head, bool right, Index modifier, Index sibling) {
  const Code side = 4 * (right ? 1U : 2U) + presence(head, modifier, sibling);
  return {{head, modifier, sibling, 0}, outer_relations(context, side, modifier, sibling)};
}

PartRow grandparent_part(const ArcContext& context, Index grandparent, Index head, Index modifier) {
  const Code side = 4 * (grandparent < head ? 1U : 2U) + position(grandparent, head, modifier > head, modifier);
  return {{grandparent, head, modifier, 0}, outer_relations(context, side, grandparent, modifier)};
}

PartRow grand_sibling_part(Index grandparent, Index head, bool right, Index modifier, Index sibling) {
  const Index known = modifier != head ? modifier : sibling;
  const Code side = 16 * (grandparent < head ? 1U : 2U) + 4 * presence(head, modifier, sibling) +
                    position(grandparent, head, right, known);
  return {{grandparent, head, modifier, sibling}, {mix(side)}};
}

PartRow tri_sibling_part(Index head, bool right, Index modifier, Index sibling, Index nearest) {
  return {{head, modifier, sibling, nearest}, {mix(4 * (right ? 1U : 2U) + presence(head, modifier, nearest))}};
}

void add_parts(const ArcContext& context, const Frames& frames, Kind kind, Parts& parts) {
  PartWriter writer(kind, count_parts(frames, kind), parts);
  for_each_fan(frames, [&](const FanWords& fan) {
    const Index head = fan.head, lanes = head == 0 ? 0 : frames.lanes[head];
    const Index* grandparents = frames.arc_heads.data() + frames.arc_begins[head];
    switch (kind) {
      case Kind::Sibling:
        for_each_pair(fan, false, [&](Index first, Index second) {
          writer.add(sibling_part(context, head, fan.right, fan.at(second), fan.at(first)));
        });
        break;
      case Kind::Grandparent:
        for (Index place = 1; place <= fan.size; ++place)
          for (Index lane = 0; lane < lanes; ++lane)
            writer.add(grandparent_part(context, grandparents[lane], head, fan.at(place)));
        break;
      case Kind::GrandSibling:
        for_each_pair(fan, true, [&](Index first, Index second) {
          for (Index lane = 0; lane < lanes; ++lane)
            writer.add(grand_sibling_part(grandparents[lane], head, fan.right, fan.at(second), fan.at(first)));
        });
        break;
      default:
        for (Index third = 2; third <= fan.size + 1; ++third)
          for (Index second = 1; second < third; ++second)
            for (Index first = 0; first < second; ++first)
              writer.add(tri_sibling_part(head, fan.right, fan.at(third), fan.at(second), fan.at(first)));
    }
  });
}

void add_scores(Kind kind, std::span<const float> scores, Frames& frames) {
  const float* next = scores.data();
  for_each_fan(frames, [&](const FanWords& fan) {
    const Index lanes = frames.lanes[fan.head], stride = frames.strides[fan.head];
    float* pairs = frames.pairs.data() + frames.pair_begins[fan.fan];
    float* grand = frames.grand.data() + frames.grand_begins[fan.fan];
    switch (kind) {
      case Kind::Sibling:
        for (std::size_t pair = 0; pair < pair_count(fan.size); ++pair, ++next)
          for (Index lane = 0; lane < lanes; ++lane) pairs[pair * stride + lane] += *next;
        break;
      case Kind::Grandparent:
        if (fan.head == 0) break;
        for (Index place = 0; place < fan.size; ++place)
          for (Index lane = 0; lane < lanes; ++lane) grand[place * stride + lane] += *next++;
        break;
      case Kind::GrandSibling:
        if (fan.head == 0) break;
        for_each_pair(fan, true, [&](Index first, Index second) {
          for (Index lane = 0; lane < lanes; ++lane) pairs[pair_place(first, second) * stride + lane] += *next++;
        });
        break;
      default: {
        float* triples = frames.triples.data() + frames.triple_begins[fan.fan];
        for (std::size_t triple = 0; triple < triple_count(fan.size); ++triple) triples[triple] += *next++;
      }
    }
  });
}

}  // namespace headlong
