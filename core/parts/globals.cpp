#include "parts/globals.hpp"

namespace headlong {

namespace {

using Rows = std::vector<GlobalRow>;

Code label_code(Index label) { return mix(7 + static_cast<Code>(label)); }

// 1 to 4, 5-6, 7-10, 11-20, more.
Code length_bin(Index length) {
  constexpr Index LIMITS[] = {1, 2, 3, 4, 6, 10, 20};
  Code bin = 0;
  for (Index limit : LIMITS) bin += length > limit;
  return bin;
}

Code few(Index count) { return static_cast<Code>(std::min(count, Index{3})); }

// One sentence and tree at hand.
struct Finder {
  const GlobalContext& context;
  const TreeView& tree;
  Rows& rows;

  bool is(Index word, Class wanted) const { return (context.words->traits[word].classes & wanted) != 0; }
  bool counts(Index word) const { return !is(word, PUNCTUATION); }
  Code label_of(Index word) const { return label_code(context.label(tree.heads[word], word)); }

  // A part with the relations between two of its words, and then others.
  void add_outer(Global kind, std::array<Index, MAX_GLOBAL_SLOTS> slots, Code side, Index one, Index other,
                 std::array<Code, 3> more) const {
    const auto [a, b, c, d] = outer_relations(*context.words, side, one, other);
    rows.push_back({kind, slots, {a, b, c, d, more[0], more[1], more[2]}});
  }

  void chain(Index m) const {
    const Index h = tree.heads[m];
    if (h == 0) return;
    const Index g = tree.heads[h];
    const Code sides = (m > h) + 2 * (h > g);
    if (context.has(Global::LabelledGrandparent))
      add_outer(Global::LabelledGrandparent, {g, h, m, 0}, 4 + sides, g, m, {label_of(m), label_of(h), 0});
    if (g == 0 || !context.has(Global::GrandGrandparent)) return;
    const Index f = tree.heads[g];
    add_outer(Global::GrandGrandparent, {f, g, h, m}, 8 + sides + 4 * (g > f), f, m, {label_of(m), label_of(h), 0});
  }

  void grandchildren(Global kind, Index h, Index m, Index s) const {
    tree.each_modifier(m, [&](Index t) {
      if (!counts(t)) return;
      const Code sides = 8 + (m > h) + 2 * (t > m) + 4 * (s > h);
      add_outer(kind, {h, m, s, t}, sides, s, t, {label_of(m), label_of(s), label_of(t)});
    });
  }

  void siblings(Index h) const {
    Index before = NO_HEAD;
    tree.each_modifier(h, [&](Index word) {
      if (!counts(word)) return;
      if (before != NO_HEAD) {
        if (context.has(Global::LabelledSibling))
          add_outer(Global::LabelledSibling, {h, before, word, 0}, 4 + (before > h) + (word > h), before, word,
                    {label_of(before), label_of(word), 0});
        // Of the two, the one further from the head has an inner sibling, and the other an outer one.
        if ((before > h) == (word > h)) {
          const Index inner = word > h ? before : word, outer = word > h ? word : before;
          if (context.has(Global::InnerGrandchild)) grandchildren(Global::InnerGrandchild, h, outer, inner);
          if (context.has(Global::OuterGrandchild)) grandchildren(Global::OuterGrandchild, h, inner, outer);
        }
      }
      before = word;
    });
  }

  void repeats(Index h) const {
    tree.each_modifier(h, [&](Index m) {
      if (!counts(m)) return;
      Index same = 0;
      for (Index other = tree.first[h]; other != m; other = tree.next[other])
        same += counts(other) && context.label(h, other) == context.label(h, m);
      rows.push_back({Global::Repeat, {h, m}, {mix(4 + (m > h)), label_of(m), mix(11 + few(same))}});
    });
  }

  void valency(Index h) const {
    Code tags = 1, labels = 1, bag = 0;
    Index before = 0, behind = 0;
    auto extend = [](Code text, Code next) { return mix(text * 0x9e3779b1U + next); };
    auto pass_head = [&] { tags = extend(tags, 1000), labels = extend(labels, 1000); };
    tree.each_modifier(h, [&](Index m) {
      if (!counts(m)) return;
      if (m > h && behind == 0) pass_head();
      ++(m > h ? behind : before);
      tags = extend(tags, context.words->traits[m].tag);
      labels = extend(labels, label_of(m));
      bag += mix(label_of(m));
    });
    if (behind == 0) pass_head();
    const Index g = tree.heads[h];
    rows.push_back({Global::Valency,
                    {g, h},
                    {mix(4 + (h > g)), mix(100 + 4 * few(before) + few(behind)), tags, labels, mix(bag), label_of(h)}});
  }

