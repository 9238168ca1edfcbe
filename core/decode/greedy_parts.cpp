#include "decode/greedy_parts.hpp"

#include <algorithm>
#include <cmath>

namespace headlong {

namespace {

constexpr Score FORBIDDEN = -1000.0;  // relative to the scale of the scores

template <class T>
void raise_scale(std::span<const T> scores, Score& scale) {
  for (T score : scores)
    if (score > NEGATIVE_INFINITY) scale = std::max(scale, 1.0 + std::abs(static_cast<Score>(score)));
}

template <class T>
void copy_finite(std::span<const T> scores, Score scale, std::vector<Score>& out) {
  out.resize(scores.size());
  std::ranges::transform(scores, out.begin(),
                         [&](T score) { return score > NEGATIVE_INFINITY ? Score(score) : FORBIDDEN * scale; });
}

// Splits the scores of each pair into the mean over its lanes and the difference of each lane from it.
void split_pairs(const Frames& frames, GreedyWeights& weights) {
  const Index fans = 2 * frames.size;
  weights.pair_begins.resize(fans);
  weights.pairs.clear();
  weights.lane_pairs.resize(frames.pairs.size());
  bool lanes_differ = false;
  for (Index fan = 0; fan < fans; ++fan) {
    weights.pair_begins[fan] = weights.pairs.size();
    const Index lanes = frames.lanes[fan / 2];
    for (std::size_t begin = frames.pair_begins[fan]; begin < frames.pair_begins[fan + 1];
         begin += frames.strides[fan / 2]) {
      const std::span<const float> scores = std::span(frames.pairs).subspan(begin, lanes);
      Score sum = 0.0;
      Index count = 0;
      for (float score : scores)
        if (score > NEGATIVE_INFINITY) sum += score, ++count;
      const Score shared = count > 0 ? sum / count : FORBIDDEN * weights.scale;
      weights.pairs.push_back(shared);
      for (Index lane = 0; lane < lanes; ++lane) {
        const Score own = count == 0                         ? 0.0
                          : scores[lane] > NEGATIVE_INFINITY ? scores[lane] - shared
                                                             : FORBIDDEN * weights.scale;
        weights.lane_pairs[begin + lane] = own;
        lanes_differ |= own != 0.0;
      }
    }
  }
  if (!lanes_differ) weights.lane_pairs.clear();
}

}  // namespace

void weigh(const Problem& problem, GreedyWeights& weights) {
  const Frames& frames = *problem.frames;
  const Extras* extras = problem.extras;
  const bool siblings = extras && extras->has(Kind::ArbitrarySibling);
  weights.scale = 1.0;
  raise_scale(problem.arc_scores, weights.scale);
  raise_scale(std::span<const float>(frames.pairs), weights.scale);
  raise_scale(std::span<const float>(frames.triples), weights.scale);
  raise_scale(std::span<const float>(frames.grand), weights.scale);
  if (siblings) raise_scale(std::span(extras->of(Kind::ArbitrarySibling)), weights.scale);
  copy_finite(problem.arc_scores, weights.scale, weights.arcs);
  copy_finite(std::span<const float>(frames.triples), weights.scale, weights.triples);
  copy_finite(std::span<const float>(frames.grand), weights.scale, weights.grand);
  weights.siblings.clear();
  if (siblings) copy_finite(std::span(extras->of(Kind::ArbitrarySibling)), weights.scale, weights.siblings);
  split_pairs(frames, weights);
}

void bias_to_guide(const Problem& problem, const std::array<double, 3>& gammas, Frames& out,
                   std::vector<Score>& out_scores) {
  const Frames& frames = *problem.frames;
  const std::span<const Index> guide = problem.guide;
  out = frames;
  out_scores.assign(problem.arc_scores.begin(), problem.arc_scores.end());
  const auto more = [&](Index order) { return static_cast<float>(gammas[order - 1]); };
  for (Index head = 0; head < frames.size; ++head) {
    const auto into = std::span(frames.arc_heads).subspan(frames.arc_begins[head], head == 0 ? 0 : frames.lanes[head]);
    const auto found = std::ranges::find(into, guide[head]);
    const Index stride = frames.strides[head];
    const Index lane = head == 0 ? 0 : found == into.end() ? -1 : static_cast<Index>(found - into.begin());
    for (Index fan : {2 * head, 2 * head + 1}) {
      Index before = -1, last = 0;
      auto step = [&](Index place) {
        float* pairs = &out.pairs[out.pair_begins[fan] + pair_place(last, place) * stride];
        for (Index other = 0; other < frames.lanes[head]; ++other) pairs[other] += more(2);
        if (frames.has_triples && lane >= 0) pairs[lane] += more(3);
        if (frames.has_triples && before >= 0)
          out.triples[out.triple_begins[fan] + triple_place(before, last, place)] += more(3);
        before = last;
        last = place;
      };
      for (Index arc : frames.fan(fan)) {
        if (guide[frames.arc_modifiers[arc]] != head) continue;
        out_scores[arc] += gammas[0];
        step(frames.places[arc]);
        if (lane >= 0)
          out.grand[out.grand_begins[fan] + static_cast<std::size_t>(frames.places[arc] - 1) * stride + lane] +=
              more(2);
      }
      step(frames.fan_size(fan) + 1);
    }
  }
}

void PartSums::lay_out(const Frames& frames) {
  for (std::vector<Score>* sums : {&fan, &lane, &blocked, &alone}) sums->assign(frames.arcs(), 0.0);
  for (std::vector<Score>* sums : {&both, &blocked_both}) sums->assign(frames.grand.size(), 0.0);
  root = 0.0;
}

namespace {

// Computes the sums of one head.
struct Summing {
  const Frames& frames;
  const GreedyWeights& weights;
  Absence absence;
  const Chances& chances;
  std::span<const ArcState> states;
  Index head;
  PartScratch& scratch;
  PartSums& sums;
  Index fan = 0, last = 0;       // the current fan, and the index of its end
  std::array<Score, 2> empty{};  // per fan, the value of its part without modifiers

