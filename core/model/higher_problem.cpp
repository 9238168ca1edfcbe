#include "model/higher_problem.hpp"

#include <algorithm>

#include "decode/head_automaton.hpp"

namespace headlong {

namespace {

// Adds `amount` times the features of one part.
template <class Weight>
void add_part(const ParserModel<Weight>& model, const HigherProblem& higher, Kind kind, const PartRow& row,
              float amount, std::vector<Code>& scratch, SparseVector& out) {
  const auto k = static_cast<std::size_t>(kind);
  if (model.higher[k])
    add_features(higher.codes[k], *model.higher[k], row.slots.data(), row.relations.data(), model.parts.shift(), 1, 0,
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

Score choose_freely(const ArcProblem& arcs, const Frames& frames, Choices& choices, std::span<std::uint8_t> chosen) {
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
    scores.assign(links.size(), 0.0);  // of the lanes: arcs count where they lead to modifiers
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
void build_higher(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs, HigherProblem& higher) {
  lay_out(arcs.candidates, arcs.size, model.higher[static_cast<std::size_t>(Kind::TriSibling)] != nullptr,
          higher.frames);
  std::array<bool, KINDS> on;
  for (std::size_t kind = 0; kind < KINDS; ++kind) on[kind] = model.higher[kind] != nullptr;
  lay_out(higher.frames, on, higher.extras);
  for (std::size_t kind = 0; kind < KINDS; ++kind) {
    if (!on[kind]) continue;
    const auto name = static_cast<Kind>(kind);
    score_kind(model, words, arcs, name, higher);
    if (kind < FRAME_KINDS)
      add_scores(name, higher.scores, higher.frames);
    else
      higher.extras.scores[kind] = higher.scores;
  }
  if (model.has_globals()) std::get<ModelGlobalScorer<Weight>>(higher.globals).prepare(model, words, arcs.context);
}

template <class Weight>
void score_kind(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs, Kind kind,
                HigherProblem& higher) {
  const auto k = static_cast<std::size_t>(kind);
  const Templates& templates = *model.higher[k];
  if (k < FRAME_KINDS)
    add_parts(arcs.context, higher.frames, kind, higher.parts);
  else
    add_extras(arcs.context, higher.frames, higher.extras, kind, higher.slots, higher.parts);
  slot_codes(words.attributes, templates, higher.codes[k]);
  higher.scores.assign(higher.parts.count, 0.0F);
  score_parts(higher.codes[k], templates, higher.parts.view(), model.parts, model.instructions, higher.scores);
}

template <class Weight>
void higher_difference(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs,
                       const HigherProblem& higher, const Choices& found, Difference& out, float amount) {
  const Choices gold = choices_of(words.gold_heads);
  std::vector<Code> scratch;
  auto add = [&](const Choices& choices, Index head, float share) {
    visit_parts(arcs.context, head, choices.grandparents[head], choices.of(2 * head), choices.of(2 * head + 1),
                [&](Kind kind, const PartRow& row) { add_part(model, higher, kind, row, share, scratch, out.parts); });
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
void extra_difference(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs,
                      const HigherProblem& higher, std::span<const Index> heads, Difference& out, float amount) {
  if (std::ranges::equal(words.gold_heads, heads)) return;
  std::vector<Code> scratch;
  // What both trees have cancels out.
  for (std::size_t k = FRAME_KINDS; k < KINDS; ++k) {
    const auto kind = static_cast<Kind>(k);
    if (!model.higher[k]) continue;
    auto add = [&](std::span<const Index> tree, float share) {
      visit_extras(kind, tree, [&](const ExtraSlots& slots) {
        add_part(model, higher, kind, extra_part(arcs.context, kind, slots), share, scratch, out.parts);
      });
    };
    add(words.gold_heads, amount);
    add(heads, -amount);
  }
}

template <class Weight>
void global_difference(const ParserModel<Weight>& model, const Words& words, HigherProblem& higher,
                       std::span<const Index> heads, Difference& out, float amount) {
  if (!model.has_globals() || std::ranges::equal(words.gold_heads, heads)) return;
  auto& term = std::get<ModelGlobalScorer<Weight>>(higher.globals);
  term.add_tree(words.gold_heads, amount, out.parts);
  term.add_tree(heads, -amount, out.parts);
}

bool has_arcs(const ArcProblem& arcs, std::span<const Index> heads) {
  std::size_t count = 0;
  for (std::size_t arc = 0; arc < arcs.arcs.count; ++arc)
    count += heads[arcs.arcs.slots[2 * arc + 1]] == arcs.arcs.slots[2 * arc];
  return count + 1 == heads.size();
}

void labels_of(const ArcProblem& arcs, std::span<const Index> heads, std::span<Index> labels) {
  labels[0] = -1;
  for (std::size_t arc = 0; arc < arcs.arcs.count; ++arc) {
    const Index head = arcs.arcs.slots[2 * arc], modifier = arcs.arcs.slots[2 * arc + 1];
    if (heads[modifier] == head) labels[modifier] = arcs.labels[arc];
  }
}

#define HEADLONG_INSTANTIATE(Weight)                                                                                 \
  template void extra_difference(const ParserModel<Weight>&, const Words&, const ArcProblem&, const HigherProblem&,  \
                                 std::span<const Index>, Difference&, float);                                        \
  template void global_difference(const ParserModel<Weight>&, const Words&, HigherProblem&, std::span<const Index>,  \
                                  Difference&, float);                                                               \
  template void build_higher(const ParserModel<Weight>&, const Words&, const ArcProblem&, HigherProblem&);           \
  template void score_kind(const ParserModel<Weight>&, const Words&, const ArcProblem&, Kind, HigherProblem&);       \
  template void higher_difference(const ParserModel<Weight>&, const Words&, const ArcProblem&, const HigherProblem&, \
                                  const Choices&, Difference&, float);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
