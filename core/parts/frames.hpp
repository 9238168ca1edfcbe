// Frames: for each head, its candidate heads and its candidate modifiers with the scores of all parts of more than one
// arc around it, laid out in the order in which a head automaton reads them.
//
// A head h has one lane for each of its candidate heads, in the order of the candidates, and two fans, its candidate
// modifiers to the left and to the right, nearest first. In a fan of k modifiers, place 0 is the start (no modifier
// yet), places 1 to k are the modifiers, and place k + 1 is the end. What h is worth, given its head and its
// modifiers, is the sum over both fans, whose chosen places with start and end are 0 = p0 < p1 < ... = k + 1, of
//   pairs[p(i), p(i+1)][lane]              consecutive siblings and grand-siblings
//   triples[p(i-1), p(i), p(i+1)]          tri-siblings
//   grand[p(i)][lane]                      grandparents
// The scores of the arcs themselves are not part of it. The root has one lane, which stands for no head.
#pragma once

#include "parts/candidates.hpp"

namespace headlong {

inline constexpr Index LANE_WIDTH = 4;  // lanes are padded to whole vectors

struct Frames {
  Index size = 0;                          // words with the root
  std::vector<Index> arc_heads;            // [arcs]
  std::vector<Index> arc_modifiers;        // [arcs]
  std::vector<Index> arc_begins;           // [size + 1] the arcs into each word, as in Candidates
  std::vector<Index> fan_arcs;             // [arcs] by fan
  std::vector<Index> fan_begins;           // [2 * size + 1] fan 2 * head is the left one, 2 * head + 1 the right one
  std::vector<Index> places;               // [arcs] place of an arc in its fan, from 1
  std::vector<Index> lanes;                // [size] how many
  std::vector<Index> strides;              // [size] lanes padded to LANE_WIDTH
  std::vector<std::size_t> pair_begins;    // [2 * size + 1] of each fan in `pairs`
  std::vector<std::size_t> triple_begins;  // [2 * size + 1] of each fan in `triples`
  std::vector<std::size_t> grand_begins;   // [2 * size + 1] of each fan in `grand`
  bool has_triples = false;                // otherwise `triples` is empty
  std::vector<float> pairs;                // of a fan: [pair][stride of the head]
  std::vector<float> triples;              // of a fan: [triple]
  std::vector<float> grand;                // of a fan: [place - 1][stride of the head]

  std::size_t arcs() const { return arc_heads.size(); }
  Index fan_size(Index fan) const { return fan_begins[fan + 1] - fan_begins[fan]; }
  std::span<const Index> fan(Index fan) const { return std::span(fan_arcs).subspan(fan_begins[fan], fan_size(fan)); }
};

inline Index fan_of(Index head, Index modifier) { return 2 * head + (modifier > head); }

// How many pairs and triples a fan of k modifiers has, and where each stands.
inline std::size_t pair_count(Index k) { return static_cast<std::size_t>(k + 1) * (k + 2) / 2; }
inline std::size_t triple_count(Index k) { return static_cast<std::size_t>(k) * (k + 1) * (k + 2) / 6; }
// 0 <= first < second <= k + 1: pairs with the same second place are neighbours.
inline std::size_t pair_place(Index first, Index second) {
  return static_cast<std::size_t>(second) * (second - 1) / 2 + first;
}
// 0 <= first < second < third <= k + 1: triples with the same third and second places are neighbours.
inline std::size_t triple_place(Index first, Index second, Index third) {
  return static_cast<std::size_t>(third) * (third - 1) * (third - 2) / 6 +
         static_cast<std::size_t>(second) * (second - 1) / 2 + first;
}

// Lays out the frames of the candidates, with all scores zero. O(places of the scores).
void lay_out(const Candidates& candidates, Index size, bool with_triples, Frames& frames);

// What one fan of a head is worth without its arc scores, given the places of its modifiers, ascending. O(modifiers).
Score fan_value(const Frames& frames, Index fan, Index lane, std::span<const Index> chosen);

// What a head is worth without its arc scores: the sum over its two fans.
Score frame_value(const Frames& frames, Index head, Index lane, std::span<const Index> left,
                  std::span<const Index> right);

}  // namespace headlong