  double present(Index arc) const {
    return states[arc] == ArcState::Chosen ? 1.0 : states[arc] == ArcState::Lost ? 0.0 : chances.present[arc];
  }
  double absent(Index arc) const {
    if (absence != Absence::Charge) return 1.0;
    return states[arc] == ArcState::Chosen ? 0.0 : chances.absent[arc];
  }
  bool is_modifier(Index i) const { return i > 0 && i < last; }
  // Returns whether lane and modifier would form a cycle.
  bool clash(Index lane, Index i) const {
    return head > 0 && is_modifier(i) &&
           frames.arc_heads[frames.arc_begins[head] + lane] == frames.arc_modifiers[scratch.arcs[i]];
  }
  Score& both_of(std::vector<Score>& table, Index i, Index lane) const {
    return table[frames.grand_begins[fan] + static_cast<std::size_t>(scratch.places[i] - 1) * frames.strides[head] +
                 lane];
  }

  void read_fan(Index side) {
    fan = 2 * head + side;
    scratch.places.assign(1, 0);
    scratch.arcs.assign(1, -1);
    scratch.present.assign(1, 1.0);
    scratch.absent.assign(1, 1.0);
    for (Index arc : frames.fan(fan)) {
      sums.fan[arc] = weights.arcs[arc];
      sums.blocked[arc] = sums.alone[arc] = 0.0;
      if (states[arc] == ArcState::Lost) continue;
      scratch.places.push_back(frames.places[arc]);
      scratch.arcs.push_back(arc);
      scratch.present.push_back(present(arc));
      scratch.absent.push_back(absent(arc));
    }
    scratch.places.push_back(frames.fan_size(fan) + 1);
    scratch.arcs.push_back(-1);
    scratch.present.push_back(1.0);
    scratch.absent.push_back(1.0);
    last = static_cast<Index>(scratch.places.size()) - 1;
    scratch.steps.assign(last + 1, 0.0);
    scratch.lane_steps.assign(weights.lane_pairs.empty() ? 0 : (last + 1) * scratch.lanes.size(), 0.0);
    std::fill(sums.both.begin() + frames.grand_begins[fan], sums.both.begin() + frames.grand_begins[fan + 1], 0.0);
    std::fill(sums.blocked_both.begin() + frames.grand_begins[fan],
              sums.blocked_both.begin() + frames.grand_begins[fan + 1], 0.0);
  }

