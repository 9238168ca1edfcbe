#include "decode/extra_graph.hpp"

#include "graph/automaton.hpp"

namespace headlong {

namespace {

constexpr Index NONE = -1;

class Builder {
 public:
  Builder(const Frames& frames, const Extras& extras, bool projective, Graph& graph,
          std::vector<ExtraVariable>& variables)
      : frames_(frames), extras_(extras), projective_(projective), graph_(graph), variables_(variables) {}

  void run() {
    if (extras_.has(Kind::HeadBigram)) add_bigrams();
    if (extras_.has(Kind::ArbitrarySibling)) add_siblings();
    const bool crossing = extras_.has(Kind::NonProjective) && !projective_;
    if (!crossing && !extras_.has(Kind::Path)) return;
    reachable_ = reachable_words(frames_);
    paths_.assign(reachable_.size(), NONE);
    find_sinks(crossing);
    for (Index sink = 1; sink < frames_.size; ++sink)
      if (sinks_[sink]) add_flow(sink);
    if (crossing) add_crossing();
  }

 private:
  std::size_t pair(Index above, Index word) const { return static_cast<std::size_t>(above) * frames_.size + word; }
  bool reaches(Index above, Index word) const { return reachable_[pair(above, word)] != 0; }

  void link(Index variable, bool negated = false) {
    graph_.link_variables.push_back(variable);
    graph_.link_negated.push_back(negated);
  }
  void finish(FactorType type, std::size_t place) {
    graph_.types.push_back(type);
    graph_.places.push_back(static_cast<Index>(place));
    graph_.link_begins.push_back(static_cast<Index>(graph_.link_variables.size()));
  }
  void finish(Logic kind) {
    finish(FactorType::Logic, graph_.logic.size());
    graph_.logic.push_back({kind});
  }
  Index add_variable(ExtraVariable::Type type, Index one, Index other, Score score) {
    variables_.push_back({type, one, other});
    graph_.scores.push_back(score);
    return graph_.variables() - 1;
  }

  // Scores two variables that are both on. Needs no factor if the score is 0, and a logic factor if it is -inf.
  void add_pair(Index one, Index other, Score score) {
    if (score == 0.0) return;
    link(one);
    link(other);
    if (score == NEGATIVE_INFINITY) return finish(Logic::AtMostOne);
    finish(FactorType::Pair, graph_.pairs.size());
    graph_.pairs.push_back({score});
  }

  void add_bigrams();
  void add_siblings();
  bool spans_unreachable(Index arc) const;
  void find_sinks(bool crossing);
  void add_flow(Index sink);
  void add_crossing();

