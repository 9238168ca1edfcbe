#include "model/scored_parts.hpp"

#include <algorithm>

#include "decode/head_automaton.hpp"

namespace headlong {

namespace {

// Adds `amount` times the features of one part.
template <class Weight>
void add_part(const ParserModel<Weight>& model, const ScoredParts& parts, Kind kind, const PartRow& row, float amount,
              std::vector<Code>& scratch, SparseVector& out) {
  const auto k = static_cast<std::size_t>(kind);
  if (model.families[k])
    add_features(parts.codes[k], *model.families[k], row.slots.data(), row.relations.data(), model.parts.shift(), 1, 0,
                 amount, scratch, out);
}

}  // namespace

Choices choices_of(std::span<const Index> heads) {
  Choices choices{
      {heads.begin(), heads.end()}, std::vector<Index>(heads.size()), std::vector<Index>(2 * heads.size() + 1)};
  const Index size = static_cast<Index>(heads.size());
  for (Index word = 1; word < size; ++word) ++choices.begins[fan_of(heads[word], word) + 1];
  for (std::size_t fan = 1; fan < choices.begins.size(); ++fan) choices.begins[fan] += choices.begins[fan - 1];
  std::vector<Index> next(choices.begins.begin(), choices.begins.end() - 1);
  for (Index word = 1; word < size; ++word)
    if (heads[word] < word) choices.modifiers[next[fan_of(heads[word], word)]++] = word;
  for (Index word = size - 1; word > 0; --word)
    if (heads[word] > word) choices.modifiers[next[fan_of(heads[word], word)]++] = word;
  return choices;
}

Score choose_freely(const ScoredArcs& arcs, const Frames& frames, Choices& choices, std::span<std::uint8_t> chosen) {
  choices = {std::vector<Index>(frames.size, NO_HEAD), {}, {0}};
  std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
  Score total = 0.0;
  std::vector<Index> links;
  std::vector<Score> scores;
  Configuration best;
  for (Index head = 0; head < frames.size; ++head) {
    const HeadAutomaton automaton(frames, head);
    const auto workspace = automaton.make_workspace();
    links.clear();
    append_links(frames, head, links);
    scores.assign(links.size(), 0.0);  // 0 for the lanes: each arc counts once, at its head
    for (std::size_t link = automaton.lane_links(); link < links.size(); ++link)
      scores[link] = arcs.scores[links[link]];
    total += automaton.maximize(scores, *workspace, best);
    for (Index lane = 0; lane < automaton.lane_links(); ++lane)
      if (best.on[lane]) choices.grandparents[head] = frames.arc_heads[links[lane]];
    std::size_t link = automaton.lane_links();
    for (const Index fan : {2 * head, 2 * head + 1}) {
      for (Index place = 0; place < frames.fan_size(fan); ++place, ++link) {
        if (!best.on[link]) continue;
        chosen[links[link]] = 1;
        choices.modifiers.push_back(frames.arc_modifiers[links[link]]);
      }
      choices.begins.push_back(static_cast<Index>(choices.modifiers.size()));
    }
  }
  return total;
}

template <class Weight>
void score_all_parts(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, ScoredParts& parts) {
  lay_out(arcs.candidates, arcs.size, model.families[static_cast<std::size_t>(Kind::TriSibling)] != nullptr,
          parts.frames);
  std::array<bool, KINDS> on;
  for (std::size_t kind = 0; kind < KINDS; ++kind) on[kind] = model.families[kind] != nullptr;
  lay_out(parts.frames, on, parts.extras);
  for (std::size_t kind = 0; kind < KINDS; ++kind) {
    if (!on[kind]) continue;
    const auto name = static_cast<Kind>(kind);
    score_kind(model, words, arcs, name, parts);
    if (kind < FRAME_KINDS)
      add_scores(name, parts.scores, parts.frames);
    else
      parts.extras.scores[kind] = parts.scores;
  }
  if (model.has_globals()) std::get<ModelGlobalScorer<Weight>>(parts.globals).prepare(model, words, arcs.context);
}

template <class Weight>
void score_kind(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, Kind kind,
                ScoredParts& parts) {
  const auto k = static_cast<std::size_t>(kind);
  const Templates& templates = *model.families[k];
  if (k < FRAME_KINDS)
    add_parts(arcs.context, parts.frames, kind, parts.rows);
  else
    add_extras(arcs.context, parts.frames, parts.extras, kind, parts.slots, parts.rows);
  slot_codes(words.attributes, templates, parts.codes[k]);
  parts.scores.assign(parts.rows.count, 0.0F);
  score_parts(parts.codes[k], templates, parts.rows.view(), model.parts, model.instructions, parts.scores);
}

template <class Weight>
void frame_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                      const ScoredParts& parts, const Choices& found, Difference& out, float amount) {
  const Choices gold = choices_of(words.gold_heads);
  std::vector<Code> scratch;
  auto add = [&](const Choices& choices, Index head, float share) {
    visit_parts(arcs.context, head, choices.grandparents[head], choices.of(2 * head), choices.of(2 * head + 1),
                [&](Kind kind, const PartRow& row) { add_part(model, parts, kind, row, share, scratch, out.parts); });
  };
  for (Index head = 0; head < words.size(); ++head) {
    if (gold.grandparents[head] == found.grandparents[head] &&
        std::ranges::equal(gold.of(2 * head), found.of(2 * head)) &&
        std::ranges::equal(gold.of(2 * head + 1), found.of(2 * head + 1)))
      continue;
    add(gold, head, amount);
    add(found, head, -amount);
  }
}

