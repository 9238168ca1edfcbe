// Chu-Liu/Edmonds on a dense graph in O(n^2): grows one path backward along the best entering arcs and contracts each
// cycle as soon as it closes (Tarjan 1977, "Finding optimum branchings"; Gabow et al. 1986).
//
// A step scans one column, O(n), and settles a word, extends the path or contracts a cycle, so there are O(n) steps.
// Contracting k slots costs O(k n) and removes k - 1 slots. The total is O(n^2).
#include "trees/mst.hpp"

#include <algorithm>
#include <cassert>

#include "base/stop.hpp"

namespace headlong {
namespace {

bool operator<(const KeyedScore& a, const KeyedScore& b) { return a.key != b.key ? a.key < b.key : a.score < b.score; }
KeyedScore operator-(const KeyedScore& a, const KeyedScore& b) { return {a.key - b.key, a.score - b.score}; }

enum Status : std::uint8_t { NotSeen, OnPath, Settled };

// The part of the workspace for one type of weight.
template <class Weight>
struct Contraction {
  std::size_t size;
  std::span<Weight> weights;  // [modifier * size + head]
  std::span<Weight> chosen;
  MstWorkspace& memory;
};

// Returns the slot with the heaviest arc into `modifier`, the first one among equals.
template <class Weight>
Index best_entering(const Contraction<Weight>& graph, Index modifier) {
  const Weight* row = &graph.weights[modifier * graph.size];
  Index best = NO_HEAD;
  for (const Index head : graph.memory.alive) {
    if (head == modifier) continue;
    if (best == NO_HEAD || row[best] < row[head]) best = head;
  }
  return best;
}

// Merges the slots of a cycle (the path from position `first` to its end) into the first of them. An arc that enters
// the cycle at v replaces the arc chosen for v, so its weight becomes the difference.
template <class Weight>
void contract(const Contraction<Weight>& graph, std::size_t first, Index new_node) {
  MstWorkspace& memory = graph.memory;
  const std::size_t size = graph.size;
  const std::span<const Index> cycle = std::span(memory.path).subspan(first);
  const Index merged = cycle[0];
  for (const Index slot : cycle) memory.parent[memory.node[slot]] = new_node;
  for (const Index slot : cycle.subspan(1)) memory.node[slot] = NO_HEAD;
  std::erase_if(memory.alive, [&](Index slot) { return memory.node[slot] == NO_HEAD; });
  memory.node[merged] = new_node;

  Weight* into = &graph.weights[merged * size];
  std::uint32_t* into_arcs = &memory.arcs[merged * size];
  for (const Index head : memory.alive) into[head] = into[head] - graph.chosen[merged];
  for (const Index slot : cycle.subspan(1)) {
    const Weight* from = &graph.weights[slot * size];
    const std::uint32_t* from_arcs = &memory.arcs[slot * size];
    const Weight chosen = graph.chosen[slot];
    for (const Index head : memory.alive) {
      const Weight weight = from[head] - chosen;
      if (into[head] < weight) {
        into[head] = weight;
        into_arcs[head] = from_arcs[head];
      }
    }
  }
  for (const Index modifier : memory.alive) {
    if (memory.status[modifier] == Settled || modifier == merged) continue;
    Weight* row = &graph.weights[modifier * size];
    std::uint32_t* row_arcs = &memory.arcs[modifier * size];
    for (const Index slot : cycle.subspan(1)) {
      if (row[merged] < row[slot]) {
        row[merged] = row[slot];
        row_arcs[merged] = row_arcs[slot];
      }
    }
  }
}

// Expands the contracted nodes from last to first. The arc that enters a node breaks every cycle between the node and
// the word where the arc arrives. All other arcs of those cycles stay.
void expand(MstWorkspace& memory, std::size_t size, std::size_t nodes, std::span<Index> heads) {
  for (std::size_t node = nodes; node-- > 1;) {
    if (memory.broken[node]) continue;
    const std::uint32_t arc = memory.enter[node];
    const Index modifier = static_cast<Index>(arc % size);
    heads[modifier] = static_cast<Index>(arc / size);
    for (Index below = modifier; below != static_cast<Index>(node); below = memory.parent[below])
      memory.broken[below] = true;
  }
}

template <class Weight>
void best_tree(const Contraction<Weight>& graph, std::span<Index> heads) {
  MstWorkspace& memory = graph.memory;
  const std::size_t size = graph.size;
  memory.alive.resize(size);
  memory.node.resize(size);
  for (std::size_t slot = 0; slot < size; ++slot) memory.alive[slot] = memory.node[slot] = static_cast<Index>(slot);
  memory.status.assign(size, NotSeen);
  memory.status[0] = Settled;
  memory.parent.assign(2 * size, NO_HEAD);
  memory.broken.assign(2 * size, false);
  memory.enter.resize(2 * size);
  memory.path.reserve(size);
  std::size_t nodes = size;
  WorkCounter work;

  for (std::size_t start = 1; start < size; ++start) {
    if (memory.status[start] != NotSeen) continue;
    memory.path.assign(1, static_cast<Index>(start));
    memory.status[start] = OnPath;
    while (!memory.path.empty()) {
      work.add(20 * memory.alive.size());
      const Index modifier = memory.path.back();
      const Index head = best_entering(graph, modifier);
      memory.enter[memory.node[modifier]] = memory.arcs[modifier * size + head];
      graph.chosen[modifier] = graph.weights[modifier * size + head];
      if (memory.status[head] == NotSeen) {
        memory.status[head] = OnPath;
        memory.path.push_back(head);
      } else if (memory.status[head] == OnPath) {
        std::size_t first = memory.path.size() - 1;
        while (memory.path[first] != head) --first;
        contract(graph, first, static_cast<Index>(nodes++));
        memory.path.resize(first + 1);
      } else {
        for (const Index slot : memory.path) memory.status[slot] = Settled;
        memory.path.clear();
      }
    }
  }
  expand(memory, size, nodes, heads);
}

}  // namespace

Score tree_score(std::span<const Score> scores, Index size, std::span<const Index> heads) {
  Score sum = 0.0;
  for (Index modifier = 1; modifier < size; ++modifier) {
    sum += scores[static_cast<std::size_t>(heads[modifier]) * size + modifier];
  }
  return sum;
}

Score maximum_spanning_tree(std::span<const Score> scores, Index size, RootRule rule, std::span<Index> heads,
                            MstWorkspace& workspace) {
  assert(size > 0 && size < 65536);  // an arc fits 32 bits
  const std::size_t count = size;
  heads[0] = NO_HEAD;
  workspace.arcs.resize(count * count);
  bool complete = true;  // no arc is missing
  for (std::size_t modifier = 1; modifier < count; ++modifier) {
    for (std::size_t head = 0; head < count; ++head) {
      workspace.arcs[modifier * count + head] = static_cast<std::uint32_t>(head * count + modifier);
      if (head != modifier && scores[head * count + modifier] == NEGATIVE_INFINITY) complete = false;
    }
  }

  if (complete && rule == RootRule::Multi) {
    // Scores alone decide. Plain numbers take about half the time at 100 to 300 words.
    workspace.plain.resize(count * count);
    workspace.plain_chosen.resize(count);
    for (std::size_t modifier = 1; modifier < count; ++modifier) {
      for (std::size_t head = 0; head < count; ++head)
        workspace.plain[modifier * count + head] = scores[head * count + modifier];
    }
    best_tree(Contraction<Score>{count, workspace.plain, workspace.plain_chosen, workspace}, heads);
    return tree_score(scores, size, heads);
  }

  // The key prefers, in this order: as few root arcs as the rule allows, and as few missing arcs as possible (fewer
  // than `size` in any tree). Then the score decides. Every arc has a weight, so a tree with one root arc always
  // exists.
  const std::int64_t root_key = rule == RootRule::Single ? -static_cast<std::int64_t>(size) : 0;
  workspace.keyed.resize(count * count);
  workspace.keyed_chosen.resize(count);
  for (std::size_t modifier = 1; modifier < count; ++modifier) {
    for (std::size_t head = 0; head < count; ++head) {
      const Score score = scores[head * count + modifier];
      const bool missing = score == NEGATIVE_INFINITY;
      const std::int64_t key = (head == 0 ? root_key : 0) - (missing ? 1 : 0);
      workspace.keyed[modifier * count + head] = {key, missing ? 0.0 : score};
    }
  }
  best_tree(Contraction<KeyedScore>{count, workspace.keyed, workspace.keyed_chosen, workspace}, heads);
  return tree_score(scores, size, heads);
}

Score tree_max_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<Score> best,
                         MstWorkspace& workspace) {
  const std::size_t count = size;
  std::fill(best.begin(), best.end(), NEGATIVE_INFINITY);
  workspace.heads.resize(count);
  workspace.other.resize(count);
  const Score value = maximum_spanning_tree(scores, size, rule, workspace.heads, workspace);
  if (value == NEGATIVE_INFINITY) return value;
  workspace.forced.assign(scores.begin(), scores.end());
  const std::span<Score> forced = workspace.forced;
  WorkCounter work;
  for (std::size_t modifier = 1; modifier < count; ++modifier) {
    for (std::size_t head = 0; head < count; ++head) forced[head * count + modifier] = NEGATIVE_INFINITY;
    for (std::size_t head = 0; head < count; ++head) {
      const std::size_t arc = head * count + modifier;
      if (head == modifier || scores[arc] == NEGATIVE_INFINITY) continue;
      if (workspace.heads[modifier] == static_cast<Index>(head)) {
        best[arc] = value;
        continue;
      }
      work.add(10 * count * count);
      forced[arc] = scores[arc];
      best[arc] = maximum_spanning_tree(forced, size, rule, workspace.other, workspace);
      forced[arc] = NEGATIVE_INFINITY;
    }
    for (std::size_t head = 0; head < count; ++head) forced[head * count + modifier] = scores[head * count + modifier];
  }
  return value;
}

}  // namespace headlong