  const Frames& frames_;
  const Extras& extras_;
  bool projective_;
  Graph& graph_;
  std::vector<ExtraVariable>& variables_;
  std::vector<std::uint8_t> reachable_;  // [size * size]
  std::vector<std::uint8_t> sinks_;      // [size] words that need paths
  std::vector<Index> paths_;             // [size * size] variables
  std::vector<Index> flows_;             // [arcs] variables of the flow to one word
};

// Adds a sequence factor whose states are the candidates of each word: node 1 + arc follows the word that chose the
// arc.
void Builder::add_bigrams() {
  const Index arcs = static_cast<Index>(frames_.arcs()), last = frames_.size - 1;
  if (std::find(frames_.lanes.begin() + 1, frames_.lanes.end(), 0) != frames_.lanes.end()) return;  // there is no tree
  const std::vector<float>& scores = extras_.of(Kind::HeadBigram);
  if (scores.empty()) return;
  std::vector<AutomatonEdge> edges;
  for (Index arc = 0; arc < frames_.arc_begins[2]; ++arc) edges.push_back({0, 1 + arc, arc, 0.0});
  for (Index arc = frames_.arc_begins[2]; arc < arcs; ++arc) {
    const Index word = frames_.arc_modifiers[arc];
    for (Index before = frames_.arc_begins[word - 1]; before < frames_.arc_begins[word]; ++before)
      edges.push_back({1 + before, 1 + arc, arc, scores[bigram_place(frames_, extras_, arc, before)]});
  }
  for (Index arc = frames_.arc_begins[last]; arc < arcs; ++arc) edges.push_back({1 + arc, 1 + arcs, NO_LINK, 0.0});
  for (Index arc = 0; arc < arcs; ++arc) link(arc);
  finish(FactorType::Structured, graph_.structured.size());
  graph_.structured.push_back(std::make_shared<Automaton>(arcs, std::move(edges)));
}

void Builder::add_siblings() {
  const float* next = extras_.of(Kind::ArbitrarySibling).data();
  for (Index head = 1; head < frames_.size; ++head)
    for (Index later = extras_.head_begins[head]; later < extras_.head_begins[head + 1]; ++later)
      for (Index earlier = extras_.head_begins[head]; earlier < later; ++earlier)
        add_pair(extras_.head_arcs[earlier], extras_.head_arcs[later], *next++);
}

// Returns whether an arc spans a word that no path from its head reaches. Such an arc is non-projective in every tree.
bool Builder::spans_unreachable(Index arc) const {
  const auto [left, right] = std::minmax(frames_.arc_heads[arc], frames_.arc_modifiers[arc]);
  for (Index word = left + 1; word < right; ++word)
    if (!reaches(frames_.arc_heads[arc], word)) return true;
  return false;
}

void Builder::find_sinks(bool crossing) {
  sinks_.assign(frames_.size, extras_.has(Kind::Path));
  for (Index arc = 0; arc < static_cast<Index>(frames_.arcs()) && crossing; ++arc) {
    const Index place = extras_.crossing_places[arc];
    if (place < 0 || extras_.of(Kind::NonProjective)[place] == 0.0F || spans_unreachable(arc)) continue;
    const auto [left, right] = std::minmax(frames_.arc_heads[arc], frames_.arc_modifiers[arc]);
    std::fill(sinks_.begin() + left + 1, sinks_.begin() + right, 1);
  }
}

// Adds the flow from the root to one word, and the paths to it.
void Builder::add_flow(Index sink) {
  for (Index word = 1; word < frames_.size; ++word) {
    if (word == sink || !reaches(word, sink)) continue;
    const bool scored = extras_.has(Kind::Path);
    const Score score = scored ? extras_.of(Kind::Path)[extras_.path_places[pair(word, sink)]] : 0.0F;
    paths_[pair(word, sink)] = add_variable(ExtraVariable::Type::Path, word, sink, score);
  }
  flows_.assign(frames_.arcs(), NONE);
  for (Index arc = 0; arc < static_cast<Index>(frames_.arcs()); ++arc) {
    const Index head = frames_.arc_heads[arc], modifier = frames_.arc_modifiers[arc];
    if (modifier == sink) flows_[arc] = arc;
    if (modifier == sink || head == sink || !reaches(modifier, sink)) continue;
    flows_[arc] = add_variable(ExtraVariable::Type::Flow, arc, sink, 0.0);
    link(flows_[arc], true);
    link(arc);
    finish(Logic::Or);
  }
  for (Index word = 0; word < frames_.size; ++word) {
    if (word == sink || !reaches(word, sink)) continue;
    for (Index place = extras_.head_begins[word]; place < extras_.head_begins[word + 1]; ++place)
      if (flows_[extras_.head_arcs[place]] != NONE) link(flows_[extras_.head_arcs[place]]);
    if (word > 0) link(paths_[pair(word, sink)], true);
    finish(Logic::Xor);
    if (word == 0) continue;
    for (Index arc = frames_.arc_begins[word]; arc < frames_.arc_begins[word + 1]; ++arc)
      if (flows_[arc] != NONE) link(flows_[arc]);
    link(paths_[pair(word, sink)], true);
    finish(Logic::Xor);
  }
}

void Builder::add_crossing() {
  for (Index arc = 0; arc < static_cast<Index>(frames_.arcs()); ++arc) {
    const Index place = extras_.crossing_places[arc];
    const Score score = place < 0 ? 0.0F : extras_.of(Kind::NonProjective)[place];
    if (score == 0.0) continue;
    if (spans_unreachable(arc)) {
      graph_.scores[arc] += score;
      continue;
    }
    const Index head = frames_.arc_heads[arc], crossing = add_variable(ExtraVariable::Type::Crossing, arc, 0, 0.0);
    const auto [left, right] = std::minmax(head, frames_.arc_modifiers[arc]);
    for (Index word = left + 1; word < right; ++word) link(paths_[pair(head, word)], true);
    link(crossing);
    finish(Logic::OrOut);
    add_pair(arc, crossing, score);
  }
}

}  // namespace

void add_extra_factors(const Problem& problem, Graph& graph, std::vector<ExtraVariable>& variables) {
  variables.clear();
  Builder(*problem.frames, *problem.extras, problem.rules.projective, graph, variables).run();
}

void extra_assignment(const Frames& frames, std::span<const ExtraVariable> variables, std::span<const Index> heads,
                      std::span<std::uint8_t> assignment) {
  assignment_of(frames, heads, assignment);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto [type, one, other] = variables[i];
    std::uint8_t& on = assignment[frames.arcs() + i];
    if (type == ExtraVariable::Type::Path)
      on = is_above(heads, one, other);
    else if (type == ExtraVariable::Type::Flow)
      on = heads[frames.arc_modifiers[one]] == frames.arc_heads[one] &&
           is_above(heads, frames.arc_modifiers[one], other);
    else
      on = is_crossing(heads, frames.arc_heads[one], frames.arc_modifiers[one]);
  }
}

}  // namespace headlong
