// A frame holds all scores around one head: those of its candidate modifiers, of its candidate heads, and of all parts
// of more than one arc that they form. The layout is the order in which a head automaton reads the scores.
//
// The modifiers of a head form two fans, left and right, nearest first. In a fan of k candidates, place 0 is the start
// (no modifier yet), places 1 to k are the candidates, and place k + 1 is the end. For a head h with the candidate
// modifiers w1, w3, w5 and w6:
//
//                left fan of h                  right fan of h
//   words          w1   w2   w3         h         w5   w6   w7
//   places    3    2         1    0           0   1    2          3
//            end                start       start                end
//
// A lane is one candidate head of h, in the order of the candidates. The root has a single lane, for no head.
//
// Given the lane and the chosen modifiers, the score of h is a sum over both fans. In each, let the chosen places with
// start and end be 0 = p0 < p1 < ... = k + 1. The fan adds up
//   pairs[p(i), p(i+1)][lane]              consecutive siblings and grand-siblings
//   triples[p(i-1), p(i), p(i+1)]          tri-siblings
//   grand[p(i)][lane]                      grandparents
// The scores of the arcs themselves are not included.
#pragma once

#include "parts/candidates.hpp"

namespace headlong {

inline constexpr Index LANE_WIDTH = 4;  // lanes are padded to whole vectors

struct Frames {
  Index size = 0;                          // words, including the root
  std::vector<Index> arc_heads;            // [arcs]
  std::vector<Index> arc_modifiers;        // [arcs]
  std::vector<Index> arc_begins;           // [size + 1] the arcs into each word, as in Candidates
  std::vector<Index> fan_arcs;             // [arcs] the arcs ordered by fan
  std::vector<Index> fan_begins;           // [2 * size + 1] fan 2 * head is the left one, 2 * head + 1 the right one
  std::vector<Index> places;               // [arcs] the place of each arc in its fan, from 1
  std::vector<Index> lanes;                // [size] how many lanes each head has
  std::vector<Index> strides;              // [size] lanes padded to a multiple of LANE_WIDTH
  std::vector<std::size_t> pair_begins;    // [2 * size + 1] where each fan begins in `pairs`
  std::vector<std::size_t> triple_begins;  // [2 * size + 1] where each fan begins in `triples`
  std::vector<std::size_t> grand_begins;   // [2 * size + 1] where each fan begins in `grand`
  bool has_triples = false;                // if false, `triples` is empty
  std::vector<float> pairs;                // per fan: [pair][stride of the head]
  std::vector<float> triples;              // per fan: [triple]
  std::vector<float> grand;                // per fan: [place - 1][stride of the head]

  std::size_t arcs() const { return arc_heads.size(); }
  Index fan_size(Index fan) const { return fan_begins[fan + 1] - fan_begins[fan]; }
  std::span<const Index> fan(Index fan) const { return std::span(fan_arcs).subspan(fan_begins[fan], fan_size(fan)); }
};

inline Index fan_of(Index head, Index modifier) { return 2 * head + (modifier > head); }

// How many pairs and triples a fan of k modifiers has, and the index of each.
inline std::size_t pair_count(Index k) { return static_cast<std::size_t>(k + 1) * (k + 2) / 2; }
inline std::size_t triple_count(Index k) { return static_cast<std::size_t>(k) * (k + 1) * (k + 2) / 6; }
// Needs 0 <= first < second <= k + 1. Pairs with the same second place are adjacent.
inline std::size_t pair_place(Index first, Index second) {
  return static_cast<std::size_t>(second) * (second - 1) / 2 + first;
}
// Needs 0 <= first < second < third <= k + 1. Triples with the same second and third places are adjacent.
inline std::size_t triple_place(Index first, Index second, Index third) {
  return static_cast<std::size_t>(third) * (third - 1) * (third - 2) / 6 +
         static_cast<std::size_t>(second) * (second - 1) / 2 + first;
}

// Lays out the frames of the candidates and sets all scores to zero. O(scores).
void lay_out(const Candidates& candidates, Index size, bool with_triples, Frames& frames);

// Returns the score of one fan without arc scores, given the ascending places of its modifiers. O(modifiers).
Score fan_value(const Frames& frames, Index fan, Index lane, std::span<const Index> chosen);

// Returns the score of a head without arc scores: the sum over its two fans.
Score frame_value(const Frames& frames, Index head, Index lane, std::span<const Index> left,
                  std::span<const Index> right);

}  // namespace headlong
