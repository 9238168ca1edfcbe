#include "decode/climb.hpp"

#include <cmath>
#include <utility>

#include "base/stop.hpp"
#include "decode/climber.hpp"

namespace headlong {

namespace {

constexpr Index MAX_SWEEPS = 1000;

// Reads the places of each fan's modifiers. Returns false if an arc of the tree is not a candidate.
bool read_tree(const Frames& frames, std::span<const Index> heads, ClimbWorkspace& state) {
  state.arcs.assign(frames.size, -1);
  state.counts.assign(2 * static_cast<std::size_t>(frames.size), 0);
  state.chosen.resize(frames.arcs());
  for (Index word = 1; word < frames.size; ++word) {
    const auto begin = frames.arc_heads.begin() + frames.arc_begins[word];
    const auto end = frames.arc_heads.begin() + frames.arc_begins[word + 1];
    const auto found = std::lower_bound(begin, end, heads[word]);
    if (found == end || *found != heads[word]) return false;
    state.arcs[word] = static_cast<Index>(found - frames.arc_heads.begin());
  }
  // Left fans visit words from last to first, right fans from first to last, so the places are added in ascending
  // order.
  const auto add = [&](Index word, Index side) {
    const Index arc = state.arcs[word], fan = fan_of(heads[word], word);
    if (fan % 2 == side) state.chosen[frames.fan_begins[fan] + state.counts[fan]++] = frames.places[arc];
  };
  for (Index word = frames.size - 1; word > 0; --word) add(word, 0);
  for (Index word = 1; word < frames.size; ++word) add(word, 1);
  return true;
}

Score value_of(const Frames& frames, const ClimbWorkspace& state, Index fan) {
  const Index word = fan / 2;
  return fan_value(frames, fan, word == 0 ? 0 : state.arcs[word] - frames.arc_begins[word],
                   std::span(state.chosen).subspan(frames.fan_begins[fan], state.counts[fan]));
}

// Sums the arcs and frames of the tree in `state`.
Score sum_frames(const Problem& problem, const ClimbWorkspace& state) {
  const Frames& frames = *problem.frames;
  Score sum = 0.0;
  if (!problem.arc_scores.empty())
    for (Index word = 1; word < frames.size; ++word) sum += problem.arc_scores[state.arcs[word]];
  for (Index fan = 0; fan < 2 * frames.size; ++fan) sum += value_of(frames, state, fan);
  return sum;
}

}  // namespace

Score frames_value(const Problem& problem, std::span<const Index> heads, ClimbWorkspace& workspace) {
  return read_tree(*problem.frames, heads, workspace) ? sum_frames(problem, workspace) : NEGATIVE_INFINITY;
}

Score tree_value(const Problem& problem, std::span<const Index> heads, ClimbWorkspace& workspace) {
  if (!read_tree(*problem.frames, heads, workspace)) return NEGATIVE_INFINITY;
  Score sum = sum_frames(problem, workspace);
  if (problem.extras) sum += extras_value(*problem.frames, *problem.extras, heads);
  if (!problem.global_scorer) return sum;
  problem.global_scorer->start(heads);
  return sum + problem.global_scorer->value();
}

bool Climber::set_up() {
  if (!read_tree(frames_, heads_, state_)) return false;
  state_.worth.resize(frames_.arcs());
  for (Index word = 1; word < frames_.size; ++word) weigh(word);
  state_.flags.assign(frames_.size, DIRTY);
  state_.seen.assign(frames_.size, 0);
  moves_ = 0;
  list_bottom_up();
  if (globals_) globals_->start(heads_);
  return true;
}

Score Climber::frames_total() const {
  Score sum = value_of(frames_, state_, 0) + value_of(frames_, state_, 1);
  for (Index word = 1; word < frames_.size; ++word) sum += state_.worth[state_.arcs[word]];
  return sum;
}

// Lists words farther from the root first, and words at the same depth in sentence order. O(size).
void Climber::list_bottom_up() {
  const Index size = frames_.size;
  state_.depths.assign(size, -1);
  state_.depths[0] = 0;
  state_.layers.assign(size + 1, 0);
  for (Index start = 1; start < size; ++start) {
    Index depth = 0, word = start;
    for (; state_.depths[word] < 0; word = heads_[word]) ++depth;
    depth += state_.depths[word];
    for (word = start; state_.depths[word] < 0; word = heads_[word]) state_.depths[word] = depth--;
  }
  // The begin of each layer, deepest layer first.
  for (Index word = 1; word < size; ++word) ++state_.layers[size - 1 - state_.depths[word]];
  Index begin = 0;
  for (Index& layer : state_.layers) begin += std::exchange(layer, begin);
  state_.order.resize(size - 1);
  for (Index word = 1; word < size; ++word) state_.order[state_.layers[size - 1 - state_.depths[word]]++] = word;
}

Index Climber::find_arc(Index head, Index modifier) const {
  const auto begin = frames_.arc_heads.begin() + frames_.arc_begins[modifier];
  const auto end = frames_.arc_heads.begin() + frames_.arc_begins[modifier + 1];
  const auto found = std::lower_bound(begin, end, head);
  return found != end && *found == head ? static_cast<Index>(found - frames_.arc_heads.begin()) : -1;
}

bool Climber::fits(Index arc) const {
  const Index modifier = frames_.arc_modifiers[arc];
  const auto [left, right] = std::minmax(frames_.arc_heads[arc], modifier);
  for (Index word = 1; word < frames_.size; ++word) {
    if (word == modifier) continue;
    const bool head_inside = heads_[word] > left && heads_[word] < right;
    const bool head_outside = heads_[word] < left || heads_[word] > right;
    if (word > left && word < right ? head_outside : (word < left || word > right) && head_inside) return false;
  }
  return true;
}

// Returns the value a place adds to its fan. `before` and `behind` are the fan's other places on either side of it.
Score Climber::link_value(Index fan, Index place, std::span<const Index> before, std::span<const Index> behind) const {
  const std::size_t stride = frames_.strides[fan / 2];
  const Index end = frames_.fan_size(fan) + 1, at = lane(fan / 2);
  const Index last = before.empty() ? 0 : before.back(), next = behind.empty() ? end : behind[0];
  const float* pairs = frames_.pairs.data() + frames_.pair_begins[fan] + at;
  Score sum = frames_.grand[frames_.grand_begins[fan] + (place - 1) * stride + at];
  sum += pairs[pair_place(last, place) * stride];
  sum += pairs[pair_place(place, next) * stride];
  sum -= pairs[pair_place(last, next) * stride];
  if (!frames_.has_triples) return sum;
  const float* triples = frames_.triples.data() + frames_.triple_begins[fan];
  sum += triples[triple_place(last, place, next)];
  if (last > 0) {
    const Index earlier = before.size() > 1 ? before[before.size() - 2] : 0;
    sum += triples[triple_place(earlier, last, place)];
    sum -= triples[triple_place(earlier, last, next)];
  }
  if (next < end) {
    const Index later = behind.size() > 1 ? behind[1] : end;
    sum += triples[triple_place(place, next, later)];
    sum -= triples[triple_place(last, next, later)];
  }
  return sum;
}

// Returns the gain of the head's fan if it takes the arc.
Score Climber::insertion(Index arc) const {
  const Index fan = arc_fan(arc), place = frames_.places[arc];
  const auto now = chosen(fan);
  std::size_t i = 0;
  while (i < now.size() && now[i] < place) ++i;
  return link_value(fan, place, now.first(i), now.subspan(i));
}

// Returns the loss of the head's fan if it gives up an arc of the tree.
Score Climber::removal(Index arc) const {
  const Index fan = arc_fan(arc), place = frames_.places[arc];
  const auto now = chosen(fan);
  std::size_t i = 0;
  while (now[i] != place) ++i;
  return link_value(fan, place, now.first(i), now.subspan(i + 1));
}

Score Climber::extras_and_globals_with(Index arc) const {
  if (!has_extras_or_globals()) return 0.0;
  const Index word = frames_.arc_modifiers[arc];
  const Index old = std::exchange(heads_[word], frames_.arc_heads[arc]);
  if (globals_) globals_->move(word, heads_[word]);
  const Score value = extras_and_globals();
  heads_[word] = old;
  if (globals_) globals_->move(word, old);
  return value;
}

// Computes the value of each arc into a word, given the word's modifiers. O(modifiers * lanes).
void Climber::weigh(Index word) {
  const Index begin = frames_.arc_begins[word], lanes = frames_.lanes[word];
  Score* worth = state_.worth.data() + begin;
  for (Index at = 0; at < lanes; ++at) worth[at] = arc_scores_[begin + at];
  const std::size_t stride = frames_.strides[word];
  for (Index fan : {2 * word, 2 * word + 1}) {
    const float* pairs = frames_.pairs.data() + frames_.pair_begins[fan];
    const float* grand = frames_.grand.data() + frames_.grand_begins[fan];
    const float* triples = frames_.triples.data() + frames_.triple_begins[fan];
    Index before = -1, last = 0;
    const auto step = [&](Index place) {
      const float* row = pairs + pair_place(last, place) * stride;
      Score all = 0.0;
      if (frames_.has_triples && before >= 0) all = triples[triple_place(before, last, place)];
      for (Index at = 0; at < lanes; ++at) worth[at] += row[at] + all;
      before = last;
      last = place;
    };
    for (Index place : chosen(fan)) {
      step(place);
      const float* row = grand + (place - 1) * stride;
      for (Index at = 0; at < lanes; ++at) worth[at] += row[at];
    }
    step(frames_.fan_size(fan) + 1);
  }
}

// Moves a word without marking any word as dirty.
void Climber::shift(Index arc) {
  const Index word = frames_.arc_modifiers[arc], old = state_.arcs[word];
  const Index from = arc_fan(old), to = arc_fan(arc);
  Index* list = state_.chosen.data() + frames_.fan_begins[from];
  static_cast<void>(std::remove(list, list + state_.counts[from], frames_.places[old]));
  --state_.counts[from];
  list = state_.chosen.data() + frames_.fan_begins[to];
  Index* place = list + state_.counts[to]++;
  for (; place > list && place[-1] > frames_.places[arc]; --place) *place = place[-1];
  *place = frames_.places[arc];
  state_.arcs[word] = arc;
  heads_[word] = frames_.arc_heads[arc];
  if (globals_) globals_->move(word, heads_[word]);
  if (from / 2 > 0) weigh(from / 2);
  if (to / 2 > 0) weigh(to / 2);
}

// Marks the words that a move affects: it changes two fans, hence the values of their heads, and the word's lane.
void Climber::mark_move(Index old, Index arc) {
  const Index word = frames_.arc_modifiers[arc];
  for (Index head : {frames_.arc_heads[old], frames_.arc_heads[arc], word}) mark(head);
  for (Index fan : {arc_fan(old), arc_fan(arc), 2 * word, 2 * word + 1})
    for (Index other : frames_.fan(fan)) mark(frames_.arc_modifiers[other]);
  ++moves_;
  if (log_) log_->push_back(old);
}

void Climber::save(std::vector<std::uint8_t>& flags, std::vector<Index>& log) {
  flags.assign(state_.flags.begin(), state_.flags.end());
  log.clear();
  log_ = &log;
}

void Climber::restore(const std::vector<std::uint8_t>& flags, std::vector<Index>& log) {
  for (std::size_t i = log.size(); i-- > 0;) shift(log[i]);
  log.clear();
  state_.flags.assign(flags.begin(), flags.end());
}

bool Climber::force(Index arc) {
  const Index word = frames_.arc_modifiers[arc], head = frames_.arc_heads[arc], old = heads_[word];
  if (head == old || (state_.flags[word] & FROZEN)) return false;
  if (gain(arc) == NEGATIVE_INFINITY) return false;
  if (single_ && head == 0) {
    least_ = NEGATIVE_INFINITY;
    const bool changed = take_both(arc, frames_.arc_begins[root_word()], frames_.arc_begins[root_word() + 1]);
    if (!changed) return false;
  } else if ((single_ && old == 0)) {
    return false;
  } else if (!is_open(arc)) {
    // The head is below the word, so the branch that holds it moves elsewhere first.
    Index branch = head;
    while (heads_[branch] != word) branch = heads_[branch];
    Index found = -1;
    Score best = NEGATIVE_INFINITY, loss = loss_of_leaving(branch);
    for (Index other = frames_.arc_begins[branch]; other < frames_.arc_begins[branch + 1]; ++other) {
      if (is_above(heads_, word, frames_.arc_heads[other]) || (single_ && frames_.arc_heads[other] == 0)) continue;
      const Score value = gain(other, loss);
      if (value > best && (!projective_ || fits(other))) best = value, found = other;
    }
    if (found < 0) return false;
    take(found);
    if (gain(arc) == NEGATIVE_INFINITY || (projective_ && !fits(arc))) {
      shift(log_->back());
      log_->pop_back();
      return false;
    }
    take(arc);
  } else {
    if (projective_ && !fits(arc)) return false;
    take(arc);
  }
  state_.flags[word] |= FROZEN;
  return true;
}

void Climber::settle(Score least) {
  thorough_ = false;
  climb(least);
  for (std::uint8_t& flags : state_.flags)
    if (flags & FROZEN) flags = DIRTY;
  climb(least);
  thorough_ = true;
}

void Climber::take(Index arc) {
  const Index old = state_.arcs[frames_.arc_modifiers[arc]];
  shift(arc);
  mark_move(old, arc);
}

void Climber::take_all(std::span<const Index> arcs) {
  GlobalScorer* globals = std::exchange(globals_, nullptr);
  for (Index arc : arcs) take(arc);
  globals_ = globals;
  if (globals_) globals_->start(heads_);
}

// Returns the arc in [begin, end) with the largest gain above `best`, skipping `except`; -1 if there is none. Flags
// `word` as blocked if an arc that gains would close a cycle or cross another arc.
template <class Fits>
Index Climber::best_arc(Index begin, Index end, Index except, Score loss, Score best, Index word, Fits fits) {
  Index found = -1;
  for (Index arc = begin; arc < end; ++arc) {
    if (arc == except || (single_ && frames_.arc_heads[arc] == 0)) continue;
    Score value = gain(arc, loss);
    if (value == NEGATIVE_INFINITY || (!has_extras_or_globals() && value <= best)) continue;
    if (!is_open(arc)) {
      block(word);
      continue;
    }
    value += extras_and_globals_with(arc);
    if (value <= best) continue;
    if (projective_ && !fits(arc)) {
      block(word);
      continue;
    }
    best = value;
    found = arc;
  }
  return found;
}

// Gives a word its best head. Returns true if the head changes. Under the single-root rule, root arcs stay.
bool Climber::improve_head(Index word) {
  const Index present = state_.arcs[word], begin = frames_.arc_begins[word], end = frames_.arc_begins[word + 1];
  if (end - begin < 2 || (single_ && heads_[word] == 0)) return false;
  const Score loss = loss_of_leaving(word);
  const Index found =
      best_arc(begin, end, present, loss, least_ + extras_and_globals(), word, [this](Index arc) { return fits(arc); });
  if (found < 0) return false;
  take(found);
  return true;
}

// Takes `first` and the best of the arcs in [begin, end), which all lead into one word, if the two gain together.
// Otherwise nothing changes. `first` must not close a cycle.
bool Climber::take_both(Index first, Index begin, Index end) {
  const Index word = frames_.arc_modifiers[first], other = frames_.arc_modifiers[begin];
  const Index old = state_.arcs[word], old_other = state_.arcs[other];
  if ((state_.flags[word] | state_.flags[other]) & FROZEN) return false;
  const Score first_gain = gain(first);
  if (first_gain == NEGATIVE_INFINITY) return false;
  const Score before = extras_and_globals();
  shift(first);
  const Score loss = loss_of_leaving(other);
  const Index found = best_arc(begin, end, old_other, loss, least_ + before - first_gain, word,
                               [&](Index arc) { return both_fit(first, arc); });
  if (found < 0) {
    shift(old);
    return false;
  }
  mark_move(old, first);
  take(found);
  return true;
}

// Returns whether two arcs would both cross no other arc. The first is already in the tree.
bool Climber::both_fit(Index first, Index second) {
  Index& head = heads_[frames_.arc_modifiers[second]];
  const Index old = std::exchange(head, frames_.arc_heads[second]);
  const bool fit = fits(first) && fits(second);
  head = old;
  return fit;
}

// Reverses the arc into a word: the word takes its head's head, and the head becomes its modifier.
bool Climber::reverse_arc(Index word) {
  const Index head = heads_[word];
  if (head == 0) return false;
  const Index first = find_arc(heads_[head], word);
  if (first < 0) return false;
  const Index second = find_arc(word, head);
  return second >= 0 && take_both(first, second, second + 1);
}

// Makes a word the only root and finds the best head for the old root.
bool Climber::change_root(Index word) {
  if (frames_.arc_begins[word] == frames_.arc_begins[word + 1]) return false;
  const Index first = frames_.arc_begins[word];  // heads are sorted
  if (frames_.arc_heads[first] != 0 || heads_[word] == 0) return false;
  const Index old = root_word();
  return take_both(first, frames_.arc_begins[old], frames_.arc_begins[old + 1]);
}

bool Climber::visit(Index word) {
  state_.flags[word] = 0;
  state_.seen[word] = moves_;
  bool moved = improve_head(word);
  if (!thorough_) return moved;
  moved |= reverse_arc(word);
  if (!single_) return moved;
  if (heads_[word] != 0) return moved | change_root(word);
  // A change around the root word affects every word that could replace it.
  for (Index arc : frames_.fan(1)) moved |= change_root(frames_.arc_modifiers[arc]);
  return moved;
}

void Climber::climb(Score least) {
  least_ = least;
  bool moved = true;
  for (Index sweep = 0; moved && sweep < MAX_SWEEPS && !out_of_time(); ++sweep) {
    moved = false;
    for (Index word : state_.order)
      if (is_due(word)) moved |= visit(word);
  }
}

Score climb(const Problem& problem, std::span<Index> heads, ClimbWorkspace& workspace) {
  Climber climber(problem, heads, workspace);
  if (!climber.set_up()) return NEGATIVE_INFINITY;
  climber.climb(least_gain(climber.total()));
  return climber.total();
}

}  // namespace headlong
