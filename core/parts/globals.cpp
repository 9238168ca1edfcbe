#include "parts/globals.hpp"

namespace headlong {

namespace {

using Rows = std::vector<GlobalRow>;

// Returns the bin of a length: 1, 2, 3, 4, 5-6, 7-10, 11-20, more.
Code length_bin(Index length) {
  constexpr Index LIMITS[] = {1, 2, 3, 4, 6, 10, 20};
  Code bin = 0;
  for (Index limit : LIMITS) bin += length > limit;
  return bin;
}

Code up_to_three(Index count) { return static_cast<Code>(std::min(count, Index{3})); }

// Finds the global parts of one tree.
struct PartFinder {
  const GlobalContext& context;
  const TreeView& tree;
  Rows& rows;

  const Traits& traits(Index word) const { return context.words->traits[word]; }
  bool is(Index word, Class wanted) const { return (traits(word).classes & wanted) != 0; }
  bool counts(Index word) const { return !is(word, PUNCTUATION); }
  bool has_modifier(Index word, Class wanted) const {
    bool found = false;
    tree.each_modifier(word, [&](Index modifier) { found |= is(modifier, wanted); });
    return found;
  }
  // Returns the first modifier of `word` that belongs to a class and stands between `left` and `word`, or 0.
  Index mark_between(Index left, Index word, Class wanted) const {
    Index found = 0;
    tree.each_modifier(word, [&](Index modifier) {
      if (found == 0 && modifier > left && modifier < word && is(modifier, wanted)) found = modifier;
    });
    return found;
  }

  // Appends a part with the outer relations of two of its words and up to three more.
  void add_outer(Global kind, std::array<Index, MAX_GLOBAL_SLOTS> slots, Code side, Index one, Index other,
                 std::array<Code, 3> more = {}) const {
    const auto [a, b, c, d] = outer_relations(*context.words, side, one, other);
    rows.push_back({kind, slots, {a, b, c, d, more[0], more[1], more[2]}});
  }

  void add_chain(Index m) const {
    const Index h = tree.heads[m], g = h > 0 ? tree.heads[h] : 0;
    if (g == 0 || !context.has(Global::GrandGrandparent)) return;
    const Index f = tree.heads[g];
    add_outer(Global::GrandGrandparent, {f, g, h, m}, 8 + (m > h) + 2 * (h > g) + 4 * (g > f), f, m);
  }

  void add_grandchildren(Global kind, Index h, Index m, Index s) const {
    if (!context.has(kind)) return;
    tree.each_modifier(m, [&](Index t) {
      if (counts(t)) add_outer(kind, {h, m, s, t}, 4 + (m > h) + 2 * (t > m), s, t);
    });
  }

  void add_siblings(Index h) const {
    Index before = NO_HEAD;
    tree.each_modifier(h, [&](Index word) {
      if (!counts(word)) return;
      if (before != NO_HEAD) {
        if (context.has(Global::ContentSibling))
          add_outer(Global::ContentSibling, {h, before, word, 0}, 4 + (before > h) + (word > h), before, word);
        // The one of the two that is farther from the head has the other as its inner sibling, and vice versa.
        if ((before > h) == (word > h)) {
          const Index inner = word > h ? before : word, outer = word > h ? word : before;
          add_grandchildren(Global::InnerGrandchild, h, outer, inner);
          add_grandchildren(Global::OuterGrandchild, h, inner, outer);
        }
      }
      before = word;
    });
  }

  void add_repeats(Index h) const {
    tree.each_modifier(h, [&](Index m) {
      if (!counts(m)) return;
      Index tags = 0, cases = 0;
      for (Index other = tree.first[h]; other != m; other = tree.next[other]) {
        if (!counts(other) || traits(other).tag != traits(m).tag) continue;
        ++tags;
        cases += traits(other).agreement[0] == traits(m).agreement[0];
      }
      rows.push_back(
          {Global::Repeat, {h, m}, {mix(4 + (m > h)), mix(11 + up_to_three(tags)), mix(21 + up_to_three(cases))}});
    });
  }

  void add_valency(Index h) const {
    Code tags = 1, cases = 1;
    Index before = 0, behind = 0;
    auto extend = [&](Code tag, Code value) {
      tags = mix(tags * 0x9e3779b1U + tag);
      cases = mix(cases * 0x9e3779b1U + 256 * tag + value);
    };
    tree.each_modifier(h, [&](Index m) {
      if (!counts(m)) return;
      if (m > h && behind == 0) extend(MAX_TAGS, 0);  // the position of the head
      ++(m > h ? behind : before);
      extend(traits(m).tag, traits(m).agreement[0]);
    });
    if (behind == 0) extend(MAX_TAGS, 0);
    const Index g = tree.heads[h];
    const Code counts = 4 * up_to_three(before) + up_to_three(behind);
    rows.push_back({Global::Valency, {g, h}, {mix(4 + (h > g)), mix(100 + counts), tags, cases}});
  }

