// The recursions over one fan of a head (parts/frames.hpp), for all lanes at once.
//
// The state is the last chosen place or, with triples, the last two (`pair_place`). A value is an array of `stride`
// scores, one per lane. Blocks of LANE_WIDTH lanes are processed together, so the inner loops are whole vectors over
// contiguous memory. `modifiers` [size] has the scores of the modifiers' links.
#pragma once

#include "parts/frames.hpp"

namespace headlong {

struct Fan {
  Index size;
  std::size_t stride;
  const float* pairs;
  const float* grand;
  const float* triples;  // nullptr: none

  Fan(const Frames& frames, Index fan)
      : size(frames.fan_size(fan)),
        stride(frames.strides[fan / 2]),
        pairs(frames.pairs.data() + frames.pair_begins[fan]),
        grand(frames.grand.data() + frames.grand_begins[fan]),
        triples(frames.has_triples ? frames.triples.data() + frames.triple_begins[fan] : nullptr) {}

  // Returns the number of states before the end.
  std::size_t states() const { return triples ? pair_place(0, size + 1) : static_cast<std::size_t>(size) + 1; }
};

// Computes the total over all ways from the start to each state [states][stride], including the state's modifier, and
// to the end [stride]. O(stride * pairs), with triples O(stride * triples).
template <class Semiring>
void fan_forward(const Fan& fan, const Score* modifiers, Score* values, Score* ends);

// Do the same step by step. `fan_arrive` computes the states whose last place is `place`, without the score of its
// modifier, which the caller adds. `fan_finish` computes the end.
template <class Semiring>
void fan_arrive(const Fan& fan, Index place, Score* values);
template <class Semiring>
void fan_finish(const Fan& fan, const Score* values, Score* ends);

// Computes the total over all ways from each state to the end [states][stride], excluding the state's modifier, and
// from the start to the end [stride]. Same complexity.
template <class Semiring>
void fan_backward(const Fan& fan, const Score* modifiers, Score* rests, Score* totals);

// Appends the places of the best way to the end in one lane, in descending order. `values` must come from a finished
// max-plus recursion whose end is not -inf. O(size) per place.
void fan_trace(const Fan& fan, const Score* values, Index lane, std::vector<Index>& places);

}  // namespace headlong
