#include "decode/descent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/semiring.hpp"
#include "base/stop.hpp"
#include "decode/fan.hpp"
#include "decode/head_automaton.hpp"
#include "decode/lanes.hpp"

namespace headlong {

namespace {

// Replaces -inf where differences are computed, in units of the descent. Low enough for any arc to be dropped.
constexpr Score LOWEST = -1e4;

// The fraction of a difference that a link passes on. Smaller values are slower, larger ones get stuck earlier, as
// measured on random sentences.
constexpr Score SHARE = 0.6;

// Smaller differences, relative to the value of the automaton, are ignored.
constexpr Score NEGLIGIBLE = 1e-13;

}  // namespace

namespace {

// Numbers the links of all heads in the order of their automata.
void number_links(const Frames& frames, Descent& descent) {
  const std::size_t links = 2 * frames.arcs();
  descent.begins.resize(frames.size + 1);
  descent.others.resize(links);
  descent.partners.resize(links);
  descent.lane_links.resize(frames.arcs());
  descent.deficits.assign(links, 0.0);
  descent.values.assign(frames.size, 0.0);
  descent.quiet.assign(frames.size, 0);
  Index link = 0;
  for (Index head = 0; head < frames.size; ++head) {
    descent.begins[head] = link;
    for (Index arc = frames.arc_begins[head]; arc < frames.arc_begins[head + 1]; ++arc)
      descent.lane_links[arc] = link++;
    link += frames.fan_size(2 * head) + frames.fan_size(2 * head + 1);
  }
  descent.begins[frames.size] = link;
  for (Index head = 0; head < frames.size; ++head) {
    Index own = descent.begins[head] + (head == 0 ? 0 : frames.lanes[head]);
    for (int side : {0, 1})
      for (Index arc : frames.fan(2 * head + side)) {
        const Index lane = descent.lane_links[arc];
        descent.others[own] = lane;
        descent.others[lane] = own++;
        descent.partners[descent.others[lane]] = frames.arc_modifiers[arc];
        descent.partners[lane] = head;
      }
  }
}

}  // namespace

void start_descent(const Frames& frames, std::span<const Score> arc_scores, Descent& descent) {
  number_links(frames, descent);
  descent.scores.resize(2 * frames.arcs());
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const Index link = descent.lane_links[arc];
    descent.scores[link] = descent.scores[descent.others[link]] = arc_scores[arc] / 2.0;
  }
  descent.tree.assign(frames.arcs(), 0.0);
  descent.tree_value = 0.0;
}

namespace {

// One visit to a head.
struct Visit {
  const Frames& frames;
  Descent& descent;
  Index head;
  Direction direction;
  Index lanes, lane_links;
  Score best = NEGATIVE_INFINITY;  // current value of the automaton
  bool has_moved = false;

  bool passes(Index link) const {
    const Index partner = descent.partners[link];
    return direction == Direction::Forward ? partner > head : direction == Direction::Backward && partner < head;
  }

  void move(Index link, Score part) {
    descent.scores[link] -= part;
    descent.scores[descent.others[link]] += part;
    descent.quiet[descent.partners[link]] = 0;
    has_moved = true;
  }

  // Moves part of the difference between on and off to the other side of the link. Returns the new value of `on`.
  Score pass(Index link, Score on, Score off) {
    if (on == NEGATIVE_INFINITY || off == NEGATIVE_INFINITY) return on;
    const Score part = (on - off) * SHARE;
    if (std::abs(part) <= NEGLIGIBLE * (descent.unit + std::abs(best))) return on;
    move(link, part);
    return on - part;
  }
};

// Returns the best value without a place, over all steps across it, from states before it to places behind it. Stops
// early at `enough`.
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

// Walks along a fan: computes the states of each place and the value of its link, and passes on its share.
void visit_fan(Visit& visit, int side, Index begin) {
  const Frames& frames = visit.frames;
  Descent& descent = visit.descent;
  const Fan fan(frames, 2 * visit.head + side);
  const std::size_t stride = fan.stride;
  descent.states.resize(fan.states() * stride);
  Score* states = descent.states.data();
  const Score* rests = descent.rests[side].data();
  const Score* outside = descent.outside.data();
  Score* modifiers = descent.scores.data() + begin;
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
    const Index partner = descent.partners[link];
    if (frames.lanes[partner] == 1) {
      // The arc is in every tree: an amount that makes the automaton choose it costs its only lane the same amount and
      // nothing else.
      if (on < off && on > NEGATIVE_INFINITY && visit.direction != Direction::Still) {
        const std::uint8_t quiet = descent.quiet[partner];
        visit.move(link, on - off);
        // The only lane is worth less there; everything else is unchanged.
        descent.values[partner] += on - off;
        descent.quiet[partner] = quiet;
        on = off;
      }
    } else if (visit.passes(link)) {
      // Rounding errors must not look like a difference.
      if (on >= visit.best - 1e-12 * std::abs(visit.best))
        off = best_without(visit, fan, place, states, rests, outside, modifiers, on);
      on = visit.pass(link, on, off);
      visit.best = std::max(on, off);
    }
    descent.deficits[link] = on - visit.best;
    for (std::size_t state = from; state < from + count; ++state)
      for (std::size_t lane = 0; lane < stride; ++lane) states[state * stride + lane] += modifiers[place - 1];
  }
  descent.totals[side].resize(stride);
  fan_finish<MaxPlus>(fan, states, descent.totals[side].data());
}

