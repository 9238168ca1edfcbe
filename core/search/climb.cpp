#include "search/climb.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlong {

namespace {

constexpr Index MAX_SWEEPS = 100;

// A tree with what it is worth, fan by fan.
struct Climb {
  const Frames& frames;
  std::span<const Score> arc_scores;
  std::span<Index> heads;
  ClimbWorkspace& state;
  const Extras* extras;  // null: none
  TreeTerm* term;        // likewise

  Index lane(Index word) const { return word == 0 ? 0 : state.arcs[word] - frames.arc_begins[word]; }
  std::span<const Index> chosen(Index fan) const {
    return std::span(state.chosen).subspan(frames.fan_begins[fan], state.counts[fan]);
  }
  // The candidate from `head` to `modifier`, or -1.
  Index find_arc(Index head, Index modifier) const {
    const auto begin = frames.arc_heads.begin() + frames.arc_begins[modifier];
    const auto end = frames.arc_heads.begin() + frames.arc_begins[modifier + 1];
    const auto found = std::lower_bound(begin, end, head);
    return found != end && *found == head ? static_cast<Index>(found - frames.arc_heads.begin()) : -1;
  }
  Index arc_fan(Index arc) const { return fan_of(frames.arc_heads[arc], frames.arc_modifiers[arc]); }

  // The value of a fan with one place more, and with one less.
  Score value_with(Index fan, Index place) {
    const auto now = chosen(fan);
    const auto middle = std::lower_bound(now.begin(), now.end(), place);
    state.trial.assign(now.begin(), middle);
    state.trial.push_back(place);
    state.trial.insert(state.trial.end(), middle, now.end());
    return fan_value(frames, fan, lane(fan / 2), state.trial);
  }
  Score value_without(Index fan, Index place) {
    state.trial.clear();
    for (Index other : chosen(fan))
      if (other != place) state.trial.push_back(other);
    return fan_value(frames, fan, lane(fan / 2), state.trial);
  }
  Score value_under(Index word, Index lane) const {
    return fan_value(frames, 2 * word, lane, chosen(2 * word)) +
           fan_value(frames, 2 * word + 1, lane, chosen(2 * word + 1));
  }

  // What is lost with the present arc of a word, its own fans left out.
  Score loss_of_leaving(Index word) {
    const Index arc = state.arcs[word], fan = arc_fan(arc);
    return arc_scores[arc] + state.fan_values[fan] - value_without(fan, frames.places[arc]) +
           state.fan_values[2 * word] + state.fan_values[2 * word + 1];
  }
  // What is won by the arc, the word having left its present head on another fan.
  Score gain_of_taking(Index arc) {
    const Index word = frames.arc_modifiers[arc], fan = arc_fan(arc);
    return arc_scores[arc] + value_with(fan, frames.places[arc]) - state.fan_values[fan] +
           value_under(word, arc - frames.arc_begins[word]);
  }

  void take(Index arc) {
    const Index word = frames.arc_modifiers[arc], old = state.arcs[word];
    const Index from = arc_fan(old), to = arc_fan(arc);
    Index* list = state.chosen.data() + frames.fan_begins[from];
    std::remove(list, list + state.counts[from], frames.places[old]);
    --state.counts[from];
    list = state.chosen.data() + frames.fan_begins[to];
    Index* end = list + state.counts[to];
    Index* middle = std::lower_bound(list, end, frames.places[arc]);
    std::copy_backward(middle, end, end + 1);
    *middle = frames.places[arc];
    ++state.counts[to];
    state.arcs[word] = arc;
    heads[word] = frames.arc_heads[arc];
    if (term) term->move(word, heads[word]);
    for (Index fan : {from, to, 2 * word, 2 * word + 1})
      state.fan_values[fan] = fan_value(frames, fan, lane(fan / 2), chosen(fan));
  }

  // What counts beside the frames: whether there is anything, and its worth if one word has another head.
  bool has_more() const { return extras || term; }
  Score more_with(Index word, Index head) const {
    const Index old = std::exchange(heads[word], head);
    if (term && head != old) term->move(word, head);
    const Score value = more();
    heads[word] = old;
    if (term && head != old) term->move(word, old);
    return value;
  }
  Score more() const { return (extras ? extras_value(frames, *extras, heads) : 0.0) + (term ? term->value() : 0.0); }

  // Whether an arc would cross none of the others. O(size).
  bool fits(Index head, Index modifier) const {
    const auto [left, right] = std::minmax(head, modifier);
    for (Index word = 1; word < frames.size; ++word) {
      if (word == modifier) continue;
      const bool head_inside = heads[word] > left && heads[word] < right;
      const bool head_outside = heads[word] < left || heads[word] > right;
      if (word > left && word < right ? head_outside : (word < left || word > right) && head_inside) return false;
    }
    return true;
  }
};

bool set_up(Climb& climb) {
  const Frames& frames = climb.frames;
  ClimbWorkspace& state = climb.state;
  state.arcs.assign(frames.size, -1);
  state.counts.assign(2 * static_cast<std::size_t>(frames.size), 0);
  state.chosen.resize(frames.arcs());
  state.fan_values.resize(2 * static_cast<std::size_t>(frames.size));
  // Left fans take words from the last to the first, right fans from the first to the last: places come ascending.
  for (Index word = 1; word < frames.size; ++word) {
    const Index arc = climb.find_arc(climb.heads[word], word);
    if (arc < 0) return false;
    state.arcs[word] = arc;
  }
  for (Index word = frames.size - 1; word > 0; --word) {
    const Index fan = climb.arc_fan(state.arcs[word]);
    if (fan % 2 == 0) state.chosen[frames.fan_begins[fan] + state.counts[fan]++] = frames.places[state.arcs[word]];
  }
  for (Index word = 1; word < frames.size; ++word) {
    const Index fan = climb.arc_fan(state.arcs[word]);
    if (fan % 2 == 1) state.chosen[frames.fan_begins[fan] + state.counts[fan]++] = frames.places[state.arcs[word]];
  }
  for (Index fan = 0; fan < 2 * frames.size; ++fan)
    state.fan_values[fan] = fan_value(frames, fan, climb.lane(fan / 2), climb.chosen(fan));
  if (climb.term) climb.term->start(climb.heads);
  return true;
}

Score total(const Climb& climb) {
  Score sum = 0.0;
  if (!climb.arc_scores.empty())
    for (Index word = 1; word < climb.frames.size; ++word) sum += climb.arc_scores[climb.state.arcs[word]];
  for (Score value : climb.state.fan_values) sum += value;
  return sum + climb.more();
}

}  // namespace

