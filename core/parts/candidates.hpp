// Candidates: the arcs that may be in the tree, sorted by modifier.
#pragma once

#include "base/types.hpp"

namespace headlong {

// The heads of modifier m are heads[begins[m]] to heads[begins[m + 1]], ascending. Modifier 0 has none.
struct Candidates {
  std::vector<Index> heads;
  std::vector<Index> begins;  // [size + 1]

  std::size_t count() const { return heads.size(); }
  std::span<const Index> of(Index modifier) const {
    return std::span(heads).subspan(begins[modifier], begins[modifier + 1] - begins[modifier]);
  }
};

// Every head for every word: n^2 arcs.
void all_arcs(Index size, Candidates& candidates);

// How to prune: at most `max_heads` a word, and none whose posterior is below `threshold` times the word's best.
struct PruningRule {
  Index max_heads;
  double threshold;
};

// The arcs that survive, by posteriors[head * size + modifier]; `always` and `gold` are heads to keep in any case (gold
// may be empty): with the arcs of some tree among them, a tree always remains. O(n^2).
void select_heads(std::span<const double> posteriors, Index size, const PruningRule& rule,
                  std::span<const Index> always, std::span<const Index> gold, Candidates& candidates);

}  // namespace headlong