void visit_lanes(Visit& visit) {
  Descent& descent = visit.descent;
  const Index begin = descent.begins[visit.head];
  auto total = [&](Index lane) {
    return descent.totals[0][lane] + descent.totals[1][lane] + (visit.lane_links ? descent.scores[begin + lane] : 0.0);
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
  if (visit.lane_links < 2 || second == NEGATIVE_INFINITY) return;
  const Score middle = (best + second) / 2.0;
  for (Index lane = 0; lane < visit.lane_links; ++lane)
    if (visit.passes(begin + lane)) visit.pass(begin + lane, total(lane), middle);
  visit.best = NEGATIVE_INFINITY;
  for (Index lane = 0; lane < visit.lanes; ++lane) visit.best = std::max(visit.best, total(lane));
}

void set_lane_deficits(const Visit& visit) {
  Descent& descent = visit.descent;
  const Index begin = descent.begins[visit.head];
  for (Index lane = 0; lane < visit.lane_links; ++lane)
    descent.deficits[begin + lane] =
        descent.totals[0][lane] + descent.totals[1][lane] + descent.scores[begin + lane] - visit.best;
}

void visit_head(const Frames& frames, Index head, Direction direction, Descent& descent) {
  // Nothing has changed since a visit in this direction (if still, in any direction) that had nothing to move.
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(direction));
  if ((descent.quiet[head] & bit) != 0 || (direction == Direction::Still && descent.quiet[head] != 0)) return;
  Visit visit{frames, descent, head, direction, frames.lanes[head], head == 0 ? 0 : frames.lanes[head]};
  const Index begin = descent.begins[head];
  const Index begins[2] = {begin + visit.lane_links, begin + visit.lane_links + frames.fan_size(2 * head)};
  for (int side : {0, 1}) {
    const Fan fan(frames, 2 * head + side);
    descent.rests[side].resize(fan.states() * fan.stride);
    descent.totals[side].resize(fan.stride);
    fan_backward<MaxPlus>(fan, descent.scores.data() + begins[side], descent.rests[side].data(),
                          descent.totals[side].data());
  }
  visit_lanes(visit);
  descent.outside.resize(frames.strides[head]);
  const int first = direction == Direction::Forward ? 0 : 1;
  for (int side : {first, 1 - first}) {
    if (frames.fan_size(2 * head + side) == 0) continue;
    for (Index lane = 0; lane < visit.lanes; ++lane)
      descent.outside[lane] = descent.totals[1 - side][lane] + (visit.lane_links ? descent.scores[begin + lane] : 0.0);
    visit_fan(visit, side, begins[side]);
  }
  set_lane_deficits(visit);
  descent.values[head] = visit.best;
  descent.quiet[head] = visit.has_moved ? 0 : descent.quiet[head] | bit;
}

}  // namespace

Score sweep(const Frames& frames, Direction direction, Descent& descent) {
  poll();
  for (Index k = 0; k < frames.size; ++k)
    visit_head(frames, direction == Direction::Forward ? k : frames.size - 1 - k, direction, descent);
  return std::accumulate(descent.values.begin(), descent.values.end(), descent.tree_value);
}

