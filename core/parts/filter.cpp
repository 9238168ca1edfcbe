#include "parts/filter.hpp"

namespace headlong {

namespace {

// Writes the place in the old fan of each place in the new one: start, remaining modifiers, end.
void find_old_places(const Frames& frames, const Frames& reduced, Index fan, std::span<const Index> kept,
                     std::vector<Index>& places) {
  places.assign(1, 0);
  for (Index arc : reduced.fan(fan)) places.push_back(frames.places[kept[arc]]);
  places.push_back(frames.fan_size(fan) + 1);
}

void copy_fan(const Frames& frames, Frames& reduced, Index fan, std::span<const Index> lanes,
              std::span<const Index> places) {
  const std::size_t from_stride = frames.strides[fan / 2], to_stride = reduced.strides[fan / 2];
  const float* pairs = frames.pairs.data() + frames.pair_begins[fan];
  const float* grand = frames.grand.data() + frames.grand_begins[fan];
  const float* triples = frames.triples.data() + frames.triple_begins[fan];
  float* pair = reduced.pairs.data() + reduced.pair_begins[fan];
  float* grandparent = reduced.grand.data() + reduced.grand_begins[fan];
  float* triple = reduced.triples.data() + reduced.triple_begins[fan];
  for (std::size_t last = 1; last < places.size(); ++last) {
    for (std::size_t middle = 0; middle < last; ++middle, pair += to_stride) {
      const float* row = pairs + pair_place(places[middle], places[last]) * from_stride;
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) pair[lane] = row[lanes[lane]];
      if (frames.has_triples)
        for (std::size_t first = 0; first < middle; ++first)
          *triple++ = triples[triple_place(places[first], places[middle], places[last])];
    }
    if (last + 1 == places.size()) break;
    const float* row = grand + (places[last] - 1) * from_stride;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) grandparent[lane] = row[lanes[lane]];
    grandparent += to_stride;
  }
}

}  // namespace

void filter_arcs(const Frames& frames, std::span<const std::uint8_t> keep, Frames& reduced, std::vector<Index>& kept) {
  Candidates candidates;
  kept.clear();
  for (Index word = 0; word < frames.size; ++word) {
    candidates.begins.push_back(static_cast<Index>(kept.size()));
    for (Index arc = frames.arc_begins[word]; arc < frames.arc_begins[word + 1]; ++arc) {
      if (!keep[arc]) continue;
      kept.push_back(arc);
      candidates.heads.push_back(frames.arc_heads[arc]);
    }
  }
  candidates.begins.push_back(static_cast<Index>(kept.size()));
  lay_out(candidates, frames.size, frames.has_triples, reduced);
  std::vector<Index> lanes, places;
  for (Index head = 0; head < frames.size; ++head) {
    lanes.assign(head == 0 ? 1 : 0, 0);
    for (Index arc = candidates.begins[head]; arc < candidates.begins[head + 1]; ++arc)
      lanes.push_back(kept[arc] - frames.arc_begins[head]);
    for (Index fan : {2 * head, 2 * head + 1}) {
      find_old_places(frames, reduced, fan, kept, places);
      copy_fan(frames, reduced, fan, lanes, places);
    }
  }
}

}  // namespace headlong
