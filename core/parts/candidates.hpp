// Candidates: the arcs that survive pruning, sorted by modifier.
#pragma once

#include "base/types.hpp"

namespace headlong {

// The heads of modifier m are heads[begins[m]] to heads[begins[m + 1]], ascending. The root (m = 0) has none.
struct Candidates {
  std::vector<Index> heads;
  std::vector<Index> begins;  // [size + 1]

  std::size_t count() const { return heads.size(); }
  std::span<const Index> of(Index modifier) const {
    return std::span(heads).subspan(begins[modifier], begins[modifier + 1] - begins[modifier]);
  }
};

// Makes every word a candidate head of every other word: n^2 arcs.
void all_arcs(Index size, Candidates& candidates);

// Makes the root, and every word at most `reach` words away, a candidate head of every word: O(n * reach) arcs.
void near_arcs(Index size, Index reach, Candidates& candidates);

// How to prune: at most `max_heads` per word, and no head whose posterior is below `threshold` times the word's best.
struct PruningRule {
  Index max_heads;
  double threshold;
};

// Selects the arcs that survive pruning by posteriors[head * size + modifier]. The heads in `always` and `gold` survive
// in any case (`gold` may be empty): if they contain the arcs of a tree, at least one tree remains. O(n^2).
void select_heads(std::span<const double> posteriors, Index size, const PruningRule& rule,
                  std::span<const Index> always, std::span<const Index> gold, Candidates& candidates);

}  // namespace headlong
