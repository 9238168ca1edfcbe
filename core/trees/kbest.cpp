#include "trees/kbest.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"

namespace headlong {

namespace {

// With equal bounds, solved sets come before unsolved ones and older sets before newer ones.
bool comes_later(const TreeSet& a, const TreeSet& b) {
  if (a.bound != b.bound) return a.bound < b.bound;
  return a.solved != b.solved ? b.solved : a.number > b.number;
}

}  // namespace

KBestTrees::KBestTrees(std::span<const Score> scores, Index size, RootRule rule, bool projective,
                       KBestWorkspace& workspace)
    : scores_(scores), size_(size), rule_(rule), projective_(projective), workspace_(workspace) {
  for (TreeSet& set : workspace.heap) workspace.unused.push_back(std::move(set));
  workspace.heap.clear();
  for (Index modifier = 1; modifier < size; ++modifier) {
    Score largest = 0.0;
    for (Index head = 0; head < size; ++head) {
      const Score score = scores[static_cast<std::size_t>(head) * size + modifier];
      if (head != modifier && score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
    }
    slack_ += largest;
  }
  slack_ *= 1e-12;
  TreeSet all = make_set();
  all.free = 1;
  all.heads.assign(size, NO_HEAD);
  solve(all);
  push(std::move(all));
}

TreeSet KBestTrees::make_set() {
  TreeSet set{};
  if (!workspace_.unused.empty()) {
    set = std::move(workspace_.unused.back());
    workspace_.unused.pop_back();
  }
  set.banned.clear();
  set.solved = false;
  set.number = count_++;
  return set;
}

void KBestTrees::push(TreeSet&& set) {
  if (set.bound == NEGATIVE_INFINITY) {
    workspace_.unused.push_back(std::move(set));
    return;
  }
  workspace_.heap.push_back(std::move(set));
  std::ranges::push_heap(workspace_.heap, comes_later);
}

TreeSet KBestTrees::pop() {
  std::ranges::pop_heap(workspace_.heap, comes_later);
  TreeSet set = std::move(workspace_.heap.back());
  workspace_.heap.pop_back();
  return set;
}

void KBestTrees::mask(const TreeSet& set) {
  poll();
  const std::size_t size = size_;
  std::vector<Score>& dense = workspace_.dense;
  dense.assign(scores_.begin(), scores_.end());
  for (Index word = 1; word < set.free; ++word)
    for (std::size_t head = 0; head < size; ++head)
      if (set.heads[word] != static_cast<Index>(head)) dense[head * size + word] = NEGATIVE_INFINITY;
  for (Index head : set.banned) dense[head * size + set.free] = NEGATIVE_INFINITY;
}

void KBestTrees::solve(TreeSet& set) {
  mask(set);
  if (size_ == 1) {
    set.heads[0] = NO_HEAD;
    set.bound = 0.0;
  } else {
    set.bound = projective_ ? eisner(workspace_.dense, size_, rule_, set.heads, workspace_.eisner)
                            : maximum_spanning_tree(workspace_.dense, size_, rule_, set.heads, workspace_.mst);
  }
  set.solved = true;
}

void KBestTrees::split(const TreeSet& set) {
  const std::size_t size = size_;
  mask(set);
  const std::vector<Score>& dense = workspace_.dense;
  auto& heads = workspace_.arc_heads;
  auto& begins = workspace_.arc_begins;
  auto& costs = workspace_.costs;
  heads.clear();
  costs.clear();
  begins.assign(1, 0);
  for (std::size_t word = 0; word < size; ++word) {
    for (std::size_t head = 0; head < size && word > 0; ++head) {
      if (head == word || dense[head * size + word] == NEGATIVE_INFINITY) continue;
      heads.push_back(static_cast<Index>(head));
      costs.push_back(dense[head * size + word]);
    }
    begins.push_back(static_cast<Index>(heads.size()));
  }
  if (!projective_) reduced_costs(heads, begins, rule_, costs, workspace_.reduced_costs);
  for (Index word = set.free; word < size_; ++word) {
    // A tree with another arc into the word costs at least as much as that arc.
    Score least = NEGATIVE_INFINITY;
    for (Index arc = begins[word]; arc < begins[word + 1]; ++arc)
      if (heads[arc] != set.heads[word]) least = std::max(least, projective_ ? 0.0 : costs[arc]);
    if (least == NEGATIVE_INFINITY) continue;
    TreeSet part = make_set();
    part.free = word;
    if (word == set.free) part.banned = set.banned;
    part.banned.push_back(set.heads[word]);
    part.heads.assign(set.heads.begin(), set.heads.end());
    part.bound = std::min(set.bound, set.bound + least + slack_);
    push(std::move(part));
  }
}

bool KBestTrees::next(std::span<Index> heads) {
  while (!workspace_.heap.empty()) {
    TreeSet set = pop();
    if (!set.solved) {
      solve(set);
      push(std::move(set));
      continue;
    }
    std::ranges::copy(set.heads, heads.begin());
    split(set);
    workspace_.unused.push_back(std::move(set));
    return true;
  }
  return false;
}

}  // namespace headlong
