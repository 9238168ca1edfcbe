#include "decode/greedy.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "trees/rules.hpp"

namespace headlong {

namespace {

constexpr double TIE = 1e-8;  // relative to the scale of the scores

// Greedy inference for one sentence. Functions that take a tree expect one of the beam.
struct Search {
  const Problem& problem;
  const DecodeOptions& options;
  GreedyWorkspace& workspace;
  const Frames& frames = *problem.frames;
  std::span<const Score> arc_scores = problem.arc_scores;
  RootRule root = problem.rules.root;
  bool projective = problem.rules.projective;
  bool predicts = options.method == Method::GreedyPP;  // algorithm 2 instead of 1

  std::size_t arcs() const { return frames.arcs(); }
  // Returns the candidate from `head` to `modifier` if it is open, or -1.
  Index open_arc(const PartialTree& tree, Index head, Index modifier) const {
    const Index arc = find_arc(frames, head, modifier);
    return arc >= 0 && tree.states[arc] == ArcState::Open ? arc : -1;
  }
  double chance(Index arc) const { return workspace.loss_chances.present[arc]; }
  // Returns the value that is lost together with an open arc.
  Score worth(const PartialTree& tree, Index arc) const {
    return chance(arc) * (tree.losses.fan[arc] + tree.losses.lane[arc]);
  }
  // Returns the sum over the parts that need both `lane_arc`, a lane of the head of `arc`, and `arc` itself.
  Score both(const std::vector<Score>& table, Index lane_arc, Index arc) const {
    const Index head = frames.arc_heads[arc];
    return table[frames.grand_begins[fan_of(head, frames.arc_modifiers[arc])] +
                 static_cast<std::size_t>(frames.places[arc] - 1) * frames.strides[head] +
                 (lane_arc - frames.arc_begins[head])];
  }
  bool is_only_root(Index arc) const { return root == RootRule::Single && frames.arc_heads[arc] == 0; }

  // Calls visit(arc) for all open arcs into a word.
  template <class Visit>
  void for_arcs_into(const PartialTree& tree, Index word, Visit visit) const {
    for (Index arc = frames.arc_begins[word]; arc < frames.arc_begins[word + 1]; ++arc)
      if (tree.states[arc] == ArcState::Open) visit(arc);
  }
  template <class Visit>
  void for_root_arcs(const PartialTree& tree, Visit visit) const {
    for (Index arc : frames.fan(1))
      if (tree.states[arc] == ArcState::Open) visit(arc);
  }

  // Returns the sum of the parts that choosing an arc would lose, each counted once. No part needs two lost arcs,
  // except parts whose lane and modifier are both lost, and parts of the root.
  Score loss_of(const PartialTree& tree, Index arc) const {
    const Index head = frames.arc_heads[arc], word = frames.arc_modifiers[arc];
    const PartSums& sums = tree.losses;
    Score loss = 0.0;
    for_arcs_into(tree, word, [&](Index other) {
      if (other != arc) loss += worth(tree, other);
    });
    if (is_only_root(arc)) {
      loss += sums.root - sums.alone[arc];
      for_root_arcs(tree, [&](Index other) {
        if (other == arc) return;
        loss += chance(other) * sums.lane[other];
        const Index below = open_arc(tree, frames.arc_modifiers[other], word);
        if (below >= 0) loss -= chance(other) * chance(below) * both(sums.both, other, below);
      });
      return loss;
    }
    loss += sums.blocked[arc];
    const Index top = tree.tops[head];
    if (top == 0) return loss;
    const Index back = open_arc(tree, word, top), other_way = top == head ? -1 : open_arc(tree, top, word);
    for_arcs_into(tree, top, [&](Index other) {
      if (tree.tops[frames.arc_heads[other]] != word) return;
      loss += worth(tree, other);
      if (other_way >= 0) loss -= chance(other) * chance(other_way) * both(sums.both, other, other_way);
      if (top == head) loss -= chance(other) * both(sums.blocked_both, other, arc);
    });
    if (back >= 0)
      for_arcs_into(tree, word, [&](Index other) {
        if (other != arc) loss -= chance(other) * chance(back) * both(sums.both, other, back);
      });
    return loss;
  }

  Score value_of(const PartialTree& tree, Index arc) const {
    const PartSums& sums = predicts ? tree.losses : tree.gains;
    const Score gain = sums.fan[arc] + sums.lane[arc], loss = loss_of(tree, arc);
    return predicts ? options.beta * loss - (1.0 - options.beta) * gain : loss - gain;
  }

  void set_chances() const {
    auto& [present, absent] = workspace.loss_chances;
    if (!predicts) {
      present.assign(arcs(), 1.0);
      absent.assign(arcs(), 1.0);
      workspace.gain_chances.present.assign(arcs(), 0.0);
      workspace.gain_chances.absent.assign(arcs(), 1.0);
      return;
    }
    present.resize(arcs());
    absent.resize(arcs());
    for (Index word = 1; word < frames.size; ++word) {
      const Index begin = frames.arc_begins[word], end = frames.arc_begins[word + 1];
      Score best = NEGATIVE_INFINITY;
      for (Index arc = begin; arc < end; ++arc) best = std::max(best, arc_scores[arc]);
      double sum = 0.0;
      for (Index arc = begin; arc < end; ++arc)
        sum += present[arc] =
            arc_scores[arc] > NEGATIVE_INFINITY ? std::exp(options.alpha * (arc_scores[arc] - best)) : 0.0;
      for (Index arc = begin; arc < end; ++arc) {
        present[arc] /= sum;
        absent[arc] = 1.0 - present[arc];
      }
    }
  }