  // Adds a part that needs modifier `i`. `value` is its value if the modifier is chosen.
  void add(Index i, Score value) const {
    if (is_modifier(i)) sums.fan[scratch.arcs[i]] += value;
  }
  // Adds a part that needs all modifiers between two others to be absent. `value` is its expected value.
  void block(Index first, Index second, Score value) const {
    scratch.steps[first + 1] += value;
    scratch.steps[second] -= value;
  }
  // Adds a part of the root that needs only modifier `i`.
  void add_alone(Index i, Score value) const { sums.alone[scratch.arcs[i]] += value; }

  void sum_arcs() {
    const double* lanes = scratch.lanes.data();
    const auto count = static_cast<Index>(scratch.lanes.size());
    for (Index i = 1; i < last; ++i) {
      const Score* grand = &weights.grand[frames.grand_begins[fan] +
                                          static_cast<std::size_t>(scratch.places[i] - 1) * frames.strides[head]];
      for (Index lane = 0; lane < count; ++lane) {
        if (lanes[lane] < 0.0 || clash(lane, i)) continue;
        add(i, lanes[lane] * grand[lane]);
        add_lane(lane, scratch.present[i] * grand[lane]);
        both_of(sums.both, i, lane) += grand[lane];
      }
      const Score value = scratch.present[i] * sums.fan[scratch.arcs[i]];  // only the parts of this arc alone so far
      sums.alone[scratch.arcs[i]] = value;
      if (head == 0) sums.root += value;
    }
  }
  void add_lane(Index lane, Score value) const {
    if (head > 0) sums.lane[frames.arc_begins[head] + lane] += value;
  }

  // Adds the lane scores of a pair to the lanes' own sums. Returns their expected value, which belongs to the pair.
  Score sum_lanes(Index i, Index j, std::size_t pair, double between) {
    const Score* own = weights.lane_pairs.data() + frames.pair_begins[fan] + pair * frames.strides[head];
    const double first = scratch.present[i], second = scratch.present[j];
    const auto count = static_cast<Index>(scratch.lanes.size());
    Score expected = 0.0;
    for (Index lane = 0; lane < count; ++lane) {
      if (scratch.lanes[lane] < 0.0 || clash(lane, i) || clash(lane, j)) continue;
      const Score score = own[lane], value = score * between * first * second;
      expected += scratch.lanes[lane] * score;
      add_lane(lane, value);
      if (is_modifier(i)) both_of(sums.both, i, lane) += score * between * second;
      if (is_modifier(j)) both_of(sums.both, j, lane) += score * between * first;
      Score* steps = &scratch.lane_steps[static_cast<std::size_t>(lane) * (last + 1)];
      steps[i + 1] += value;
      steps[j] -= value;
    }
    return expected;
  }

  void sum_pairs() {
    const std::size_t begin = weights.pair_begins[fan];
    for (Index j = 1; j <= last; ++j) {
      double between = 1.0;
      for (Index i = j - 1; i >= 0 && between > 0.0; between *= scratch.absent[i--]) {
        if (absence == Absence::Omit && scratch.places[j] > scratch.places[i] + 1) break;
        const std::size_t pair = pair_place(scratch.places[i], scratch.places[j]);
        Score score = weights.pairs[begin + pair];
        if (!weights.lane_pairs.empty()) score += sum_lanes(i, j, pair, between);
        add(i, score * between * scratch.present[j]);
        add(j, score * between * scratch.present[i]);
        const Score value = score * between * scratch.present[i] * scratch.present[j];
        block(i, j, value);
        if (head > 0) continue;
        sums.root += value;
        if (i == 0 && j == last) empty[fan % 2] = value;
        if (i == 0 && j < last) add_alone(j, value);
        if (i > 0 && j == last) add_alone(i, value);
      }
    }
  }

