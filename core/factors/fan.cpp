#include "factors/fan.hpp"

#include "semiring.hpp"

namespace headlong {

namespace {

constexpr std::size_t WIDTH = LANE_WIDTH;

// LANE_WIDTH scores, one a lane; every loop over them is one or two vector instructions.
struct Block {
  Score lane[WIDTH];
};

inline Block load(const Score* from) {
  Block block;
  for (std::size_t k = 0; k < WIDTH; ++k) block.lane[k] = from[k];
  return block;
}

inline Block load(const float* from) {
  Block block;
  for (std::size_t k = 0; k < WIDTH; ++k) block.lane[k] = from[k];
  return block;
}

inline Block filled(Score score) {
  Block block;
  for (std::size_t k = 0; k < WIDTH; ++k) block.lane[k] = score;
  return block;
}

inline void store(const Block& block, Score* to) {
  for (std::size_t k = 0; k < WIDTH; ++k) to[k] = block.lane[k];
}

// Both semirings multiply by adding.
inline Block operator+(const Block& a, const Block& b) {
  Block sum;
  for (std::size_t k = 0; k < WIDTH; ++k) sum.lane[k] = a.lane[k] + b.lane[k];
  return sum;
}

template <class Semiring>
inline Block plus(const Block& a, const Block& b) {
  Block sum;
  for (std::size_t k = 0; k < WIDTH; ++k) sum.lane[k] = Semiring::plus(a.lane[k], b.lane[k]);
  return sum;
}

// value[j] = sum over i < j of value[i] * pairs[i, j], times j's own scores.
template <class Semiring>
void forward_pairs(const Fan& fan, const Score* modifiers, Score* values, Score* ends) {
  const std::size_t stride = fan.stride;
  store(filled(Semiring::one()), values);
  const float* pair = fan.pairs;
  for (Index place = 1; place <= fan.size + 1; ++place) {
    Block sum = load(values) + load(pair);
    pair += stride;
    for (Index before = 1; before < place; ++before, pair += stride)
      sum = plus<Semiring>(sum, load(values + before * stride) + load(pair));
    if (place > fan.size) return store(sum, ends);
    store(sum + load(fan.grand + (place - 1) * stride) + filled(modifiers[place - 1]), values + place * stride);
  }
}

// value[i, j] = (sum over h < i of value[h, i] * triples[h, i, j]) * pairs[i, j], times j's own scores.
template <class Semiring>
void forward_triples(const Fan& fan, const Score* modifiers, Score* values, Score* ends) {
  const std::size_t stride = fan.stride;
  const float* pair = fan.pairs;
  const float* triple = fan.triples;
  Block end = filled(Semiring::zero());
  for (Index place = 1; place <= fan.size + 1; ++place) {
    const bool is_end = place > fan.size;
    const Block own =
        is_end ? filled(Semiring::one()) : load(fan.grand + (place - 1) * stride) + filled(modifiers[place - 1]);
    const Score* source = values;
    for (Index last = 0; last < place; ++last, pair += stride) {
      Block sum = filled(last == 0 ? Semiring::one() : Semiring::zero());
      for (Index before = 0; before < last; ++before, source += stride, ++triple)
        sum = plus<Semiring>(sum, load(source) + filled(*triple));
      sum = sum + load(pair) + own;
      if (is_end)
        end = plus<Semiring>(end, sum);
      else
        store(sum, values + pair_place(last, place) * stride);
    }
  }
  store(end, ends);
}

template <class Semiring>
void backward_pairs(const Fan& fan, const Score* modifiers, Score* rests) {
  const std::size_t stride = fan.stride;
  for (Index place = 0; place <= fan.size; ++place) store(filled(Semiring::zero()), rests + place * stride);
  // All that follows a place has been added to its rest when its turn comes.
  for (Index place = fan.size + 1; place > 0; --place) {
    Block rest = filled(Semiring::one());
    if (place <= fan.size)
      rest = load(rests + place * stride) + load(fan.grand + (place - 1) * stride) + filled(modifiers[place - 1]);
    const float* pair = fan.pairs + pair_place(0, place) * stride;
    for (Index before = 0; before < place; ++before, pair += stride) {
      Score* target = rests + before * stride;
      store(plus<Semiring>(load(target), load(pair) + rest), target);
    }
  }
}

template <class Semiring>
void backward_triples(const Fan& fan, const Score* modifiers, Score* rests) {
  const std::size_t stride = fan.stride, states = fan.states();
  for (std::size_t state = 0; state < states; ++state) store(filled(Semiring::zero()), rests + state * stride);
  for (Index place = fan.size + 1; place > 1; --place) {
    const float* triple = fan.triples + triple_place(0, 1, place);
    Score* target = rests;
    for (Index last = 1; last < place; ++last) {
      Block rest = load(fan.pairs + pair_place(last, place) * stride);
      if (place <= fan.size)
        rest = rest + load(rests + pair_place(last, place) * stride) + load(fan.grand + (place - 1) * stride) +
               filled(modifiers[place - 1]);
      for (Index before = 0; before < last; ++before, target += stride, ++triple)
        store(plus<Semiring>(load(target), rest + filled(*triple)), target);
    }
  }
}

}  // namespace

template <class Semiring>
void fan_forward(const Fan& fan, const Score* modifiers, Score* values, Score* ends) {
  Fan block = fan;
  for (std::size_t lane = 0; lane < fan.stride; lane += WIDTH) {
    block.pairs = fan.pairs + lane;
    block.grand = fan.grand + lane;
    if (fan.triples)
      forward_triples<Semiring>(block, modifiers, values + lane, ends + lane);
    else
      forward_pairs<Semiring>(block, modifiers, values + lane, ends + lane);
  }
}

template <class Semiring>
void fan_backward(const Fan& fan, const Score* modifiers, Score* rests) {
  Fan block = fan;
  for (std::size_t lane = 0; lane < fan.stride; lane += WIDTH) {
    block.pairs = fan.pairs + lane;
    block.grand = fan.grand + lane;
    if (fan.triples)
      backward_triples<Semiring>(block, modifiers, rests + lane);
    else
      backward_pairs<Semiring>(block, modifiers, rests + lane);
  }
}

template void fan_forward<MaxPlus>(const Fan&, const Score*, Score*, Score*);
template void fan_forward<LogSumExp>(const Fan&, const Score*, Score*, Score*);
template void fan_backward<MaxPlus>(const Fan&, const Score*, Score*);
template void fan_backward<LogSumExp>(const Fan&, const Score*, Score*);

void fan_trace(const Fan& fan, const Score* values, Index lane, std::vector<Index>& places) {
  const std::size_t stride = fan.stride;
  const float* pairs = fan.pairs + lane;
  values += lane;
  // `after` is the place behind `place`, or -1 where there is none: the state is then `place` alone.
  Index place = fan.size + 1, after = -1;
  while (place > 0) {
    Index found = 0;
    Score best = NEGATIVE_INFINITY;
    for (Index before = 0; before < place; ++before) {
      Score score = 0.0;
      if (!fan.triples) {
        score = values[before * stride] + pairs[pair_place(before, place) * stride];
      } else if (after >= 0) {
        score = values[pair_place(before, place) * stride] + fan.triples[triple_place(before, place, after)];
      } else {
        // The end: the best state before it is a pair, found in two steps.
        score = pairs[pair_place(before, place) * stride];
        Score into = before == 0 ? 0.0 : NEGATIVE_INFINITY;
        for (Index first = 0; first < before; ++first)
          into = std::max(into,
                          values[pair_place(first, before) * stride] + fan.triples[triple_place(first, before, place)]);
        score += into;
      }
      if (score > best) best = score, found = before;
    }
    if (found > 0) places.push_back(found);
    if (fan.triples) after = place;
    place = found;
  }
}

}  // namespace headlong
