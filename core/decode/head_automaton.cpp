#include "decode/head_automaton.hpp"

#include <algorithm>
#include <cmath>

#include "base/semiring.hpp"
#include "decode/fan.hpp"

namespace headlong {

struct HeadAutomaton::Workspace final : FactorWorkspace {
  std::vector<Score> values[2], rests[2];  // [states][stride] per side
  std::vector<Score> ends[2];              // [stride]
  std::vector<Score> totals;               // [lanes] over all configurations with the lane
  std::vector<Score> modifiers;            // scores with one modifier forbidden
  std::vector<Index> places[2];
};

HeadAutomaton::HeadAutomaton(const Frames& frames, Index head)
    : frames_(&frames),
      head_(head),
      lanes_(frames.lanes[head]),
      lane_links_(head == 0 ? 0 : lanes_),
      sizes_{frames.fan_size(2 * head), frames.fan_size(2 * head + 1)} {}

std::unique_ptr<FactorWorkspace> HeadAutomaton::make_workspace() const { return std::make_unique<Workspace>(); }

// Runs the recursion on both sides and sets the totals of the lanes.
template <class Semiring>
void HeadAutomaton::forward(std::span<const Score> scores, Workspace& workspace) const {
  const Score* modifiers = scores.data() + lane_links_;
  for (int side : {0, 1}) {
    const Fan fan(*frames_, 2 * head_ + side);
    workspace.values[side].resize(fan.states() * fan.stride);
    workspace.ends[side].resize(fan.stride);
    fan_forward<Semiring>(fan, modifiers, workspace.values[side].data(), workspace.ends[side].data());
    modifiers += sizes_[side];
  }
  workspace.totals.resize(lanes_);
  for (Index lane = 0; lane < lanes_; ++lane)
    workspace.totals[lane] = workspace.ends[0][lane] + workspace.ends[1][lane] + (lane_links_ > 0 ? scores[lane] : 0.0);
}

Score HeadAutomaton::maximize(std::span<const Score> scores, FactorWorkspace& memory, Configuration& best) const {
  auto& workspace = static_cast<Workspace&>(memory);
  forward<MaxPlus>(scores, workspace);
  const auto found = std::max_element(workspace.totals.begin(), workspace.totals.end());
  best.on.assign(links(), 0);
  best.own = NEGATIVE_INFINITY;
  if (found == workspace.totals.end() || *found == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;
  const Index lane = static_cast<Index>(found - workspace.totals.begin());
  if (lane_links_ > 0) best.on[lane] = 1;
  Index begin = lane_links_ - 1;
  for (int side : {0, 1}) {
    std::vector<Index>& places = workspace.places[side];
    places.clear();
    fan_trace(Fan(*frames_, 2 * head_ + side), workspace.values[side].data(), lane, places);
    std::reverse(places.begin(), places.end());
    for (Index place : places) best.on[begin + place] = 1;
    begin += sizes_[side];
  }
  best.own = frame_value(*frames_, head_, lane, workspace.places[0], workspace.places[1]);
  return *found;
}

Score HeadAutomaton::own_score(std::span<const std::uint8_t> on, FactorWorkspace& memory) const {
  auto& workspace = static_cast<Workspace&>(memory);
  Index lane = lane_links_ == 0 && lanes_ > 0 ? 0 : -1;
  for (Index k = 0; k < lane_links_; ++k) {
    if (!on[k]) continue;
    if (lane >= 0) return NEGATIVE_INFINITY;
    lane = k;
  }
  if (lane < 0) return NEGATIVE_INFINITY;
  Index begin = lane_links_ - 1;
  for (int side : {0, 1}) {
    workspace.places[side].clear();
    for (Index place = 1; place <= sizes_[side]; ++place)
      if (on[begin + place]) workspace.places[side].push_back(place);
    begin += sizes_[side];
  }
  return frame_value(*frames_, head_, lane, workspace.places[0], workspace.places[1]);
}

template <class Measure>
Score HeadAutomaton::sum_rows(Measure measure) const {
  Score sum = 0.0;
  for (int side : {0, 1}) {
    const Fan fan(*frames_, 2 * head_ + side);
    for (Index place = 1; place <= fan.size + 1; ++place) {
      sum += measure(fan.pairs + pair_place(0, place) * fan.stride, place * fan.stride);
      if (fan.triples) sum += measure(fan.triples + triple_place(0, 1, place), pair_place(0, place));
      if (place <= fan.size) sum += measure(fan.grand + (place - 1) * fan.stride, fan.stride);
    }
  }
  return sum;
}

std::optional<OwnSize> HeadAutomaton::own_size() const {
  const Score sum = sum_rows([](const float* scores, std::size_t count) {
    float found = 0.0F;
    for (std::size_t k = 0; k < count; ++k)
      if (std::isfinite(scores[k])) found = std::max(found, std::abs(scores[k]));
    return static_cast<Score>(found);
  });
  return OwnSize{sum, 3 * (sizes_[0] + sizes_[1] + 2)};
}

std::optional<Score> HeadAutomaton::lowest_own() const {
  // The lowest finite score of a row, at most 0: a configuration may have no part of the row.
  return sum_rows([](const float* scores, std::size_t count) {
    float found = 0.0F;
    for (std::size_t k = 0; k < count; ++k)
      if (std::isfinite(scores[k])) found = std::min(found, scores[k]);
    return static_cast<Score>(found);
  });
}

double HeadAutomaton::expected_own(std::span<const Score> scores, FactorWorkspace&) const {
  const Automaton automaton(links(), edges());
  const auto workspace = automaton.make_workspace();
  return automaton.expected_own(scores, *workspace);
}

namespace {

// Calls visit(place, state) for every state of a fan except the start, ordered by last place.
template <class Visit>
void for_states(const Fan& fan, Visit visit) {
  for (Index place = 1; place <= fan.size; ++place) {
    if (!fan.triples) visit(place, static_cast<std::size_t>(place));
    for (Index before = 0; fan.triples && before < place; ++before) visit(place, pair_place(before, place));
  }
}

}  // namespace

Score HeadAutomaton::marginals(std::span<const Score> scores, FactorWorkspace& memory,
                               std::span<double> marginals) const {
  auto& workspace = static_cast<Workspace&>(memory);
  forward<LogSumExp>(scores, workspace);
  std::fill(marginals.begin(), marginals.end(), 0.0);
  Score log_partition = NEGATIVE_INFINITY;
  for (Score total : workspace.totals) log_partition = log_add(log_partition, total);
  if (log_partition == NEGATIVE_INFINITY) return log_partition;
  for (Index lane = 0; lane < lane_links_; ++lane) marginals[lane] = std::exp(workspace.totals[lane] - log_partition);
  Index begin = lane_links_;
  for (int side : {0, 1}) {
    const Fan fan(*frames_, 2 * head_ + side);
    workspace.rests[side].resize(fan.states() * fan.stride);
    fan_backward<LogSumExp>(fan, scores.data() + begin, workspace.rests[side].data(), workspace.ends[side].data());
    for_states(fan, [&](Index place, std::size_t state) {
      for (Index lane = 0; lane < lanes_; ++lane) {
        const Score through =
            workspace.values[side][state * fan.stride + lane] + workspace.rests[side][state * fan.stride + lane];
        // A lane without a total has no share. Skip it: the difference would be NaN.
        if (through == NEGATIVE_INFINITY || workspace.totals[lane] == NEGATIVE_INFINITY) continue;
        marginals[begin + place - 1] +=
            std::exp(through - workspace.ends[side][lane] + workspace.totals[lane] - log_partition);
      }
    });
    begin += sizes_[side];
  }
  for (double& marginal : marginals) marginal = std::min(marginal, 1.0);
  return log_partition;
}

// A link is off in the best configuration, or the recursion of its side runs again without it.
Score HeadAutomaton::max_marginals(std::span<const Score> scores, FactorWorkspace& memory, std::span<Score> on,
                                   std::span<Score> off) const {
  auto& workspace = static_cast<Workspace&>(memory);
  forward<MaxPlus>(scores, workspace);
  std::fill(on.begin(), on.end(), NEGATIVE_INFINITY);
  Score best = NEGATIVE_INFINITY, second = NEGATIVE_INFINITY;
  Index best_lane = 0;
  for (Index lane = 0; lane < lanes_; ++lane) {
    const Score total = workspace.totals[lane];
    if (lane_links_ > 0) on[lane] = total;
    if (total > best)
      second = best, best = total, best_lane = lane;
    else
      second = std::max(second, total);
  }
  std::fill(off.begin(), off.end(), best);
  if (best == NEGATIVE_INFINITY) return best;
  if (lane_links_ > 0) off[best_lane] = second;

  Index begin = lane_links_;
  for (int side : {0, 1}) {
    const Fan fan(*frames_, 2 * head_ + side);
    std::vector<Score>&values = workspace.values[side], &rests = workspace.rests[side];
    std::vector<Index>& places = workspace.places[side];
    // The contribution of the other side and the lane.
    auto outside = [&](Index lane) { return workspace.ends[1 - side][lane] + (lane_links_ > 0 ? scores[lane] : 0.0); };
    rests.resize(fan.states() * fan.stride);
    fan_backward<MaxPlus>(fan, scores.data() + begin, rests.data(), workspace.ends[side].data());
    for_states(fan, [&](Index place, std::size_t state) {
      Score& found = on[begin + place - 1];
      for (Index lane = 0; lane < lanes_; ++lane)
        found = std::max(found, values[state * fan.stride + lane] + rests[state * fan.stride + lane] + outside(lane));
    });
    places.clear();
    fan_trace(fan, values.data(), best_lane, places);
    for (Index place : places) {
      workspace.modifiers.assign(scores.begin() + begin, scores.begin() + begin + fan.size);
      workspace.modifiers[place - 1] = NEGATIVE_INFINITY;
      // The values of this side have been read; the other side still needs its end.
      std::vector<Score>& ends = workspace.totals;
      ends.resize(fan.stride);
      fan_forward<MaxPlus>(fan, workspace.modifiers.data(), values.data(), ends.data());
      Score without = NEGATIVE_INFINITY;
      for (Index lane = 0; lane < lanes_; ++lane) without = std::max(without, ends[lane] + outside(lane));
      off[begin + place - 1] = without;
    }
    begin += sizes_[side];
  }
  return best;
}

// Nodes: the start, then by side, state and lane. The end of the left side is the start of the right one. States are
// ordered by last place, so every link has a cut.
std::vector<AutomatonEdge> HeadAutomaton::edges() const {
  std::vector<AutomatonEdge> found;
  Index begin = lane_links_ - 1, node = 1;
  for (Index lane = 0; lane < lanes_; ++lane) found.push_back({0, 1 + lane, lane_links_ > 0 ? lane : NO_LINK, 0.0});
  for (int side : {0, 1}) {
    const Fan fan(*frames_, 2 * head_ + side);
    // The first lane of a state. With triples, the start comes before the pairs.
    auto node_of = [&](Index before, Index place) {
      if (place == 0) return node;
      const Index state = fan.triples ? static_cast<Index>(pair_place(before, place)) + 1 : place;
      return node + state * lanes_;
    };
    const Index end = node + static_cast<Index>(fan.states() + (fan.triples != nullptr)) * lanes_;
    for (Index place = 1; place <= fan.size + 1; ++place)
      for (Index last = 0; last < place; ++last)
        for (Index before = 0; before < (fan.triples && last > 0 ? last : 1); ++before)
          for (Index lane = 0; lane < lanes_; ++lane) {
            Score score = fan.pairs[pair_place(last, place) * fan.stride + lane];
            if (fan.triples && last > 0) score += fan.triples[triple_place(before, last, place)];
            if (place <= fan.size) score += fan.grand[(place - 1) * fan.stride + lane];
            const Index target = place <= fan.size ? node_of(last, place) : end;
            found.push_back(
                {node_of(before, last) + lane, target + lane, place <= fan.size ? begin + place : NO_LINK, score});
          }
    begin += fan.size;
    node = end;
  }
  for (Index lane = 0; lane < lanes_; ++lane) found.push_back({node + lane, node + lanes_, NO_LINK, 0.0});
  return found;
}

void append_links(const Frames& frames, Index head, std::vector<Index>& arcs) {
  if (head > 0)
    for (Index arc = frames.arc_begins[head]; arc < frames.arc_begins[head + 1]; ++arc) arcs.push_back(arc);
  for (int side : {0, 1}) {
    const auto fan = frames.fan(2 * head + side);
    arcs.insert(arcs.end(), fan.begin(), fan.end());
  }
}

}  // namespace headlong
