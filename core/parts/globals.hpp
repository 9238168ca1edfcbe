// Globals: parts of whole trees, for decoders that search (Zhang 2014a, section 4; Zhang 2014b, section 4.2). They look
// farther than any dynamic program, so they are not enumerated in advance. Given a tree, they are found word by word.
//
// Every global is anchored at a word in one of three ways, by the part of the tree that it looks at:
//   Chain  at the heads of the word, of its head, and of its head's head
//   Fan    at the head of the word, at its modifiers and at their modifiers
//   Span   at the arc of the word, at its modifiers and theirs, and at which words descend from it and its modifiers
// When a word moves to another head, the globals that appear or disappear have these anchors: Chain at the word, its
// modifiers and their modifiers; Fan at the word, at both heads and at the heads of these; Span at the anchors of Fan
// and at all ancestors of both heads, up to and including the first common one.
//
// The search does not know labels. Tags and the shape of the tree identify constructions, by the conventions of
// Universal Dependencies. Punctuation does not count as a modifier unless the part is about punctuation.
#pragma once

#include <array>

#include "parts/arcs.hpp"
#include "parts/tree_view.hpp"

namespace headlong {

// Slots and relations of each kind, in this order. Kinds without named relations have those of `outer_relations` (side,
// distance, agreement and punctuation between the two outer words); "..." stands for the same four.
//   GrandGrandparent  f g h m                          a word with the three above it
//   InnerGrandchild   h m s t                          t modifies m; s is the sibling next to m toward h
//   OuterGrandchild   h m s t                          t modifies m; s is the sibling next to m away from h
//   ContentSibling    h m s                            m and the next modifier s in the sentence
//   Repeat            h m      side tags cases         how many modifiers before m have its tag, and also its case
//   Valency           g h      side counts tags cases  the modifiers left and right: numbers, tags, tags with cases
//   Attachment        h m p    side conjunct           m, or a conjunct of it, and its adposition p under h
//   Coordination      h m c    ... lengths parallel marks   h and a modifier m to its right with the same tag or with a
//                                                      conjunction c before it (otherwise c is m)
//   Punctuation       g h p q  ... place               a mark p that modifies h, and the next one q (otherwise p)
//   Span              h m a z  side length ends inside the first and the last descendant of m
//   Crossing          h m                              an arc that spans a word not below h
//   Branching         m        depth share             the last word that is not punctuation
enum class Global : Index {
  GrandGrandparent,
  InnerGrandchild,
  OuterGrandchild,
  ContentSibling,
  Repeat,
  Valency,
  Attachment,
  Coordination,
  Punctuation,
  Span,
  Crossing,
  Branching,
  Count
};
inline constexpr std::size_t GLOBALS = static_cast<std::size_t>(Global::Count);
inline constexpr std::array<Index, GLOBALS> GLOBAL_SLOTS = {4, 4, 4, 3, 2, 2, 3, 3, 4, 4, 2, 1};
inline constexpr std::array<Index, GLOBALS> GLOBAL_RELATIONS = {4, 4, 4, 4, 3, 4, 2, 7, 5, 4, 4, 2};
inline constexpr std::size_t MAX_GLOBAL_SLOTS = 4, MAX_GLOBAL_RELATIONS = 7;

// One part. Unused slots and relations are 0.
struct GlobalRow {
  Global kind;
  std::array<Index, MAX_GLOBAL_SLOTS> slots;
  std::array<Code, MAX_GLOBAL_RELATIONS> relations;

  bool operator==(const GlobalRow&) const = default;
};

enum class Anchor : std::uint8_t { Chain, Fan, Span };

// What the parts of a tree depend on besides the tree. Only kinds that are `on` are found.
struct GlobalContext {
  const ArcContext* words = nullptr;
  std::array<bool, GLOBALS> on{};
  Index last = 0;  // the last word that is not punctuation; 0: there is none

  bool has(Global kind) const { return on[static_cast<std::size_t>(kind)]; }
};

// Appends the parts anchored at a word (not the root) in one way.
void add_globals(const GlobalContext& context, const TreeView& tree, Anchor anchor, Index word,
                 std::vector<GlobalRow>& rows);

// Appends the parts without an anchor: Branching.
void add_globals(const GlobalContext& context, const TreeView& tree, std::vector<GlobalRow>& rows);

}  // namespace headlong
