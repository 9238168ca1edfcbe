#include "parts/extras.hpp"

namespace headlong {

namespace {

constexpr auto number = [](Kind kind) { return static_cast<std::size_t>(kind); };

// Sorts the arcs by head, then by modifier: each left fan in reverse, then the right fan.
void sort_by_head(const Frames& frames, Extras& extras) {
  extras.head_arcs.resize(frames.arcs());
  extras.ranks.resize(frames.arcs());
  extras.head_begins.resize(frames.size + 1);
  for (Index head = 0; head <= frames.size; ++head) extras.head_begins[head] = frames.fan_begins[2 * head];
  for (Index head = 0; head < frames.size; ++head) {
    const auto left = frames.fan(2 * head), right = frames.fan(2 * head + 1);
    const auto middle =
        std::reverse_copy(left.begin(), left.end(), extras.head_arcs.begin() + extras.head_begins[head]);
    std::copy(right.begin(), right.end(), middle);
    for (Index place = extras.head_begins[head]; place < extras.head_begins[head + 1]; ++place)
      extras.ranks[extras.head_arcs[place]] = place - extras.head_begins[head];
  }
}

std::size_t lay_out_bigrams(const Frames& frames, std::vector<std::size_t>& begins) {
  begins.assign(frames.size, 0);
  std::size_t count = 0;
  for (Index word = 2; word < frames.size; ++word) {
    begins[word] = count;
    count += static_cast<std::size_t>(frames.lanes[word]) * frames.lanes[word - 1];
  }
  return count;
}

std::size_t lay_out_siblings(const Frames& frames, const Extras& extras, std::vector<std::size_t>& begins) {
  begins.assign(frames.size, 0);
  std::size_t count = 0;
  for (Index head = 1; head < frames.size; ++head) {
    begins[head] = count;
    const std::size_t modifiers = extras.head_begins[head + 1] - extras.head_begins[head];
    if (modifiers > 1) count += modifiers * (modifiers - 1) / 2;
  }
  return count;
}

std::size_t lay_out_crossing(const Frames& frames, std::vector<Index>& places) {
  places.assign(frames.arcs(), -1);
  Index count = 0;
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc) {
    const auto [left, right] = std::minmax(frames.arc_heads[arc], frames.arc_modifiers[arc]);
    if (right - left > 1 && frames.arc_heads[arc] != 0) places[arc] = count++;
  }
  return count;
}

std::size_t lay_out_paths(const Frames& frames, std::vector<Index>& places) {
  const std::size_t size = frames.size;
  const std::vector<std::uint8_t> reachable = reachable_words(frames);
  places.assign(size * size, -1);
  Index count = 0;
  for (std::size_t above = 1; above < size; ++above)
    for (std::size_t word = 1; word < size; ++word)
      if (word != above && reachable[above * size + word]) places[above * size + word] = count++;
  return count;
}

// Returns the number of the arc from `head` to `modifier`, which must be a candidate.
Index find_arc(const Frames& frames, Index head, Index modifier) {
  const auto begin = frames.arc_heads.begin() + frames.arc_begins[modifier];
  const auto end = frames.arc_heads.begin() + frames.arc_begins[modifier + 1];
  return static_cast<Index>(std::lower_bound(begin, end, head) - frames.arc_heads.begin());
}

// Returns the index of a part's score among the scores of its kind.
std::size_t place_of(const Frames& frames, const Extras& extras, Kind kind, const ExtraSlots& slots) {
  switch (kind) {
    case Kind::HeadBigram:
      return bigram_place(frames, extras, find_arc(frames, slots[1], slots[0]), find_arc(frames, slots[3], slots[2]));
    case Kind::ArbitrarySibling:
      return sibling_place(frames, extras, find_arc(frames, slots[0], slots[1]), find_arc(frames, slots[0], slots[2]));
    case Kind::NonProjective:
      return extras.crossing_places[find_arc(frames, slots[0], slots[1])];
    default:
      return extras.path_places[static_cast<std::size_t>(slots[0]) * frames.size + slots[1]];
  }
}

Code side(Index head, Index modifier) { return head < modifier ? 1 : 2; }

// Tells whether a word and the word before it have the same head (0), or one is the head of the other (1, 2), or
// neither (3).
Code coincidence(const ExtraSlots& slots) {
  const auto [word, head, before, head_before] = slots;
  return head == head_before ? 0 : head == before ? 1 : head_before == word ? 2 : 3;
}

}  // namespace