  void add_attachments(Index m) const {
    const Index h = tree.heads[m];
    const Code side = mix(4 + (m > h));
    tree.each_modifier(m, [&](Index p) {
      if (!is(p, ADPOSITION)) return;
      rows.push_back({Global::Attachment, {h, m, p}, {side, mix(20)}});
      tree.each_modifier(m, [&](Index word) {
        if (word > m && mark_between(m, word, CONJUNCTION) != 0)
          rows.push_back({Global::Attachment, {h, word, p}, {side, mix(21)}});
      });
    });
  }

  void add_coordinations(Index h) const {
    const Index g = tree.heads[h];
    tree.each_modifier(h, [&](Index m) {
      if (m < h || !counts(m)) return;
      const Index found = mark_between(h, m, CONJUNCTION);
      if (found == 0 && traits(m).tag != traits(h).tag) return;
      const Index length = std::max(tree.left[m] - tree.left[h], Index{1});
      const Code parallel = has_modifier(h, ADPOSITION) + 2 * has_modifier(m, ADPOSITION) + 4 * has_modifier(h, VERB) +
                            8 * has_modifier(m, VERB) + 16 * (traits(m).tag == traits(h).tag);
      // In UD all conjuncts are attached to the first one. A conjunct attached to a later one is suspicious.
      const bool nested = g > 0 && g < h && traits(g).tag == traits(h).tag &&
                          (mark_between(g, h, CONJUNCTION) != 0 || mark_between(g, h, PUNCTUATION) != 0);
      const Code marks = (found != 0) + 2 * (mark_between(h, m, PUNCTUATION) != 0) + 4 * nested;
      add_outer(Global::Coordination, {h, m, found == 0 ? m : found, 0}, 4 + (found != 0), h, m,
                {mix(100 + 8 * length_bin(length) + length_bin(tree.count[m])), mix(300 + parallel), mix(400 + marks)});
    });
  }

  void add_punctuation(Index h) const {
    const Index g = tree.heads[h];
    Index before = NO_HEAD;
    auto add = [&](Index p, Index q) {
      const Code place = (p == tree.left[h]) + 2 * (p == tree.right[h]) + 4 * ((p > g) != (p > h)) +
                         8 * (q == tree.right[h]) + 16 * tree.is_contiguous(h);
      const Code side = 8 + (p > h) + 2 * (q > h) + 4 * (p == q);
      add_outer(Global::Punctuation, {g, h, p, q}, side, h, p, {mix(500 + place), 0, 0});
    };
    tree.each_modifier(h, [&](Index word) {
      if (counts(word)) return;
      if (before != NO_HEAD) add(before, word);
      before = word;
    });
    if (before != NO_HEAD) add(before, before);
  }

  void add_span(Index m) const {
    if (!counts(m)) return;
    const Index h = tree.heads[m], a = tree.left[m], z = tree.right[m], size = tree.size();
    auto mark = [&](Index word) -> Code { return word > 0 && word < size && is(word, PUNCTUATION); };
    auto within = [&](const std::vector<Index>& counts) { return up_to_three(counts[z + 1] - counts[a]); };
    const Code ends =
        mark(a - 1) + 2 * mark(z + 1) + 4 * (a == 1) + 8 * (z >= context.last) + 16 * mark(a) + 32 * mark(z);
    const Code inside = 16 * within(context.words->verbs) + 4 * within(context.words->punctuation) +
                        within(context.words->conjunctions);
    const Code side = 4 + (m > h);
    rows.push_back({Global::Span,
                    {h, m, a, z},
                    {mix(side), mix(16 * side + length_bin(z - a + 1)), mix(1000 + ends), mix(2000 + inside)}});
  }

  void add_crossings(Index h) const {
    if (tree.is_contiguous(h)) return;
    tree.each_modifier(h, [&](Index m) {
      for (Index word = std::min(h, m) + 1; word < std::max(h, m); ++word)
        if (!is_above(tree.heads, h, word)) return add_outer(Global::Crossing, {h, m, 0, 0}, 4 + (m > h), h, m);
    });
  }
};

}  // namespace

void add_globals(const GlobalContext& context, const TreeView& tree, Anchor anchor, Index word, Rows& rows) {
  const PartFinder finder{context, tree, rows};
  switch (anchor) {
    case Anchor::Chain:
      finder.add_chain(word);
      break;
    case Anchor::Fan:
      finder.add_siblings(word);
      if (context.has(Global::Repeat)) finder.add_repeats(word);
      if (context.has(Global::Valency)) finder.add_valency(word);
      if (context.has(Global::Attachment)) finder.add_attachments(word);
      break;
    case Anchor::Span:
      if (context.has(Global::Coordination)) finder.add_coordinations(word);
      if (context.has(Global::Punctuation)) finder.add_punctuation(word);
      if (context.has(Global::Span)) finder.add_span(word);
      if (context.has(Global::Crossing)) finder.add_crossings(word);
  }
}

void add_globals(const GlobalContext& context, const TreeView& tree, Rows& rows) {
  if (!context.has(Global::Branching) || context.last == 0) return;
  Index depth = 0;
  for (Index word = context.last; word != 0; word = tree.heads[word]) ++depth;
  const Code share = static_cast<Code>(10 * depth / (tree.size() - 1));
  rows.push_back({Global::Branching, {context.last}, {mix(100 + std::min(depth, Index{20})), mix(200 + share)}});
}

}  // namespace headlong
