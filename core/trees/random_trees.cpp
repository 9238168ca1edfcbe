#include "trees/random_trees.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"

namespace headlong {

Index draw_place(std::span<const double> sums, Random& random) {
  if (sums.empty() || !(sums.back() > 0.0)) return -1;
  const double share = random.uniform() * sums.back();
  auto found = std::upper_bound(sums.begin(), sums.end(), share);
  if (found == sums.end()) found = std::lower_bound(sums.begin(), sums.end(), sums.back());  // rounded up to the end
  return static_cast<Index>(found - sums.begin());
}

namespace {

// Replaces weights by their cumulative sums.
void sum_up(std::span<double> weights) {
  double sum = 0.0;
  for (double& weight : weights) weight = sum += weight;
}

// Returns whether every word has a path to the root along arcs with weight. O(arcs) per round, as many rounds as the
// longest path has arcs.
bool all_reach_root(RandomTrees& trees) {
  trees.connected.assign(trees.size, 0);
  trees.connected[0] = 1;
  Index count = 1;
  for (bool grows = true; grows && count < trees.size;) {
    grows = false;
    for (Index word = 1; word < trees.size; ++word) {
      for (Index arc = trees.arc_begins[word]; arc < trees.arc_begins[word + 1] && !trees.connected[word]; ++arc) {
        if (!trees.connected[trees.arc_heads[arc]] || trees.scores[arc] == NEGATIVE_INFINITY) continue;
        trees.connected[word] = 1;
        grows = true;
        ++count;
      }
    }
  }
  return count == trees.size;
}

// Runs Wilson's algorithm for the marked words; the other words step to their current heads. Returns false if it takes
// too long.
bool walk(RandomTrees& trees, Random& random, std::span<Index> heads) {
  const std::size_t size = trees.size;
  std::size_t steps = 4096 + 16 * size * size;
  WorkCounter work;
  for (Index start = 1; start < trees.size; ++start) {
    for (Index word = start; !trees.connected[word]; word = heads[word]) {
      if (steps-- == 0) return false;
      work.add(100);
      if (!trees.marked[word]) continue;
      const Index begin = trees.arc_begins[word], count = trees.arc_begins[word + 1] - begin;
      const Index place = draw_place(std::span(trees.sums).subspan(begin, count), random);
      if (place < 0) return false;
      heads[word] = trees.arc_heads[begin + place];
    }
    for (Index word = start; !trees.connected[word]; word = heads[word]) trees.connected[word] = 1;
  }
  return true;
}

// Writes the scores of all arcs to a dense matrix.
void fill_dense(RandomTrees& trees) {
  const std::size_t size = trees.size;
  trees.dense.assign(size * size, NEGATIVE_INFINITY);
  trees.marginals.resize(size * size);
  trees.head_sums.resize(size);
  for (std::size_t word = 1; word < size; ++word)
    for (Index arc = trees.arc_begins[word]; arc < trees.arc_begins[word + 1]; ++arc)
      trees.dense[trees.arc_heads[arc] * size + word] = trees.scores[arc];
}

// Leaves a word a single arc. Its score does not matter, because every tree has it.
void force(RandomTrees& trees, Index word, Index head) {
  const std::size_t size = trees.size;
  for (std::size_t other = 0; other < size; ++other) trees.dense[other * size + word] = NEGATIVE_INFINITY;
  trees.dense[head * size + word] = 0.0;
}

// Draws the head of each marked word from its marginals given all heads so far. O(size^3) per word.
void draw_by_marginals(RandomTrees& trees, Random& random, std::span<Index> heads) {
  const std::size_t size = trees.size;
  fill_dense(trees);
  for (Index word = 1; word < trees.size; ++word)
    if (!trees.marked[word]) force(trees, word, heads[word]);
  for (Index word = 1; word < trees.size; ++word) {
    if (!trees.marked[word]) continue;
    tree_marginals(trees.dense, trees.size, trees.rule, trees.marginals, trees.workspace);
    for (std::size_t head = 0; head < size; ++head) trees.head_sums[head] = trees.marginals[head * size + word];
    sum_up(trees.head_sums);
    heads[word] = draw_place(trees.head_sums, random);
    force(trees, word, heads[word]);
  }
}

// Draws heads for the marked words. `top` is the initial tree: word 0, or the single root word.
void draw(RandomTrees& trees, Index top, Random& random, std::span<Index> heads) {
  trees.connected.assign(trees.size, 0);
  trees.connected[top] = 1;
  trees.marked[top] = 0;
  if (!walk(trees, random, heads)) draw_by_marginals(trees, random, heads);
}

}  // namespace

bool prepare(RandomTrees& trees, std::span<const Index> arc_heads, std::span<const Index> arc_begins,
             std::span<const Score> scores, RootRule rule) {
  const std::size_t size = arc_begins.size() - 1;
  trees.size = static_cast<Index>(size);
  trees.rule = rule;
  trees.arc_heads.assign(arc_heads.begin(), arc_heads.end());
  trees.arc_begins.assign(arc_begins.begin(), arc_begins.end());
  if (scores.empty())
    trees.scores.assign(arc_heads.size(), 0.0);
  else
    trees.scores.assign(scores.begin(), scores.end());
  const bool single = rule == RootRule::Single;
  trees.sums.resize(arc_heads.size());
  for (std::size_t word = 1; word < size; ++word) {
    const Index begin = arc_begins[word], end = arc_begins[word + 1];
    const auto counts = [&](Index arc) {
      return trees.scores[arc] > NEGATIVE_INFINITY && !(single && arc_heads[arc] == 0);
    };
    Score largest = NEGATIVE_INFINITY;
    for (Index arc = begin; arc < end; ++arc)
      if (counts(arc)) largest = std::max(largest, trees.scores[arc]);
    for (Index arc = begin; arc < end; ++arc)
      trees.sums[arc] = counts(arc) ? std::exp(trees.scores[arc] - largest) : 0.0;
    sum_up(std::span(trees.sums).subspan(begin, end - begin));
  }
  if (!single || size == 1) return all_reach_root(trees);
  fill_dense(trees);
  if (tree_marginals(trees.dense, trees.size, rule, trees.marginals, trees.workspace) == NEGATIVE_INFINITY)
    return false;
  trees.root_sums.assign(trees.marginals.begin(), trees.marginals.begin() + size);
  trees.root_sums[0] = 0.0;
  sum_up(trees.root_sums);
  return true;
}

void draw_tree(RandomTrees& trees, Random& random, std::span<Index> heads) {
  heads[0] = NO_HEAD;
  if (trees.size == 1) return;
  trees.marked.assign(trees.size, 1);
  Index top = 0;
  if (trees.rule == RootRule::Single) {
    top = draw_place(trees.root_sums, random);
    heads[top] = 0;
  }
  draw(trees, top, random, heads);
}

void redraw_heads(RandomTrees& trees, std::span<const std::uint8_t> marked, Random& random, std::span<Index> heads) {
  if (trees.size == 1) return;
  trees.marked.assign(marked.begin(), marked.end());
  Index top = 0;
  if (trees.rule == RootRule::Single)
    top = static_cast<Index>(std::find(heads.begin() + 1, heads.end(), 0) - heads.begin());
  draw(trees, top, random, heads);
}

}  // namespace headlong
