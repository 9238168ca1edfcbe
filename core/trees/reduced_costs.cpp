#include "trees/reduced_costs.hpp"

#include <algorithm>
#include <numeric>

#include "base/stop.hpp"

namespace headlong {

namespace {

constexpr Index NONE = -1;

struct Contraction {
  std::span<const Index> heads;
  std::span<Score> weights;
  ReducedCostWorkspace& state;
  Score value = 0.0;
  Index roots = 0;      // root arcs of the best tree, counted under the single-root rule
  Index next_node = 0;  // of the forest of contractions
  WorkCounter work{};

  Index component(Index word) {
    while (state.parents[word] != word) word = state.parents[word] = state.parents[state.parents[word]];
    return word;
  }

  // Makes the best arc into a component cost nothing and drops arcs that are now inside the component. Adds the cost to
  // the value. Returns the component that the arc comes from, or NONE if there is no arc.
  Index enter(Index component_name) {
    Index best = NONE, kept = NONE;
    std::size_t visited = 0;
    for (Index arc = state.first[component_name]; arc != NONE; arc = state.next[arc], ++visited) {
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
    work.add(5 * visited);
    if (best == NONE) return NONE;
    state.next[kept] = NONE;
    state.last[component_name] = kept;
    const Index source = component(heads[best]), key = state.keys[best];
    const Score weight = weights[best];
    state.chosen[state.nodes[component_name]] = best;
    for (Index arc = state.first[component_name]; arc != NONE; arc = state.next[arc]) {
      weights[arc] -= weight;
      state.keys[arc] -= key;
    }
    value += weight;
    roots -= key;
    return source;
  }

  // Merges the cycle of best arcs that ends with the arc from `source` to `target` into `target`.
  void close_cycle(Index target, Index source) {
    const Index node = next_node++;
    state.above[state.nodes[target]] = node;
    for (Index word = source; word != target;) {
      const Index following = component(state.previous[word]);
      state.above[state.nodes[word]] = node;
      state.parents[word] = target;
      state.next[state.last[target]] = state.first[word];
      state.last[target] = state.last[word];
      word = following;
    }
    state.nodes[target] = node;
  }
};

// Contracts cycles until the root reaches every word. Returns false if there is no tree.
//
// Keys count root arcs. Under the single-root rule they are compared before weights, so no large constant has to
// penalize a second root arc. All trees with one root arc have the same sum of keys, so an arc whose key is negative at
// the end is in none of them.
bool contract(std::span<const Index> begins, RootRule rule, Contraction& contraction) {
  ReducedCostWorkspace& workspace = contraction.state;
  const std::span<const Index> heads = contraction.heads;
  const Index size = static_cast<Index>(begins.size()) - 1, arcs = static_cast<Index>(heads.size());
  workspace.keys.resize(arcs);
  workspace.next.resize(arcs);
  workspace.first.assign(size, NONE);
  workspace.last.assign(size, NONE);
  for (auto* names : {&workspace.parents, &workspace.nodes}) {
    names->resize(size);
    std::iota(names->begin(), names->end(), 0);
  }
  workspace.above.assign(2 * static_cast<std::size_t>(size), NONE);
  workspace.chosen.resize(2 * static_cast<std::size_t>(size));
  contraction.next_node = size;
  workspace.previous.assign(size, NONE);
  workspace.settled.assign(size, 0);
  workspace.walks.assign(size, 0);
  for (Index word = 1; word < size; ++word) {
    if (begins[word] == begins[word + 1]) return false;
    workspace.first[word] = begins[word];
    workspace.last[word] = begins[word + 1] - 1;
    for (Index arc = begins[word]; arc < begins[word + 1]; ++arc) {
      workspace.next[arc] = arc + 1 < begins[word + 1] ? arc + 1 : NONE;
      workspace.keys[arc] = rule == RootRule::Single && heads[arc] == 0 ? -1 : 0;
    }
  }
  workspace.settled[0] = 1;
  for (Index start = 1; start < size; ++start) {
    // Walks backward along the best arcs until it reaches a settled component. A cycle on the way becomes one
    // component.
    Index at = contraction.component(start);
    const std::uint32_t walk = static_cast<std::uint32_t>(start);
    while (!workspace.settled[at]) {
      workspace.walks[at] = walk;
      Index source = contraction.enter(at);
      if (source == NONE) return false;
      workspace.previous[at] = source;
      if (!workspace.settled[source] && workspace.walks[source] == walk) {
        contraction.close_cycle(at, source);
        source = at;
      }
      at = source;
    }
    for (Index word = contraction.component(start); !workspace.settled[word];
         word = contraction.component(workspace.previous[word]))
      workspace.settled[word] = 1;
  }
  return contraction.roots <= 1;
}

}  // namespace

Score reduced_costs(std::span<const Index> heads, std::span<const Index> begins, RootRule rule,
                    std::span<Score> weights, ReducedCostWorkspace& workspace) {
  Contraction contraction{.heads = heads, .weights = weights, .state = workspace};
  if (!contract(begins, rule, contraction)) return NEGATIVE_INFINITY;
  for (std::size_t arc = 0; arc < heads.size(); ++arc)
    if (workspace.keys[arc] < 0) weights[arc] = NEGATIVE_INFINITY;
  return contraction.value;
}

Score sparse_spanning_tree(std::span<const Index> heads, std::span<const Index> begins, RootRule rule,
                           std::span<const Score> scores, std::span<Index> tree, ReducedCostWorkspace& workspace) {
  workspace.weights.assign(scores.begin(), scores.end());
  Contraction contraction{.heads = heads, .weights = workspace.weights, .state = workspace};
  if (!contract(begins, rule, contraction)) return NEGATIVE_INFINITY;
  // Expands the cycles from last to first. The arc that enters a node breaks every cycle between the node and the word
  // where it arrives; all other arcs of those cycles stay.
  const Index size = static_cast<Index>(begins.size()) - 1;
  workspace.entered.assign(contraction.next_node, 0);
  tree[0] = NO_HEAD;
  std::vector<Index>& arc_of = workspace.previous;  // [size]
  for (Index node = contraction.next_node - 1; node > 0; --node) {
    if (workspace.entered[node]) continue;
    const Index arc = workspace.chosen[node];
    const Index word = static_cast<Index>(std::upper_bound(begins.begin() + 1, begins.end(), arc) - begins.begin()) - 1;
    tree[word] = heads[arc];
    arc_of[word] = arc;
    for (Index below = word; below != node; below = workspace.above[below]) workspace.entered[below] = 1;
  }
  Score sum = 0.0;
  for (Index word = 1; word < size; ++word) sum += scores[arc_of[word]];
  return sum;
}

}  // namespace headlong
