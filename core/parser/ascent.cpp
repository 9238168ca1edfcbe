#include "parser/ascent.hpp"

#include <algorithm>
#include <cmath>

#include "factors/fan.hpp"
#include "factors/head_automaton.hpp"
#include "factors/lanes.hpp"
#include "semiring.hpp"

namespace headlong {

void start_ascent(const Frames& frames, std::span<const Score> arc_scores, Ascent& ascent) {
  const std::size_t links = 2 * frames.arcs();
  ascent.begins.resize(frames.size + 1);
  ascent.others.resize(links);
  ascent.partners.resize(links);
  ascent.lane_links.resize(frames.arcs());
  ascent.scores.resize(links);
  ascent.deficits.assign(links, 0.0);
  ascent.values.assign(frames.size, 0.0);
  ascent.tree.assign(frames.arcs(), 0.0);
  Index link = 0;
  for (Index head = 0; head < frames.size; ++head) {
    ascent.begins[head] = link;
    for (Index arc = frames.arc_begins[head]; arc < frames.arc_begins[head + 1]; ++arc) ascent.lane_links[arc] = link++;
    link += frames.fan_size(2 * head) + frames.fan_size(2 * head + 1);
  }
  ascent.begins[frames.size] = link;
  for (Index head = 0; head < frames.size; ++head) {
    Index own = ascent.begins[head] + (head == 0 ? 0 : frames.lanes[head]);
    for (int side : {0, 1})
      for (Index arc : frames.fan(2 * head + side)) {
        const Index lane = ascent.lane_links[arc];
        ascent.others[own] = lane;
        ascent.others[lane] = own;
        ascent.partners[own] = frames.arc_modifiers[arc];
        ascent.partners[lane] = head;
        ascent.scores[lane] = ascent.scores[own] = arc_scores[arc] / 2.0;
        ++own;
      }
  }
  ascent.bound = std::numeric_limits<Score>::infinity();
}

namespace {

// One visit: the head, its links, and how many of them are still to pass something on.
struct Visit {
  const Frames& frames;
  Ascent& ascent;
  Index head;
  bool ascending;
  Index lanes, lane_links;
  Index remaining = 0, kept = 0;
  Score best = NEGATIVE_INFINITY;  // of the automaton, as it stands

  bool passes(Index link) const {
    const Index partner = ascent.partners[link];
    return ascending ? partner > head : partner < head;
  }

