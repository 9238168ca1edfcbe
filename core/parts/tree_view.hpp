// A tree with what features of whole trees look at: modifiers in order, and the span of each word.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace headlong {

// Kept up to date under changes of heads. The root is word 0.
struct TreeView {
  std::vector<Index> heads;        // [size] NO_HEAD for the root
  std::vector<Index> first;        // [size] the first modifier of each word in the sentence, or NO_HEAD
  std::vector<Index> next;         // [size] the next modifier of the same head, or NO_HEAD
  std::vector<Index> left, right;  // [size] the first and the last word that is the word itself or below it
  std::vector<Index> count;        // [size] how many words these are

  Index size() const { return static_cast<Index>(heads.size()); }

  // Whether all words from the first to the last are below: then no arc of the word spans a foreign one.
  bool is_contiguous(Index word) const { return right[word] - left[word] + 1 == count[word]; }

  // Calls visit(modifier) for the modifiers of a word, from left to right.
  template <class Visit>
  void each_modifier(Index word, Visit visit) const {
    for (Index modifier = first[word]; modifier != NO_HEAD; modifier = next[modifier]) visit(modifier);
  }

  // Looks at a tree. O(size * most modifiers of a word).
  void build(std::span<const Index> tree);

  // Gives a word another head, which must not be below it. O(depth * modifiers).
  void move(Index word, Index head);

 private:
  void attach(Index word, Index head);
  void detach(Index word);
  void measure(Index word);
};

// Whether a word is another one or above it. O(depth).
inline bool is_above(std::span<const Index> heads, Index word, Index below) {
  while (below > 0 && below != word) below = heads[below];
  return below == word;
}

}  // namespace headlong
