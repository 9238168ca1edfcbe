#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "decode/greedy.hpp"

namespace headlong {

namespace {

// A word takes another head. If the head is below the word, the first word on the path to it takes the old head.
struct Swap {
  Index word, head;
  Index other = NO_HEAD;  // the first word on that path
};

struct Swapping {
  const Problem& problem;
  std::span<Index> heads;
  GreedyWorkspace& workspace;
  const Frames& frames = *problem.frames;

  // Returns the value of a head in the tree, including the arc into it. O(candidates of the head).
  Score value_of(Index head) const {
    const Index into = head == 0 ? -1 : find_arc(frames, heads[head], head);
    const Index lane = head == 0 ? 0 : into - frames.arc_begins[head];
    Score sum = head == 0 ? 0.0 : problem.arc_scores[into];
    for (Index fan : {2 * head, 2 * head + 1}) {
      workspace.places.clear();
      for (Index arc : frames.fan(fan))
        if (heads[frames.arc_modifiers[arc]] == head) workspace.places.push_back(frames.places[arc]);
      sum += fan_value(frames, fan, lane, workspace.places);
    }
    return sum;
  }
  Score extras_now() const { return problem.extras ? extras_value(frames, *problem.extras, heads) : 0.0; }

  // Applies a swap. Returns the swap that undoes it.
  Swap apply(const Swap& swap) const {
    const Index old = heads[swap.word];
    if (swap.other != NO_HEAD) heads[swap.other] = heads[swap.other] == swap.word ? old : swap.word;
    heads[swap.word] = swap.head;
    return {swap.word, old, swap.other};
  }

  // Finds the swap that gives a word a head. Returns false if it would violate the candidates or the root rule.
  bool find(Index word, Index head, Swap& swap) const {
    const Index old = heads[word];
    swap = {word, head};
    if (is_above(heads, word, head)) {
      Index below = head;
      while (heads[below] != word) below = heads[below];
      if (find_arc(frames, old, below) < 0) return false;
      swap.other = below;
      return true;
    }
    return problem.rules.root == RootRule::Multi || (head != 0 && old != 0);
  }

  bool is_projective() const {
    for (Index word = 1; word < frames.size; ++word)
      if (is_crossing(heads, heads[word], word)) return false;
    return true;
  }

  // Returns the gain of a swap.
  Score gain(const Swap& swap, Score extras_before) const {
    std::array<Index, 4> touched = {heads[swap.word], swap.head, swap.word, swap.other};
    auto end = touched.begin() + (swap.other == NO_HEAD ? 3 : 4);
    std::sort(touched.begin(), end);
    end = std::unique(touched.begin(), end);
    Score before = extras_before, after = 0.0;
    for (auto head = touched.begin(); head != end; ++head) before += workspace.values[*head];
    const Swap back = apply(swap);
    for (auto head = touched.begin(); head != end; ++head) after += value_of(*head);
    if (after > NEGATIVE_INFINITY) after += extras_now();
    apply(back);
    if (after == NEGATIVE_INFINITY) return after;
    return before == NEGATIVE_INFINITY ? -before : after - before;
  }

  bool is_allowed(const Swap& swap) const {
    if (!problem.rules.projective) return true;
    const Swap back = apply(swap);
    const bool allowed = is_projective();
    apply(back);
    return allowed;
  }

  // Applies the best swap, or the first of several equally good ones. Returns false if none gains.
  bool improve() const {
    workspace.values.resize(frames.size);
    const Score extras_before = extras_now();
    Score total = extras_before;
    for (Index head = 0; head < frames.size; ++head) total += workspace.values[head] = value_of(head);
    // Gains that could be rounding errors do not count.
    const Score least = 1e-9 * (1.0 + (total > NEGATIVE_INFINITY ? std::abs(total) : 0.0));
    Score best = 0.0;
    Swap chosen{NO_HEAD, NO_HEAD}, swap{};
    WorkCounter work;
    for (Index arc = 0; arc < static_cast<Index>(frames.arcs()); ++arc) {
      const Index head = frames.arc_heads[arc], word = frames.arc_modifiers[arc];
      work.add(500 + 10 * static_cast<std::size_t>(frames.size));
      if (heads[word] == head || !find(word, head, swap)) continue;
      const Score found = gain(swap, extras_before);
      if (found <= best + least || !is_allowed(swap)) continue;
      best = found;
      chosen = swap;
    }
    if (chosen.word == NO_HEAD) return false;
    apply(chosen);
    return true;
  }
};

}  // namespace

void swap_arcs(const Problem& problem, Index count, std::span<Index> heads, GreedyWorkspace& workspace) {
  const Swapping swapping{problem, heads, workspace};
  while (count-- > 0 && !out_of_time() && swapping.improve());
}

}  // namespace headlong