  void refresh(PartialTree& tree) const {
    for (Index head = 0; head < frames.size; ++head) {
      if (!workspace.changed[head]) continue;
      workspace.changed[head] = 0;
      auto sum = [&](const Chances& chances, PartSums& sums) {
        sum_parts(problem, options.absence, workspace.weights, chances, tree.states, head, workspace.scratch, sums);
      };
      sum(workspace.loss_chances, tree.losses);
      if (!predicts) sum(workspace.gain_chances, tree.gains);
    }
  }

  void start(PartialTree& tree) const {
    tree.states.assign(arcs(), ArcState::Open);
    tree.passed.assign(arcs(), 0);
    for (std::size_t arc = 0; arc < arcs(); ++arc)
      if (arc_scores[arc] == NEGATIVE_INFINITY) tree.states[arc] = ArcState::Lost;
    tree.heads.assign(frames.size, NO_HEAD);
    tree.tops.resize(frames.size);
    for (Index word = 0; word < frames.size; ++word) tree.tops[word] = word;
    tree.losses.lay_out(frames);
    if (!predicts) tree.gains.lay_out(frames);
    tree.value = 0.0;
    tree.signature = 0;
    workspace.changed.assign(frames.size, 1);
    refresh(tree);
    tree.witness.resize(frames.size);
    complete(tree, -1, tree.witness);
  }

  // Writes the best tree by arc scores with all chosen arcs and one more (-1: none). Returns false if there is none.
  bool complete(const PartialTree& tree, Index arc, std::span<Index> heads) const {
    const std::size_t size = frames.size;
    workspace.dense.assign(size * size, NEGATIVE_INFINITY);
    for (std::size_t other = 0; other < arcs(); ++other)
      if (tree.states[other] != ArcState::Lost)
        workspace.dense[frames.arc_heads[other] * size + frames.arc_modifiers[other]] = arc_scores[other];
    if (arc >= 0)
      for_arcs_into(tree, frames.arc_modifiers[arc], [&](Index other) {
        if (other != arc)
          workspace.dense[frames.arc_heads[other] * size + frames.arc_modifiers[other]] = NEGATIVE_INFINITY;
      });
    const Score value = projective ? eisner(workspace.dense, frames.size, root, heads, workspace.eisner)
                                   : maximum_spanning_tree(workspace.dense, frames.size, root, heads, workspace.mst);
    return value > NEGATIVE_INFINITY;
  }

  // Returns whether the tree can be completed with an arc. If so, workspace.heads is such a tree.
  bool is_possible(const PartialTree& tree, Index arc) const {
    workspace.heads.resize(frames.size);
    if (tree.witness[frames.arc_modifiers[arc]] != frames.arc_heads[arc]) return complete(tree, arc, workspace.heads);
    std::ranges::copy(tree.witness, workspace.heads.begin());
    return true;
  }

  static std::uint64_t signature(Index arc) {
    std::uint64_t bits = (static_cast<std::uint64_t>(arc) + 1) * 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return bits ^ (bits >> 27);
  }

  void lose(PartialTree& tree, Index arc) const {
    tree.states[arc] = ArcState::Lost;
    workspace.changed[frames.arc_heads[arc]] = workspace.changed[frames.arc_modifiers[arc]] = 1;
  }

  // Adds an arc. workspace.heads must be a completion of the tree with it.
  void choose(PartialTree& tree, Index arc, Score value) const {
    const Index head = frames.arc_heads[arc], word = frames.arc_modifiers[arc], top = tree.tops[head];
    tree.states[arc] = ArcState::Chosen;
    tree.heads[word] = head;
    tree.value = value;
    tree.signature += signature(arc);
    std::ranges::copy(workspace.heads, tree.witness.begin());
    std::ranges::replace(tree.tops, word, top);
    workspace.changed[head] = workspace.changed[word] = 1;
    for_arcs_into(tree, word, [&](Index other) { lose(tree, other); });
    for_arcs_into(tree, top, [&](Index other) {
      if (tree.tops[frames.arc_heads[other]] == top) lose(tree, other);
    });
    if (is_only_root(arc)) for_root_arcs(tree, [&](Index other) { lose(tree, other); });
    if (projective) lose_crossing(tree, std::min(head, word), std::max(head, word));
    refresh(tree);
  }

  void lose_crossing(PartialTree& tree, Index left, Index right) const {
    for (std::size_t arc = 0; arc < arcs(); ++arc) {
      const auto [from, to] = std::minmax(frames.arc_heads[arc], frames.arc_modifiers[arc]);
      const bool crosses = (from < left && left < to && to < right) || (left < from && from < right && right < to);
      if (crosses && tree.states[arc] == ArcState::Open) lose(tree, static_cast<Index>(arc));
    }
  }

