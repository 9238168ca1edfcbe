// Checks whether heads are a tree that satisfies the rules.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace headlong {

// Returns whether every word reaches the root. Each word is marked with the first walk that visits it: meeting a mark
// of the same walk means a cycle, a mark of an earlier walk does not. O(size).
inline bool reaches_root(std::span<const Index> heads, std::span<Index> mark) {
  const Index size = static_cast<Index>(heads.size());
  std::fill(mark.begin(), mark.end(), 0);
  for (Index start = 1; start < size; ++start) {
    Index word = start;
    for (; word != 0 && mark[word] == 0; word = heads[word]) mark[word] = start;
    if (word != 0 && mark[word] == start) return false;
  }
  return true;
}

// Returns whether two arcs of a tree cross. The root is the first word, so a tree without crossings is projective.
inline bool has_crossing(std::span<const Index> heads) {
  const Index size = static_cast<Index>(heads.size());
  for (Index a = 1; a < size; ++a) {
    const auto [left, right] = std::minmax(a, heads[a]);
    for (Index b = left + 1; b < right; ++b)
      if (heads[b] < left || heads[b] > right) return true;
  }
  return false;
}

// Returns whether heads [size], all valid words, form a tree that satisfies the root rule and, on request, is
// projective. `mark` [size] is scratch memory.
inline bool keeps_rules(std::span<const Index> heads, RootRule root, bool projective, std::span<Index> mark) {
  const auto roots = std::count(heads.begin() + 1, heads.end(), 0);
  return (root == RootRule::Multi || roots == 1) && reaches_root(heads, mark) && !(projective && has_crossing(heads));
}

}  // namespace headlong