Score tree_value(const Frames& frames, std::span<const Score> arc_scores, std::span<const Index> heads,
                 ClimbWorkspace& workspace, const Extras* extras, TreeTerm* term) {
  // The heads are only read.
  Climb climb{frames, arc_scores, std::span(const_cast<Index*>(heads.data()), heads.size()), workspace, extras, term};
  return set_up(climb) ? total(climb) : NEGATIVE_INFINITY;
}

namespace {

// Gives a word its best head; true if that is another one. Under the single-root rule root arcs stay where they are.
bool improve_head(Climb& climb, Index word, RootRule root, bool projective, Score least) {
  const Frames& frames = climb.frames;
  const Index present = climb.state.arcs[word], begin = frames.arc_begins[word], end = frames.arc_begins[word + 1];
  if (end - begin < 2 || (root == RootRule::Single && climb.heads[word] == 0)) return false;
  Score best = climb.loss_of_leaving(word) + climb.more_with(word, climb.heads[word]) + least;
  Index found = -1;
  for (Index arc = begin; arc < end; ++arc) {
    const Index head = frames.arc_heads[arc];
    if (arc == present || (head == 0 && root == RootRule::Single)) continue;
    Score gain = climb.gain_of_taking(arc);
    if ((!climb.has_more() && gain <= best) || is_above(climb.heads, word, head)) continue;
    gain += climb.more_with(word, head);
    if (gain <= best || (projective && !climb.fits(head, word))) continue;
    best = gain;
    found = arc;
  }
  if (found < 0) return false;
  climb.take(found);
  return true;
}

// Takes two arcs, one after the other, if that pays; else nothing changes. The first must not close a cycle.
bool try_both(Climb& climb, Index first, Index second, bool projective, Score least) {
  const Frames& frames = climb.frames;
  const Index word = frames.arc_modifiers[first], other = frames.arc_modifiers[second];
  const Index old_first = climb.state.arcs[word], old_second = climb.state.arcs[other];
  Score gain = -climb.loss_of_leaving(word) + climb.gain_of_taking(first) - climb.more_with(word, climb.heads[word]);
  climb.take(first);
  gain += climb.gain_of_taking(second) - climb.loss_of_leaving(other);
  if ((climb.has_more() || gain > least) && !is_above(climb.heads, other, frames.arc_heads[second])) {
    gain += climb.more_with(other, frames.arc_heads[second]);
    climb.take(second);
    if (gain > least &&
        (!projective || (climb.fits(frames.arc_heads[first], word) && climb.fits(frames.arc_heads[second], other))))
      return true;
    climb.take(old_second);
  }
  climb.take(old_first);
  return false;
}

// Turns the arc into a word round: the word takes its head's head, and the head hangs on the word.
bool turn_round(Climb& climb, Index word, bool projective, Score least) {
  const Index head = climb.heads[word];
  if (head == 0) return false;
  const Index first = climb.find_arc(climb.heads[head], word), second = climb.find_arc(word, head);
  return first >= 0 && second >= 0 && try_both(climb, first, second, projective, least);
}

// Makes a word the only root, and finds a head for the old one.
bool change_root(Climb& climb, Index word, bool projective, Score least) {
  const Index first = climb.find_arc(0, word);
  if (first < 0 || climb.heads[word] == 0) return false;
  const Index old = static_cast<Index>(std::find(climb.heads.begin() + 1, climb.heads.end(), 0) - climb.heads.begin());
  for (Index second = climb.frames.arc_begins[old]; second < climb.frames.arc_begins[old + 1]; ++second)
    if (climb.frames.arc_heads[second] != 0 && try_both(climb, first, second, projective, least)) return true;
  return false;
}

}  // namespace

Score climb(const Frames& frames, std::span<const Score> arc_scores, RootRule root, bool projective,
            std::span<Index> heads, ClimbWorkspace& workspace, const Extras* extras, TreeTerm* term) {
  Climb climb{frames, arc_scores, heads, workspace, extras, term};
  if (!set_up(climb)) return NEGATIVE_INFINITY;
  // Moves must gain more than what rounding errors could feign, or they might go round in circles.
  // Extras may make the first tree worth nothing.
  const Score first = total(climb);
  const Score least = 1e-9 * (1.0 + (first > NEGATIVE_INFINITY ? std::abs(first) : 0.0));
  bool moved = true;
  for (Index sweep = 0; moved && sweep < MAX_SWEEPS; ++sweep) {
    moved = false;
    for (Index word = 1; word < frames.size; ++word) {
      moved |= improve_head(climb, word, root, projective, least);
      moved |= turn_round(climb, word, projective, least);
      if (root == RootRule::Single) moved |= change_root(climb, word, projective, least);
    }
  }
  return total(climb);
}

}  // namespace headlong