  // Moves part of the difference between on and off to the other side; returns what is left of `on`.
  Score pass(Index link, Score on, Score off) {
    if (on == NEGATIVE_INFINITY || off == NEGATIVE_INFINITY) {
      --remaining;
      return on;
    }
    const Score part = (on - off) / (remaining + kept);
    --remaining;
    ascent.scores[link] -= part;
    ascent.scores[ascent.others[link]] += part;
    return on - part;
  }
};

// The best value without a place, by all ways across it: from states before it to places behind it. Ends early when
// `enough` is reached.
Score best_without(const Visit& visit, const Fan& fan, Index place, const Score* states, const Score* rests,
                   const Score* outside, const Score* modifiers, Score enough) {
  const std::size_t stride = fan.stride;
  Score best = NEGATIVE_INFINITY;
  for (Index next = place + 1; next <= fan.size + 1; ++next)
    for (Index last = 0; last < place; ++last)
      for (Index lane = 0; lane < visit.lanes; ++lane) {
        Score score = fan.pairs[pair_place(last, next) * stride + lane] + outside[lane];
        if (next <= fan.size) {
          const std::size_t state = fan.triples ? pair_place(last, next) : next;
          score += rests[state * stride + lane] + fan.grand[(next - 1) * stride + lane] + modifiers[next - 1];
        }
        if (!fan.triples) {
          score += states[last * stride + lane];
        } else if (last > 0) {
          Score before = NEGATIVE_INFINITY;
          for (Index first = 0; first < last; ++first)
            before = std::max(
                before, states[pair_place(first, last) * stride + lane] + fan.triples[triple_place(first, last, next)]);
          score += before;
        }
        best = std::max(best, score);
        if (best >= enough) return best;
      }
  return best;
}

// Goes along a fan: values of a place's states, what its link is worth, what it passes on.
void visit_fan(Visit& visit, int side, Index begin) {
  const Frames& frames = visit.frames;
  Ascent& ascent = visit.ascent;
  const Fan fan(frames, 2 * visit.head + side);
  const std::size_t stride = fan.stride;
  ascent.states.resize(fan.states() * stride);
  Score* states = ascent.states.data();
  const Score* rests = ascent.rests[side].data();
  const Score* outside = ascent.outside.data();
  Score* modifiers = ascent.scores.data() + begin;
  for (Index place = 1; place <= fan.size; ++place) {
    fan_arrive<MaxPlus>(fan, place, states);
    const Index link = begin + place - 1;
    const std::size_t from = fan.triples ? pair_place(0, place) : place;
    const std::size_t count = fan.triples ? place : 1;
    Score on = NEGATIVE_INFINITY;
    for (std::size_t state = from; state < from + count; ++state)
      for (Index lane = 0; lane < visit.lanes; ++lane)
        on = std::max(on, states[state * stride + lane] + rests[state * stride + lane] + outside[lane]);
    on += modifiers[place - 1];
    Score off = visit.best;
    if (visit.passes(link)) {
      // Rounding errors must not feign a difference.
      if (on >= visit.best - 1e-12 * std::abs(visit.best))
        off = best_without(visit, fan, place, states, rests, outside, modifiers, on);
      on = visit.pass(link, on, off);
      visit.best = std::max(on, off);
    }
    ascent.deficits[link] = on - visit.best;
    for (std::size_t state = from; state < from + count; ++state)
      for (std::size_t lane = 0; lane < stride; ++lane) states[state * stride + lane] += modifiers[place - 1];
  }
  ascent.totals[side].resize(stride);
  fan_finish<MaxPlus>(fan, states, ascent.totals[side].data());
}

void visit_lanes(Visit& visit) {
  Ascent& ascent = visit.ascent;
  const Index begin = ascent.begins[visit.head];
  auto total = [&](Index lane) {
    return ascent.totals[0][lane] + ascent.totals[1][lane] + (visit.lane_links ? ascent.scores[begin + lane] : 0.0);
  };
  Score best = NEGATIVE_INFINITY, second = NEGATIVE_INFINITY;
  for (Index lane = 0; lane < visit.lanes; ++lane) {
    const Score value = total(lane);
    if (value > best)
      second = best, best = value;
    else
      second = std::max(second, value);
  }
  visit.best = best;
  if (visit.lane_links < 2 || second == NEGATIVE_INFINITY) {
    for (Index lane = 0; lane < visit.lane_links; ++lane) visit.remaining -= visit.passes(begin + lane);
    return;
  }
  const Score middle = (best + second) / 2.0;
  for (Index lane = 0; lane < visit.lane_links; ++lane)
    if (visit.passes(begin + lane)) visit.pass(begin + lane, total(lane), middle);
  visit.best = NEGATIVE_INFINITY;
  for (Index lane = 0; lane < visit.lanes; ++lane) visit.best = std::max(visit.best, total(lane));
}

void set_lane_deficits(const Visit& visit) {
  Ascent& ascent = visit.ascent;
  const Index begin = ascent.begins[visit.head];
  for (Index lane = 0; lane < visit.lane_links; ++lane)
    ascent.deficits[begin + lane] =
        ascent.totals[0][lane] + ascent.totals[1][lane] + ascent.scores[begin + lane] - visit.best;
}

void visit_head(const Frames& frames, Index head, bool ascending, Ascent& ascent) {
  Visit visit{frames, ascent, head, ascending, frames.lanes[head], head == 0 ? 0 : frames.lanes[head]};
  const Index begin = ascent.begins[head], end = ascent.begins[head + 1];
  for (Index link = begin; link < end; ++link) visit.remaining += visit.passes(link);
  visit.kept = std::max(0, end - begin - 2 * visit.remaining);
  const Index begins[2] = {begin + visit.lane_links, begin + visit.lane_links + frames.fan_size(2 * head)};
  for (int side : {0, 1}) {
    const Fan fan(frames, 2 * head + side);
    ascent.rests[side].resize(fan.states() * fan.stride);
    ascent.totals[side].resize(fan.stride);
    fan_backward<MaxPlus>(fan, ascent.scores.data() + begins[side], ascent.rests[side].data(),
                          ascent.totals[side].data());
  }
  visit_lanes(visit);
  ascent.outside.resize(frames.strides[head]);
  for (int side : {ascending ? 0 : 1, ascending ? 1 : 0}) {
    if (frames.fan_size(2 * head + side) == 0) continue;
    for (Index lane = 0; lane < visit.lanes; ++lane)
      ascent.outside[lane] = ascent.totals[1 - side][lane] + (visit.lane_links ? ascent.scores[begin + lane] : 0.0);
    visit_fan(visit, side, begins[side]);
  }
  set_lane_deficits(visit);
  ascent.values[head] = visit.best;
}

}  // namespace

Score sweep(const Frames& frames, bool ascending, Ascent& ascent) {
  Score bound = 0.0;
  for (Index k = 0; k < frames.size; ++k) {
    const Index head = ascending ? k : frames.size - 1 - k;
    visit_head(frames, head, ascending, ascent);
    bound += ascent.values[head];
  }
  ascent.bound = std::min(ascent.bound, bound);
  return bound;
}

}  // namespace headlong