  // Whether m is joined to h by a conjunction, which is returned: UD hangs it on the later conjunct. Otherwise 0.
  Index conjunction(Index h, Index m) const {
    Index found = 0;
    tree.each_modifier(m, [&](Index word) {
      if (found == 0 && word > h && word < m && is(word, CONJUNCTION)) found = word;
    });
    return found;
  }

  bool has_modifier(Index word, Class wanted) const {
    bool found = false;
    tree.each_modifier(word, [&](Index m) { found |= is(m, wanted); });
    return found;
  }

  void attachments(Index h) const {
    tree.each_modifier(h, [&](Index m) {
      tree.each_modifier(m, [&](Index p) {
        if (!is(p, ADPOSITION)) return;
        auto add = [&](Index argument, Code conjunct) {
          rows.push_back({Global::Attachment, {h, argument, p}, {mix(4 + (m > h)), label_of(m), mix(20 + conjunct)}});
        };
        add(m, 0);
        tree.each_modifier(m, [&](Index word) {
          if (word > m && conjunction(m, word) != 0) add(word, 1);
        });
      });
    });
  }

  void coordinations(Index h) const {
    const auto& traits = context.words->traits;
    tree.each_modifier(h, [&](Index m) {
      if (m < h || !counts(m)) return;
      const Index found = conjunction(h, m);
      if (found == 0 && traits[m].tag != traits[h].tag) return;
      const Index length = std::max(tree.left[m] - tree.left[h], Index{1});
      const Code parallel = has_modifier(h, ADPOSITION) + 2 * has_modifier(m, ADPOSITION) + 4 * has_modifier(h, VERB) +
                            8 * has_modifier(m, VERB);
      add_outer(Global::Coordination, {h, m, found == 0 ? m : found, 0}, 4 + (found != 0), h, m,
                {label_of(m), mix(100 + 8 * length_bin(length) + length_bin(tree.count[m])), mix(300 + parallel)});
    });
  }

  void span(Index m) const {
    const Index h = tree.heads[m], a = tree.left[m], z = tree.right[m], size = tree.size();
    auto punctuation = [&](Index word) -> Code { return word > 0 && word < size && is(word, PUNCTUATION); };
    const Code ends = punctuation(a - 1) + 2 * punctuation(z + 1) + 4 * (a == 1) + 8 * (z >= context.last) +
                      16 * punctuation(a) + 32 * punctuation(z);
    const Code side = 4 + (m > h);
    rows.push_back({Global::Span,
                    {h, m, a, z},
                    {mix(side), mix(16 * side + length_bin(z - a + 1)), mix(1000 + ends), label_of(m)}});
  }

  void crossings(Index h) const {
    if (tree.is_contiguous(h)) return;
    tree.each_modifier(h, [&](Index m) {
      for (Index word = std::min(h, m) + 1; word < std::max(h, m); ++word)
        if (!is_above(tree.heads, h, word))
          return add_outer(Global::Crossing, {h, m, 0, 0}, 4 + (m > h), h, m, {label_of(m), 0, 0});
    });
  }
};

}  // namespace

void add_globals(const GlobalContext& context, const TreeView& tree, Anchor anchor, Index word, Rows& rows) {
  const Finder finder{context, tree, rows};
  switch (anchor) {
    case Anchor::Chain:
      finder.chain(word);
      break;
    case Anchor::Fan:
      finder.siblings(word);
      if (context.has(Global::Repeat)) finder.repeats(word);
      if (context.has(Global::Valency)) finder.valency(word);
      if (context.has(Global::Attachment)) finder.attachments(word);
      break;
    case Anchor::Span:
      if (context.has(Global::Coordination)) finder.coordinations(word);
      if (context.has(Global::Span)) finder.span(word);
      if (context.has(Global::Crossing)) finder.crossings(word);
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