  // Returns the next choice: the first among the lowest values. -1 if none is left.
  Index next_choice() const {
    const auto& choices = workspace.choices;
    const auto lowest = std::ranges::min_element(choices, {}, &GreedyChoice::value);
    if (lowest == choices.end() || lowest->value == -NEGATIVE_INFINITY) return -1;
    const Score limit = lowest->value + TIE * workspace.weights.scale;
    const auto found = std::ranges::find_if(choices, [&](const GreedyChoice& one) { return one.value <= limit; });
    return static_cast<Index>(found - choices.begin());
  }

  // Lists all choices of the first `size` trees of the beam.
  void list_choices(Index size) const {
    workspace.choices.clear();
    for (Index i = 0; i < size; ++i) {
      const PartialTree& tree = workspace.beam[i];
      for (Index arc = 0; arc < static_cast<Index>(arcs()); ++arc)
        if (tree.states[arc] == ArcState::Open && !tree.passed[arc])
          workspace.choices.push_back({tree.value + value_of(tree, arc), i, arc});
    }
  }

  bool run(std::span<Index> heads) const {
    weigh(problem, workspace.weights);
    set_chances();
    workspace.beam.resize(std::max<std::size_t>(workspace.beam.size(), options.beam));
    workspace.next.resize(workspace.beam.size());
    start(workspace.beam[0]);
    Index size = 1;
    bool in_time = true;
    for (Index round = 1; round < frames.size && in_time; ++round) {
      size = advance_beam(size);
      in_time = !out_of_time();
    }
    finish(size, heads);
    return in_time;
  }

  // Adds one arc to the trees of the beam. Returns the new number of trees.
  Index advance_beam(Index size) const {
    list_choices(size);
    Index count = 0;
    for (Index place; count < options.beam && (place = next_choice()) >= 0;) {
      const GreedyChoice choice = workspace.choices[place];
      workspace.choices[place].value = -NEGATIVE_INFINITY;
      PartialTree& parent = workspace.beam[choice.tree];
      const std::uint64_t found = parent.signature + signature(choice.arc);
      if (std::any_of(workspace.next.begin(), workspace.next.begin() + count,
                      [&](const PartialTree& other) { return other.signature == found; }))
        continue;
      if (!is_possible(parent, choice.arc)) {
        parent.passed[choice.arc] = 1;
        continue;
      }
      PartialTree& child = workspace.next[count++];
      if (options.beam == 1)
        std::swap(child, parent);
      else
        child = parent;
      choose(child, choice.arc, choice.value);
    }
    std::swap(workspace.beam, workspace.next);
    return count;
  }

  // Writes the best tree of the beam. Unfinished trees are completed by arc scores.
  void finish(Index size, std::span<Index> heads) const {
    Score best = NEGATIVE_INFINITY;
    std::ranges::copy(workspace.beam[0].witness, heads.begin());
    for (Index tree = 0; tree < size && size > 1; ++tree) {
      const auto& found = workspace.beam[tree].witness;
      const Score value = tree_value(problem, found, workspace.climb);
      if (!(value > best)) continue;
      best = value;
      std::ranges::copy(found, heads.begin());
    }
  }
};

// Runs greedy inference without a guide.
bool search_and_swap(const Problem& problem, const DecodeOptions& options, std::span<Index> heads,
                     GreedyWorkspace& workspace) {
  const bool in_time = Search{problem, options, workspace}.run(heads);
  if (in_time) swap_arcs(problem, options.swaps, heads, workspace);
  return in_time;
}

// Returns whether the guide is a tree of candidates within the rules.
bool is_possible_guide(const Problem& problem, std::vector<Index>& mark) {
  for (Index word = 1; word < problem.size(); ++word)
    if (find_arc(*problem.frames, problem.guide[word], word) < 0) return false;
  mark.resize(problem.size());
  return keeps_rules(problem.guide, problem.rules.root, problem.rules.projective, mark);
}

}  // namespace

bool greedy_tree(const Problem& problem, const DecodeOptions& options, std::span<Index> heads,
                 GreedyWorkspace& workspace) {
  if (problem.guide.empty()) return search_and_swap(problem, options, heads, workspace);
  bias_to_guide(problem, {options.gamma1, options.gamma2, options.gamma3}, workspace.frames, workspace.arc_scores);
  Problem biased = problem;
  biased.frames = &workspace.frames;
  biased.arc_scores = workspace.arc_scores;
  const bool in_time = search_and_swap(biased, options, heads, workspace);
  if (!is_possible_guide(problem, workspace.mark)) return in_time;
  std::vector<Index>& other = workspace.heads;
  other.assign(problem.guide.begin(), problem.guide.end());
  other[0] = NO_HEAD;
  if (in_time) swap_arcs(biased, options.swaps, other, workspace);
  if (tree_value(biased, other, workspace.climb) > tree_value(biased, heads, workspace.climb))
    std::ranges::copy(other, heads.begin());
  return in_time;
}

}  // namespace headlong
