#include "parts/frames.hpp"

#include <algorithm>
#include <numeric>

namespace headlong {

namespace {

// Sorts the arcs into fans. Arcs come by ascending modifier, so right fans fill from the start,
// left fans from the end.
void sort_into_fans(Frames& frames) {
  const std::size_t arcs = frames.arcs();
  frames.fan_begins.assign(2 * static_cast<std::size_t>(frames.size) + 1, 0);
  for (std::size_t arc = 0; arc < arcs; ++arc)
    ++frames.fan_begins[fan_of(frames.arc_heads[arc], frames.arc_modifiers[arc]) + 1];
  std::partial_sum(frames.fan_begins.begin(), frames.fan_begins.end(), frames.fan_begins.begin());
  frames.fan_arcs.resize(arcs);
  frames.places.resize(arcs);
  std::vector<Index> filled(2 * static_cast<std::size_t>(frames.size), 0);
  for (std::size_t arc = 0; arc < arcs; ++arc) {
    const Index fan = fan_of(frames.arc_heads[arc], frames.arc_modifiers[arc]), size = frames.fan_size(fan);
    const Index place = fan % 2 == 1 ? filled[fan] : size - 1 - filled[fan];
    ++filled[fan];
    frames.fan_arcs[frames.fan_begins[fan] + place] = static_cast<Index>(arc);
    frames.places[arc] = place + 1;
  }
}

}  // namespace

void lay_out(const Candidates& candidates, Index size, bool with_triples, Frames& frames) {
  frames.size = size;
  frames.has_triples = with_triples;
  frames.arc_heads.assign(candidates.heads.begin(), candidates.heads.end());
  frames.arc_begins.assign(candidates.begins.begin(), candidates.begins.end());
  frames.arc_modifiers.resize(candidates.count());
  frames.lanes.resize(size);
  frames.strides.resize(size);
  for (Index word = 0; word < size; ++word) {
    const Index begin = candidates.begins[word], end = candidates.begins[word + 1];
    std::fill(frames.arc_modifiers.begin() + begin, frames.arc_modifiers.begin() + end, word);
    frames.lanes[word] = word == 0 ? 1 : end - begin;
    frames.strides[word] = (frames.lanes[word] + LANE_WIDTH - 1) / LANE_WIDTH * LANE_WIDTH;
  }
  sort_into_fans(frames);
  const Index fans = 2 * size;
  frames.pair_begins.assign(fans + 1, 0);
  frames.triple_begins.assign(fans + 1, 0);
  frames.grand_begins.assign(fans + 1, 0);
  for (Index fan = 0; fan < fans; ++fan) {
    const Index count = frames.fan_size(fan);
    const std::size_t stride = frames.strides[fan / 2];
    frames.pair_begins[fan + 1] = frames.pair_begins[fan] + pair_count(count) * stride;
    frames.triple_begins[fan + 1] = frames.triple_begins[fan] + (with_triples ? triple_count(count) : 0);
    frames.grand_begins[fan + 1] = frames.grand_begins[fan] + count * stride;
  }
  frames.pairs.assign(frames.pair_begins[fans], 0.0F);
  frames.triples.assign(frames.triple_begins[fans], 0.0F);
  frames.grand.assign(frames.grand_begins[fans], 0.0F);
}

Score fan_value(const Frames& frames, Index fan, Index lane, std::span<const Index> chosen) {
  const Index size = frames.fan_size(fan), stride = frames.strides[fan / 2];
  const float* pairs = frames.pairs.data() + frames.pair_begins[fan] + lane;
  const float* grand = frames.grand.data() + frames.grand_begins[fan] + lane;
  const float* triples = frames.triples.data() + frames.triple_begins[fan];
  Score sum = 0.0;
  Index before = -1, last = 0;
  auto step = [&](Index place) {
    sum += pairs[pair_place(last, place) * stride];
    if (frames.has_triples && before >= 0) sum += triples[triple_place(before, last, place)];
    before = last;
    last = place;
  };
  for (Index place : chosen) {
    step(place);
    sum += grand[static_cast<std::size_t>(place - 1) * stride];
  }
  step(size + 1);
  return sum;
}

Score frame_value(const Frames& frames, Index head, Index lane, std::span<const Index> left,
                  std::span<const Index> right) {
  return fan_value(frames, 2 * head, lane, left) + fan_value(frames, 2 * head + 1, lane, right);
}

}  // namespace headlong