bool Extras::any() const { return std::ranges::find(on, true) != on.end(); }

void lay_out(const Frames& frames, const std::array<bool, KINDS>& on, Extras& extras) {
  extras.on = on;
  std::fill_n(extras.on.begin(), FRAME_KINDS, false);
  if (!extras.any()) return;
  sort_by_head(frames, extras);
  for (std::size_t kind = FRAME_KINDS; kind < KINDS; ++kind) {
    std::size_t count = 0;
    if (!on[kind]) continue;
    if (kind == number(Kind::HeadBigram)) count = lay_out_bigrams(frames, extras.bigram_begins);
    if (kind == number(Kind::ArbitrarySibling)) count = lay_out_siblings(frames, extras, extras.sibling_begins);
    if (kind == number(Kind::NonProjective)) count = lay_out_crossing(frames, extras.crossing_places);
    if (kind == number(Kind::Path)) count = lay_out_paths(frames, extras.path_places);
    extras.scores[kind].assign(count, 0.0F);
  }
}

std::vector<std::uint8_t> reachable_words(const Frames& frames) {
  const std::size_t size = frames.size;
  std::vector<std::uint8_t> reachable(size * size, 0);
  std::vector<Index> open;
  for (std::size_t start = 0; start < size; ++start) {
    std::uint8_t* row = reachable.data() + start * size;
    row[start] = 1;
    open.assign(1, static_cast<Index>(start));
    while (!open.empty()) {
      const Index head = open.back();
      open.pop_back();
      for (Index place = frames.fan_begins[2 * head]; place < frames.fan_begins[2 * head + 2]; ++place) {
        const Index word = frames.arc_modifiers[frames.fan_arcs[place]];
        if (!row[word]) row[word] = 1, open.push_back(word);
      }
    }
  }
  return reachable;
}

PartRow extra_part(const ArcContext& context, Kind kind, const ExtraSlots& slots) {
  const auto [first, second, third, fourth] = slots;
  switch (kind) {
    case Kind::HeadBigram: {
      const Code sides = 16 * side(second, first) + 4 * side(fourth, third) + coincidence(slots);
      return {slots, outer_relations(context, sides, second, fourth)};
    }
    case Kind::ArbitrarySibling:
      return {slots, outer_relations(context, side(first, second) + 2 * side(first, third), second, third)};
    default:
      return {slots, outer_relations(context, side(first, second), first, second)};
  }
}

void list_extras(const Frames& frames, const Extras& extras, Kind kind, std::vector<ExtraSlots>& out) {
  out.clear();
  const std::vector<Index>&heads = frames.arc_heads, &modifiers = frames.arc_modifiers;
  switch (kind) {
    case Kind::HeadBigram:
      for (Index word = 2; word < frames.size; ++word)
        for (Index arc = frames.arc_begins[word]; arc < frames.arc_begins[word + 1]; ++arc)
          for (Index before = frames.arc_begins[word - 1]; before < frames.arc_begins[word]; ++before)
            out.push_back({word, heads[arc], word - 1, heads[before]});
      break;
    case Kind::ArbitrarySibling:
      for (Index head = 1; head < frames.size; ++head)
        for (Index later = extras.head_begins[head]; later < extras.head_begins[head + 1]; ++later)
          for (Index earlier = extras.head_begins[head]; earlier < later; ++earlier)
            out.push_back({head, modifiers[extras.head_arcs[earlier]], modifiers[extras.head_arcs[later]], 0});
      break;
    case Kind::NonProjective:
      for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
        if (extras.crossing_places[arc] >= 0) out.push_back({heads[arc], modifiers[arc], 0, 0});
      break;
    default:
      for (Index above = 1; above < frames.size; ++above)
        for (Index word = 1; word < frames.size; ++word)
          if (extras.path_places[static_cast<std::size_t>(above) * frames.size + word] >= 0)
            out.push_back({above, word, 0, 0});
  }
}

