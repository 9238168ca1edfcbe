#include "parts/tree_view.hpp"

namespace headlong {

void TreeView::attach(Index word, Index head) {
  heads[word] = head;
  Index* link = &first[head];
  while (*link != NO_HEAD && *link < word) link = &next[*link];
  next[word] = *link;
  *link = word;
}

void TreeView::detach(Index word) {
  Index* link = &first[heads[word]];
  while (*link != word) link = &next[*link];
  *link = next[word];
}

// Computes the span of a word from the spans of its modifiers.
void TreeView::measure(Index word) {
  left[word] = right[word] = word;
  count[word] = 1;
  each_modifier(word, [&](Index modifier) {
    left[word] = std::min(left[word], left[modifier]);
    right[word] = std::max(right[word], right[modifier]);
    count[word] += count[modifier];
  });
}

void TreeView::build(std::span<const Index> tree) {
  heads.assign(tree.size(), NO_HEAD);
  first.assign(tree.size(), NO_HEAD);
  next.assign(tree.size(), NO_HEAD);
  count.assign(tree.size(), 1);
  left.resize(tree.size());
  right.resize(tree.size());
  for (Index word = size() - 1; word > 0; --word) attach(word, tree[word]);
  for (Index word = 0; word < size(); ++word) left[word] = right[word] = word;
  for (Index word = 1; word < size(); ++word)
    for (Index above = heads[word]; above != NO_HEAD; above = heads[above]) {
      left[above] = std::min(left[above], word);
      right[above] = std::max(right[above], word);
      ++count[above];
    }
}

void TreeView::move(Index word, Index head) {
  const Index old = heads[word];
  detach(word);
  for (Index above = old; above != NO_HEAD; above = heads[above]) measure(above);
  attach(word, head);
  for (Index above = head; above != NO_HEAD; above = heads[above]) measure(above);
}

}  // namespace headlong
