// A tree with the structure that globals look at: the ordered modifiers and the span of each word.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace headlong {

// Stays up to date when heads change. The root is word 0.
struct TreeView {
  std::vector<Index> heads;        // [size] NO_HEAD for the root
  std::vector<Index> first;        // [size] the leftmost modifier of each word, or NO_HEAD
  std::vector<Index> next;         // [size] the next modifier of the same head, or NO_HEAD
  std::vector<Index> left, right;  // [size] the first and the last word of the subtree
  std::vector<Index> count;        // [size] how many words the subtree has

  Index size() const { return static_cast<Index>(heads.size()); }

  // Returns whether the subtree of a word is contiguous. Then no arc of the word spans a word outside the subtree.
  bool is_contiguous(Index word) const { return right[word] - left[word] + 1 == count[word]; }

  // Calls visit(modifier) for the modifiers of a word, from left to right.
  template <class Visit>
  void each_modifier(Index word, Visit visit) const {
    for (Index modifier = first[word]; modifier != NO_HEAD; modifier = next[modifier]) visit(modifier);
  }

  // Reads a tree. O(size * most modifiers of a word).
  void build(std::span<const Index> tree);

  // Moves a word to another head, which must not descend from it. O(depth * modifiers).
  void move(Index word, Index head);

 private:
  void attach(Index word, Index head);
  void detach(Index word);
  void measure(Index word);
};

// Returns whether `word` is `below` or one of its ancestors. O(depth).
inline bool is_above(std::span<const Index> heads, Index word, Index below) {
  while (below > 0 && below != word) below = heads[below];
  return below == word;
}

}  // namespace headlong
