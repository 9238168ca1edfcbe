#include "decode/fan.hpp"

#include "base/semiring.hpp"
#include "decode/lanes.hpp"

namespace headlong {

namespace {

// Computes value[j] = sum over i < j of value[i] * pairs[i, j].
template <class Semiring>
inline Block arrive_by_pairs(const Fan& fan, Index place, const Score* values) {
  const float* pair = fan.pairs + pair_place(0, place) * fan.stride;
  Block sum = load(values) + load(pair);
  for (Index before = 1; before < place; ++before) {
    pair += fan.stride;
    values += fan.stride;
    sum = plus<Semiring>(sum, load(values) + load(pair));
  }
  return sum;
}

// Computes value[i, j] = (sum over h < i of value[h, i] * triples[h, i, j]) * pairs[i, j]: calls visit(i, value) for
// every i.
template <class Semiring, class Visit>
inline void arrive_by_triples(const Fan& fan, Index place, const Score* values, Visit visit) {
  const float* pair = fan.pairs + pair_place(0, place) * fan.stride;
  const float* triple = fan.triples + triple_place(0, 1, place);
  for (Index last = 0; last < place; ++last, pair += fan.stride) {
    Block sum = filled(last == 0 ? Semiring::one() : Semiring::zero());
    for (Index before = 0; before < last; ++before, values += fan.stride, ++triple)
      sum = plus<Semiring>(sum, load(values) + filled(*triple));
    visit(last, sum + load(pair));
  }
}

template <class Semiring>
inline void arrive(const Fan& fan, Index place, Score* values) {
  const Block own = load(fan.grand + (place - 1) * fan.stride);
  if (fan.triples)
    arrive_by_triples<Semiring>(fan, place, values, [&](Index last, const Block& value) {
      store(value + own, values + pair_place(last, place) * fan.stride);
    });
  else
    store(arrive_by_pairs<Semiring>(fan, place, values) + own, values + place * fan.stride);
}

template <class Semiring>
inline void finish(const Fan& fan, const Score* values, Score* ends) {
  Block end = filled(Semiring::zero());
  if (fan.triples)
    arrive_by_triples<Semiring>(fan, fan.size + 1, values,
                                [&](Index, const Block& value) { end = plus<Semiring>(end, value); });
  else
    end = arrive_by_pairs<Semiring>(fan, fan.size + 1, values);
  store(end, ends);
}

template <class Semiring>
inline void forward(const Fan& fan, const Score* modifiers, Score* values, Score* ends) {
  if (!fan.triples) store(filled(Semiring::one()), values);
  for (Index place = 1; place <= fan.size; ++place) {
    arrive<Semiring>(fan, place, values);
    const Block score = filled(modifiers[place - 1]);
    const std::size_t begin = fan.triples ? pair_place(0, place) : place, count = fan.triples ? place : 1;
    for (std::size_t state = begin; state < begin + count; ++state)
      store(load(values + state * fan.stride) + score, values + state * fan.stride);
  }
  finish<Semiring>(fan, values, ends);
}

template <class Semiring>
void backward_pairs(const Fan& fan, const Score* modifiers, Score* rests, Score* totals) {
  const std::size_t stride = fan.stride;
  for (Index place = 0; place <= fan.size; ++place) store(filled(Semiring::zero()), rests + place * stride);
  // The rest of a place is complete when the loop reaches it.
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
  store(load(rests), totals);
}

template <class Semiring>
void backward_triples(const Fan& fan, const Score* modifiers, Score* rests, Score* totals) {
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
  Block total = load(fan.pairs + pair_place(0, fan.size + 1) * stride);
  for (Index place = 1; place <= fan.size; ++place) {
    const std::size_t state = pair_place(0, place) * stride;
    total = plus<Semiring>(total, load(fan.pairs + state) + load(rests + state) +
                                      load(fan.grand + (place - 1) * stride) + filled(modifiers[place - 1]));
  }
  store(total, totals);
}

// Calls work(block, lane) for every block of lanes.
template <class Work>
inline void for_blocks(const Fan& fan, Work work) {
  Fan block = fan;
  for (std::size_t lane = 0; lane < fan.stride; lane += LANE_WIDTH) {
    work(block, lane);
    block.pairs += LANE_WIDTH;
    block.grand += LANE_WIDTH;
  }
}

}  // namespace

template <class Semiring>
void fan_forward(const Fan& fan, const Score* modifiers, Score* values, Score* ends) {
  for_blocks(fan, [&](const Fan& block, std::size_t lane) {
    forward<Semiring>(block, modifiers, values + lane, ends + lane);
  });
}

template <class Semiring>
void fan_arrive(const Fan& fan, Index place, Score* values) {
  for_blocks(fan, [&](const Fan& block, std::size_t lane) {
    if (place == 1 && !fan.triples) store(filled(Semiring::one()), values + lane);
    arrive<Semiring>(block, place, values + lane);
  });
}

template <class Semiring>
void fan_finish(const Fan& fan, const Score* values, Score* ends) {
  for_blocks(fan, [&](const Fan& block, std::size_t lane) { finish<Semiring>(block, values + lane, ends + lane); });
}

template <class Semiring>
void fan_backward(const Fan& fan, const Score* modifiers, Score* rests, Score* totals) {
  for_blocks(fan, [&](const Fan& block, std::size_t lane) {
    if (fan.triples)
      backward_triples<Semiring>(block, modifiers, rests + lane, totals + lane);
    else
      backward_pairs<Semiring>(block, modifiers, rests + lane, totals + lane);
  });
}

template void fan_forward<MaxPlus>(const Fan&, const Score*, Score*, Score*);
template void fan_forward<LogSumExp>(const Fan&, const Score*, Score*, Score*);
template void fan_arrive<MaxPlus>(const Fan&, Index, Score*);
template void fan_finish<MaxPlus>(const Fan&, const Score*, Score*);
template void fan_backward<MaxPlus>(const Fan&, const Score*, Score*, Score*);
template void fan_backward<LogSumExp>(const Fan&, const Score*, Score*, Score*);

void fan_trace(const Fan& fan, const Score* values, Index lane, std::vector<Index>& places) {
  const std::size_t stride = fan.stride;
  const float* pairs = fan.pairs + lane;
  values += lane;
  // `after` is the place behind `place`, or -1 if there is none, in which case the state is `place` alone.
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