  void sum_triples() {
    const Score* triples = weights.triples.data() + frames.triple_begins[fan];  // empty for a fan without modifiers
    const bool omit = absence == Absence::Omit;
    const auto& [places, arcs, present, absent, lanes, steps, lane_steps] = scratch;
    for (Index j = 1; j < last; ++j) {
      double before = 1.0;
      for (Index i = j - 1; i >= 0 && before > 0.0; before *= absent[i--]) {
        if (omit && places[j] > places[i] + 1) break;
        double between = before;
        for (Index k = j + 1; k <= last && between > 0.0; between *= absent[k++]) {
          if (omit && places[k] > places[j] + 1) break;
          const Score score = triples[triple_place(places[i], places[j], places[k])] * between;
          add(i, score * present[j] * present[k]);
          add(j, score * present[i] * present[k]);
          add(k, score * present[i] * present[j]);
          const Score value = score * present[i] * present[j] * present[k];
          block(i, j, value);
          block(j, k, value);
          if (head > 0) continue;
          sums.root += value;
          if (i == 0 && k == last) add_alone(j, value);
        }
      }
    }
  }

  // Turns the steps into sums.
  void finish_fan() {
    if (absence != Absence::Charge) return;
    Score sum = 0.0;
    for (Index i = 1; i < last; ++i) sums.blocked[scratch.arcs[i]] = sum += scratch.steps[i];
    if (weights.lane_pairs.empty()) return;
    for (std::size_t lane = 0; lane < scratch.lanes.size(); ++lane) {
      const Score* steps = scratch.lane_steps.data() + lane * (last + 1);
      sum = 0.0;
      for (Index i = 1; i < last; ++i) both_of(sums.blocked_both, i, static_cast<Index>(lane)) = sum += steps[i];
    }
  }

  // Adds pairs of modifiers of the head, on one side or on both.
  void sum_siblings(const Extras& extras) const {
    const auto begin = extras.head_arcs.begin() + extras.head_begins[head];
    const auto end = extras.head_arcs.begin() + extras.head_begins[head + 1];
    for (auto later = begin; later != end; ++later) {
      if (states[*later] == ArcState::Lost) continue;
      for (auto earlier = begin; earlier != later; ++earlier) {
        if (states[*earlier] == ArcState::Lost) continue;
        const Score score = weights.siblings[sibling_place(frames, extras, *earlier, *later)];
        sums.fan[*earlier] += score * present(*later);
        sums.fan[*later] += score * present(*earlier);
      }
    }
  }

  void run(const Extras* extras) {
    scratch.lanes.assign(frames.lanes[head], 1.0);
    for (Index arc = frames.arc_begins[head]; arc < frames.arc_begins[head + 1]; ++arc) {
      scratch.lanes[arc - frames.arc_begins[head]] = states[arc] == ArcState::Lost ? -1.0 : present(arc);
      sums.lane[arc] = 0.0;
    }
    if (head == 0) sums.root = 0.0;
    for (Index side : {0, 1}) {
      read_fan(side);
      sum_arcs();
      sum_pairs();
      if (frames.has_triples) sum_triples();
      finish_fan();
    }
    for (Index side = 0; side < 2 && head == 0; ++side)
      for (Index arc : frames.fan(side))
        sums.alone[arc] += empty[1 - side] + (absence == Absence::Ignore ? empty[side] : 0.0);
    if (!weights.siblings.empty() && head > 0) sum_siblings(*extras);
  }
};

}  // namespace

void sum_parts(const Problem& problem, Absence absence, const GreedyWeights& weights, const Chances& chances,
               std::span<const ArcState> states, Index head, PartScratch& scratch, PartSums& sums) {
  Summing{*problem.frames, weights, absence, chances, states, head, scratch, sums}.run(problem.extras);
}

}  // namespace headlong