void add_extras(const ArcContext& context, const Frames& frames, const Extras& extras, Kind kind,
                std::vector<ExtraSlots>& slots, Parts& parts) {
  list_extras(frames, extras, kind, slots);
  PartWriter writer(kind, slots.size(), parts);
  for (const ExtraSlots& part : slots) writer.add(extra_part(context, kind, part));
}

void filter_extras(const Frames& from, const Extras& extras, const Frames& reduced, std::vector<ExtraSlots>& slots,
                   Extras& out) {
  lay_out(reduced, extras.on, out);
  for (std::size_t kind = FRAME_KINDS; kind < KINDS; ++kind) {
    if (!extras.on[kind]) continue;
    list_extras(reduced, out, static_cast<Kind>(kind), slots);
    for (std::size_t part = 0; part < slots.size(); ++part)
      out.scores[kind][part] = extras.scores[kind][place_of(from, extras, static_cast<Kind>(kind), slots[part])];
  }
}

void add_optimism(const Frames& frames, const Extras& extras, bool projective, std::span<Score> arc_scores) {
  const Index arcs = static_cast<Index>(frames.arcs());
  if (extras.has(Kind::HeadBigram)) {
    // [arcs][2]: the best score with an arc of the word before, and with one of the word after.
    std::vector<Score> best(2 * frames.arcs(), NEGATIVE_INFINITY);
    for (Index arc = frames.size > 2 ? frames.arc_begins[2] : arcs; arc < arcs; ++arc) {
      const Index word = frames.arc_modifiers[arc];
      for (Index before = frames.arc_begins[word - 1]; before < frames.arc_begins[word]; ++before) {
        const Score score = extras.of(Kind::HeadBigram)[bigram_place(frames, extras, arc, before)];
        best[2 * arc] = std::max(best[2 * arc], score);
        best[2 * before + 1] = std::max(best[2 * before + 1], score);
      }
    }
    for (Index arc = 0; arc < arcs; ++arc) {
      if (frames.arc_modifiers[arc] > 1) arc_scores[arc] += best[2 * arc] / 2.0;
      if (frames.arc_modifiers[arc] + 1 < frames.size) arc_scores[arc] += best[2 * arc + 1] / 2.0;
    }
  }
  if (extras.has(Kind::ArbitrarySibling)) {
    const float* next = extras.of(Kind::ArbitrarySibling).data();
    for (Index head = 1; head < frames.size; ++head)
      for (Index later = extras.head_begins[head]; later < extras.head_begins[head + 1]; ++later)
        for (Index earlier = extras.head_begins[head]; earlier < later; ++earlier, ++next) {
          arc_scores[extras.head_arcs[earlier]] += std::max(*next, 0.0F) / 2.0;
          arc_scores[extras.head_arcs[later]] += std::max(*next, 0.0F) / 2.0;
        }
  }
  if (extras.has(Kind::NonProjective) && !projective)
    for (Index arc = 0; arc < arcs; ++arc)
      if (extras.crossing_places[arc] >= 0)
        arc_scores[arc] += std::max(extras.of(Kind::NonProjective)[extras.crossing_places[arc]], 0.0F);
  if (extras.has(Kind::Path))
    for (Index arc = 0; arc < arcs; ++arc) {
      // The head is an ancestor of the modifier, and so is every ancestor that the head can have.
      const std::size_t size = frames.size, head = frames.arc_heads[arc], modifier = frames.arc_modifiers[arc];
      const std::vector<float>& scores = extras.of(Kind::Path);
      if (head > 0) arc_scores[arc] += scores[extras.path_places[head * size + modifier]];
      for (std::size_t above = 1; above < size && head > 0; ++above)
        if (above != modifier && extras.path_places[above * size + head] >= 0)
          arc_scores[arc] += std::max(scores[extras.path_places[above * size + modifier]], 0.0F);
    }
}

Score extras_value(const Frames& frames, const Extras& extras, std::span<const Index> heads) {
  Score sum = 0.0;
  for (std::size_t kind = FRAME_KINDS; kind < KINDS; ++kind)
    if (extras.on[kind])
      visit_extras(static_cast<Kind>(kind), heads, [&](const ExtraSlots& slots) {
        sum += extras.scores[kind][place_of(frames, extras, static_cast<Kind>(kind), slots)];
      });
  return sum;
}

}  // namespace headlong