// Once the deficits of its lanes move to the tree, all lanes of an automaton are equal. The tree's reduced costs come
// back. Every word has a lane with cost 0, so the values of the automata do not change.
Score update_tree(const Frames& frames, RootRule rule, Descent& descent) {
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const Score deficit = std::max(descent.deficits[descent.lane_links[arc]], LOWEST * descent.unit);
    descent.tree[arc] += deficit;
    descent.scores[descent.lane_links[arc]] -= deficit;
  }
  descent.reduced.assign(descent.tree.begin(), descent.tree.end());
  descent.tree_value = reduced_costs(frames.arc_heads, frames.arc_begins, rule, descent.reduced, descent.costs);
  if (descent.tree_value == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const Score cost = std::max(descent.reduced[arc], LOWEST * descent.unit);
    if (cost != descent.deficits[descent.lane_links[arc]]) descent.quiet[frames.arc_modifiers[arc]] = 0;
    descent.tree[arc] -= cost;
    descent.scores[descent.lane_links[arc]] += cost;
    descent.deficits[descent.lane_links[arc]] = cost;
  }
  return std::accumulate(descent.values.begin(), descent.values.end(), descent.tree_value);
}

// The cost of an arc is the sum of its deficits in its two automata.
std::size_t mark_needed_arcs(const Frames& frames, Score bound, Score threshold, const Descent& descent,
                             std::span<std::uint8_t> keep) {
  std::size_t count = 0;
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const Index link = descent.lane_links[arc];
    keep[arc] = bound + descent.deficits[link] + descent.deficits[descent.others[link]] > threshold;
    count += keep[arc];
  }
  return count;
}

void save_split(const Descent& descent, std::span<const Index> arcs, ArcSplit& split) {
  split.lanes.resize(arcs.size());
  split.modifiers.resize(arcs.size());
  split.tree.resize(arcs.size());
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    const Index link = descent.lane_links[arcs[k]];
    split.lanes[k] = descent.scores[link];
    split.modifiers[k] = descent.scores[descent.others[link]];
    split.tree[k] = descent.tree[arcs[k]];
  }
  split.tree_value = descent.tree_value;
}

void load_split(const Frames& frames, const ArcSplit& split, Descent& descent) {
  number_links(frames, descent);
  descent.scores.resize(2 * frames.arcs());
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const Index link = descent.lane_links[arc];
    descent.scores[link] = split.lanes[arc];
    descent.scores[descent.others[link]] = split.modifiers[arc];
  }
  descent.tree.assign(split.tree.begin(), split.tree.end());
  descent.tree_value = split.tree_value;
}

namespace {

// Calls `visit` with each link of the graph's automata and its number in the descent. The tree's links come first.
template <class Visit>
void for_automata(const Frames& frames, const Descent& descent, Visit visit) {
  std::size_t link = frames.arcs();
  for (Index head = 0; head < frames.size; ++head) {
    if (frames.fan_size(2 * head) + frames.fan_size(2 * head + 1) == 0) continue;
    for (Index own = descent.begins[head]; own < descent.begins[head + 1]; ++own, ++link) visit(link, own);
  }
}

}  // namespace

void multipliers_of(const Frames& frames, const Graph& graph, const Descent& descent,
                    std::vector<double>& multipliers) {
  const std::vector<Index> degrees = graph.degrees();
  multipliers.resize(graph.link_variables.size());
  // The tree gets the rest.
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) multipliers[arc] = 0.0;
  for_automata(frames, descent, [&](std::size_t link, Index own) {
    const Index variable = graph.link_variables[link];
    multipliers[link] = descent.scores[own] - graph.scores[variable] / degrees[variable];
    multipliers[variable] -= multipliers[link];
  });
}

void load_multipliers(const Frames& frames, std::span<const Score> arc_scores, const Graph& graph,
                      std::span<const double> multipliers, RootRule rule, Descent& descent) {
  const std::vector<Index> degrees = graph.degrees();
  number_links(frames, descent);
  descent.scores.resize(2 * frames.arcs());
  // The graph has no automaton for a word without candidate modifiers. Here its lanes all get value 0.
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const Index word = frames.arc_modifiers[arc];
    const Index lane = static_cast<Index>(arc) - frames.arc_begins[word];
    if (frames.fan_size(2 * word) + frames.fan_size(2 * word + 1) == 0)
      descent.scores[descent.lane_links[arc]] = -frame_value(frames, word, lane, {}, {});
  }
  for_automata(frames, descent, [&](std::size_t link, Index own) {
    const Index variable = graph.link_variables[link];
    descent.scores[own] = multipliers[link] + graph.scores[variable] / degrees[variable];
  });
  descent.tree.resize(frames.arcs());
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const Index link = descent.lane_links[arc];
    descent.tree[arc] = arc_scores[arc] - descent.scores[link] - descent.scores[descent.others[link]];
  }
  sweep(frames, Direction::Still, descent);
  update_tree(frames, rule, descent);
}

}  // namespace headlong