template <class Weight>
void extra_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                      const ScoredParts& parts, std::span<const Index> heads, Difference& out, float amount) {
  if (std::ranges::equal(words.gold_heads, heads)) return;
  std::vector<Code> scratch;
  // Parts that both trees have cancel out.
  for (std::size_t k = FRAME_KINDS; k < KINDS; ++k) {
    const auto kind = static_cast<Kind>(k);
    if (!model.families[k]) continue;
    auto add = [&](std::span<const Index> tree, float share) {
      visit_extras(kind, tree, [&](const ExtraSlots& slots) {
        add_part(model, parts, kind, extra_part(arcs.context, kind, slots), share, scratch, out.parts);
      });
    };
    add(words.gold_heads, amount);
    add(heads, -amount);
  }
}

template <class Weight>
void global_difference(const ParserModel<Weight>& model, const Words& words, ScoredParts& parts,
                       std::span<const Index> heads, Difference& out, float amount) {
  if (!model.has_globals() || std::ranges::equal(words.gold_heads, heads)) return;
  auto& scorer = std::get<ModelGlobalScorer<Weight>>(parts.globals);
  scorer.add_tree(words.gold_heads, amount, out.parts);
  scorer.add_tree(heads, -amount, out.parts);
}

bool has_arcs(const ScoredArcs& arcs, std::span<const Index> heads) {
  std::size_t count = 0;
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc)
    count += heads[arcs.parts.slots[2 * arc + 1]] == arcs.parts.slots[2 * arc];
  return count + 1 == heads.size();
}

void labels_of(const ScoredArcs& arcs, std::span<const Index> heads, std::span<Index> labels) {
  labels[0] = -1;
  for (std::size_t arc = 0; arc < arcs.parts.count; ++arc) {
    const Index head = arcs.parts.slots[2 * arc], modifier = arcs.parts.slots[2 * arc + 1];
    if (heads[modifier] == head) labels[modifier] = arcs.labels[arc];
  }
}

#define HEADLONG_INSTANTIATE(Weight)                                                                              \
  template void extra_difference(const ParserModel<Weight>&, const Words&, const ScoredArcs&, const ScoredParts&, \
                                 std::span<const Index>, Difference&, float);                                     \
  template void global_difference(const ParserModel<Weight>&, const Words&, ScoredParts&, std::span<const Index>, \
                                  Difference&, float);                                                            \
  template void score_all_parts(const ParserModel<Weight>&, const Words&, const ScoredArcs&, ScoredParts&);       \
  template void score_kind(const ParserModel<Weight>&, const Words&, const ScoredArcs&, Kind, ScoredParts&);      \
  template void frame_difference(const ParserModel<Weight>&, const Words&, const ScoredArcs&, const ScoredParts&, \
                                 const Choices&, Difference&, float);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
