#include "trees/reduced_costs.hpp"

#include <numeric>

namespace headlong {

namespace {

constexpr Index NONE = -1;

struct Contraction {
  std::span<const Index> heads;
  std::span<Score> weights;
  ReducedCostWorkspace& state;
  Score value = 0.0;
  Index roots = 0;  // root arcs of the best tree, counted under the single-root rule

  Index component(Index word) {
    while (state.parents[word] != word) word = state.parents[word] = state.parents[state.parents[word]];
    return word;
  }

  // Makes the best arc into a component cost nothing and drops arcs that are now inside the component. Adds the cost to
  // the value. Returns the component that the arc comes from, or NONE if there is no arc.
  Index enter(Index component_name) {
    Index best = NONE, kept = NONE;
    for (Index arc = state.first[component_name]; arc != NONE; arc = state.next[arc]) {
      if (component(heads[arc]) == component_name) continue;
      if (kept == NONE)
        state.first[component_name] = arc;
      else
        state.next[kept] = arc;
      kept = arc;
      if (best == NONE || state.keys[arc] > state.keys[best] ||
          (state.keys[arc] == state.keys[best] && weights[arc] > weights[best]))
        best = arc;
    }
    if (best == NONE) return NONE;
    state.next[kept] = NONE;
    state.last[component_name] = kept;
    const Index source = component(heads[best]), key = state.keys[best];
    const Score weight = weights[best];
    for (Index arc = state.first[component_name]; arc != NONE; arc = state.next[arc]) {
      weights[arc] -= weight;
      state.keys[arc] -= key;
    }
    value += weight;
    roots -= key;
    return source;
  }

  void merge(Index target, Index other) {
    state.parents[other] = target;
    state.next[state.last[target]] = state.first[other];
    state.last[target] = state.last[other];
  }
};

}  // namespace

// Keys count root arcs. Under the single-root rule they are compared before weights, so no large constant has to
// penalize a second root arc. All trees with one root arc have the same sum of keys, so an arc whose key is negative at
// the end is in none of them.
Score reduced_costs(std::span<const Index> heads, std::span<const Index> begins, RootRule rule,
                    std::span<Score> weights, ReducedCostWorkspace& workspace) {
  const Index size = static_cast<Index>(begins.size()) - 1, arcs = static_cast<Index>(heads.size());
  workspace.keys.resize(arcs);
  workspace.next.resize(arcs);
  workspace.first.assign(size, NONE);
  workspace.last.assign(size, NONE);
  workspace.parents.resize(size);
  std::iota(workspace.parents.begin(), workspace.parents.end(), 0);
  workspace.previous.assign(size, NONE);
  workspace.settled.assign(size, 0);
  workspace.walks.assign(size, 0);
  for (Index word = 1; word < size; ++word) {
    if (begins[word] == begins[word + 1]) return NEGATIVE_INFINITY;
    workspace.first[word] = begins[word];
    workspace.last[word] = begins[word + 1] - 1;
    for (Index arc = begins[word]; arc < begins[word + 1]; ++arc) {
      workspace.next[arc] = arc + 1 < begins[word + 1] ? arc + 1 : NONE;
      workspace.keys[arc] = rule == RootRule::Single && heads[arc] == 0 ? -1 : 0;
    }
  }
  Contraction contraction{.heads = heads, .weights = weights, .state = workspace};
  workspace.settled[0] = 1;
  for (Index start = 1; start < size; ++start) {
    // Walks backward along the best arcs until it reaches a settled component. A cycle on the way becomes one
    // component.
    Index at = contraction.component(start);
    const std::uint32_t walk = static_cast<std::uint32_t>(start);
    while (!workspace.settled[at]) {
      workspace.walks[at] = walk;
      Index source = contraction.enter(at);
      if (source == NONE) return NEGATIVE_INFINITY;
      workspace.previous[at] = source;
      if (!workspace.settled[source] && workspace.walks[source] == walk) {
        for (Index word = source; word != at;) {
          const Index following = contraction.component(workspace.previous[word]);
          contraction.merge(at, word);
          word = following;
        }
        source = at;
      }
      at = source;
    }
    for (Index word = contraction.component(start); !workspace.settled[word];
         word = contraction.component(workspace.previous[word]))
      workspace.settled[word] = 1;
  }
  if (contraction.roots > 1) return NEGATIVE_INFINITY;
  for (Index arc = 0; arc < arcs; ++arc)
    if (workspace.keys[arc] < 0) weights[arc] = NEGATIVE_INFINITY;
  return contraction.value;
}

}  // namespace headlong
