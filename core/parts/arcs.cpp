#include "parts/arcs.hpp"

#include <algorithm>
#include <bit>

#include "base/stop.hpp"

namespace headlong {

namespace {

// Returns the bin of a distance: 1, 2, 3, 4, 5, 6-10, 11-20, 21-30, more.
Code distance_bin(Index distance) {
  constexpr Index LIMITS[] = {1, 2, 3, 4, 5, 10, 20, 30};
  Code bin = 0;
  for (Index limit : LIMITS) bin += distance > limit;
  return bin;
}

Code side(Index head, Index modifier) { return head < modifier ? 1 : 2; }

// Returns which morphological features both words have, as bits: equal values in the low byte, different ones in the
// high byte.
Code agreement(const Traits& a, const Traits& b) {
  Code value = 0;
  for (Index k = 0; k < AGREEMENT_KEYS; ++k) {
    if (a.agreement[k] == 0 || b.agreement[k] == 0) continue;
    value |= (a.agreement[k] == b.agreement[k] ? 1U : 256U) << k;
  }
  return value;
}

void count_class(std::span<const Traits> traits, Class wanted, std::vector<Index>& counts) {
  counts.assign(traits.size() + 1, 0);
  for (std::size_t i = 0; i < traits.size(); ++i) counts[i + 1] = counts[i] + ((traits[i].classes & wanted) != 0);
}

std::uint64_t tag_bit(const Traits& traits) { return std::uint64_t{1} << (traits.tag % MAX_TAGS); }

}  // namespace

void prepare(std::span<const Traits> traits, ArcContext& context) {
  context.traits = traits;
  count_class(traits, PUNCTUATION, context.punctuation);
  count_class(traits, VERB, context.verbs);
  count_class(traits, CONJUNCTION, context.conjunctions);
  context.tags.assign(traits.size(), 0);
  context.tag_counts.assign((traits.size() + 1) * MAX_TAGS, 0);
  for (std::size_t i = 0; i < traits.size(); ++i) {
    Index* row = context.tag_counts.data() + (i + 1) * MAX_TAGS;
    std::copy_n(row - MAX_TAGS, MAX_TAGS, row);
    ++row[traits[i].tag % MAX_TAGS];
  }
  for (Index i = context.size() - 1; i >= 0; --i) context.first[traits[i].tag % MAX_TAGS] = i;
}

void add_arc(const ArcContext& context, Index head, Index modifier, Parts& arcs) {
  const Index left = std::min(head, modifier), right = std::max(head, modifier);
  auto few = [](Index count) { return mix(11 + static_cast<Code>(std::min(count, Index{3}))); };
  auto between = [&](const std::vector<Index>& counts) { return few(counts[right] - counts[left + 1]); };
  // Counts the words in between that have the same tag as `word`. Closer rivals make an arc less likely.
  auto same_tag = [&](Index word) {
    const Index* counts = context.tag_counts.data() + context.traits[word].tag % MAX_TAGS;
    return few(counts[static_cast<std::size_t>(right) * MAX_TAGS] -
               counts[static_cast<std::size_t>(left + 1) * MAX_TAGS]);
  };
  const Code direction = side(head, modifier);
  arcs.slots.insert(arcs.slots.end(), {head, modifier});
  arcs.relations.insert(
      arcs.relations.end(),
      {mix(direction), mix(16 * direction + distance_bin(right - left)),
       mix(0x10000U + agreement(context.traits[head], context.traits[modifier])), between(context.punctuation),
       between(context.verbs), between(context.conjunctions), same_tag(head), same_tag(modifier)});
  ++arcs.count;
}

std::array<Code, 4> outer_relations(const ArcContext& context, Code side, Index one, Index other) {
  const auto [left, right] = std::minmax(one, other);
  const Index puncts = right > left ? context.punctuation[right] - context.punctuation[left + 1] : 0;
  return {mix(side), mix(16 * side + distance_bin(right - left)),
          mix(0x10000U + agreement(context.traits[one], context.traits[other])),
          mix(11 + static_cast<Code>(std::min(puncts, Index{3})))};
}

void add_arcs(const ArcContext& context, const Candidates& candidates, Parts& arcs) {
  WorkCounter work;
  for (Index modifier = 1; modifier < context.size(); ++modifier) {
    work.add(30 * candidates.of(modifier).size());
    for (Index head : candidates.of(modifier)) add_arc(context, head, modifier, arcs);
  }
}

void add_between(ArcContext& context, std::span<const Index> heads, Index modifier, Parts& between,
                 std::vector<Index>& owners) {
  std::uint64_t seen = 0;
  for (Index h = modifier - 1; h >= 0; --h) context.tags[h] = seen, seen |= tag_bit(context.traits[h]);
  seen = 0;
  for (Index h = modifier + 1; h < context.size(); ++h) context.tags[h] = seen, seen |= tag_bit(context.traits[h]);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Code direction = mix(side(heads[i], modifier));
    for (std::uint64_t rest = context.tags[heads[i]]; rest != 0; rest &= rest - 1) {
      between.slots.insert(between.slots.end(), {heads[i], modifier, context.first[std::countr_zero(rest)]});
      between.relations.push_back(direction);
      owners.push_back(static_cast<Index>(i));
      ++between.count;
    }
  }
}

}  // namespace headlong
