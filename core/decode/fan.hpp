// The recursions over one fan of a head (parts/frames.hpp), for all lanes at once.
//
// The state is the last chosen place or, where there are triples, the last two (`pair_place`). A value is an array of
// `stride` scores, one a lane; blocks of LANE_WIDTH lanes are worked on together, so that the inner loops are whole
// vectors over contiguous memory. Scores of modifiers [size] are those of their links.
#pragma once

#include "parts/frames.hpp"

namespace headlong {

struct Fan {
  Index size;
  std::size_t stride;
  const float* pairs;
  const float* grand;
  const float* triples;  // nullptr: there are none

  Fan(const Frames& frames, Index fan)
      : size(frames.fan_size(fan)),
        stride(frames.strides[fan / 2]),
        pairs(frames.pairs.data() + frames.pair_begins[fan]),
        grand(frames.grand.data() + frames.grand_begins[fan]),
        triples(frames.has_triples ? frames.triples.data() + frames.triple_begins[fan] : nullptr) {}

  // How many states there are before the end.
  std::size_t states() const { return triples ? pair_place(0, size + 1) : static_cast<std::size_t>(size) + 1; }
};

// Forward: the total over all ways from the start to each state [states][stride], the state's modifier included, and to
// the end [stride]. O(stride * pairs), with triples O(stride * triples).
template <class Semiring>
void fan_forward(const Fan& fan, const Score* modifiers, Score* values, Score* ends);

// The same step by step: the values of the states whose last place is `place`, without its modifier's score, which the
// caller adds; and those of the end.
template <class Semiring>
void fan_arrive(const Fan& fan, Index place, Score* values);
template <class Semiring>
void fan_finish(const Fan& fan, const Score* values, Score* ends);

// Backward: the total over all ways from each state to the end [states][stride], the state's modifier excluded, and
// from the start [stride]. Same complexity.
template <class Semiring>
void fan_backward(const Fan& fan, const Score* modifiers, Score* rests, Score* totals);

// The best way to the end in one lane, off the values of a finished max-plus recursion whose end is not -inf: appends
// the places, descending. O(size) a place.
void fan_trace(const Fan& fan, const Score* values, Index lane, std::vector<Index>& places);

}  // namespace headlong
