// Parts of whole trees, for decoders that search (Zhang 2014a, section 4; Zhang 2014b, section 4.2): they look further
// than any dynamic program could, so nobody lists them in advance. Given a tree they are found word by word.
//
// Every part is anchored at a word, in one of three ways, which say what a change of a head can touch:
//   Chain  looks up: at the heads of the word, of its head and of the head's head
//   Fan    looks at the head of the word, at its modifiers and at their modifiers
//   Span   looks at the word's arc, its modifiers and theirs, and which words are below it and below its modifiers
// If a word leaves its head for another one, the parts that come or go are anchored: Chain at the word, its modifiers
// and their modifiers; Fan at the word, at both heads and at the heads of these; Span where Fan is, and at what is
// above both heads, up to and with the first word that is above both.
//
// Labels are not known while trees are searched: constructions are known by tags and by the shape of the tree, as
// Universal Dependencies have it. Punctuation does not count as a modifier, unless the part is about punctuation.
#pragma once

#include <array>

#include "parts/arcs.hpp"
#include "parts/tree_view.hpp"

namespace headlong {

// Slots and relations, in this order (where they are not named, the relations are those of `outer_relations`: side,
// dist, agree and puncts, between the two outer words):
//   GrandGrandparent  f g h m                          a word with the three above it
//   InnerGrandchild   h m s t                          t hangs on m, and s, a sibling of m, is next to m towards h
//   OuterGrandchild   h m s t                          the same, s being next to m away from h
//   ContentSibling    h m s                            m and the next modifier s in the sentence
//   Repeat            h m      side tags cases         how many modifiers before m have its tag, and its case as well
//   Valency           g h      side counts tags cases  the modifiers left and right: numbers, tags, tags with cases
//   Attachment        h m p    side conjunct           m, or a conjunct of it, and its adposition p under h
//   Coordination      h m c    ... lengths parallel marks   h and a modifier m to its right that has the same tag or a
//                                                      conjunction c before it (else c is m)
//   Punctuation       g h p q  ... place               a mark p that hangs on h, and the next one, q (else p)
//   Span              h m a z  side length ends inside the first and the last word below m
//   Crossing          h m                              arcs that span a word not below h
//   Branching         m        depth share             the last word that is no punctuation
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

// A part: unused slots and relations are 0.
struct GlobalRow {
  Global kind;
  std::array<Index, MAX_GLOBAL_SLOTS> slots;
  std::array<Code, MAX_GLOBAL_RELATIONS> relations;

  bool operator==(const GlobalRow&) const = default;
};

enum class Anchor : std::uint8_t { Chain, Fan, Span };

// What the parts of a tree are made of. Only kinds that are `on` are found.
struct GlobalContext {
  const ArcContext* words = nullptr;
  std::array<bool, GLOBALS> on{};
  Index last = 0;  // the last word that is no punctuation; 0: there is none

  bool has(Global kind) const { return on[static_cast<std::size_t>(kind)]; }
};

// Appends the parts that are anchored at a word (not the root) in one way.
void add_globals(const GlobalContext& context, const TreeView& tree, Anchor anchor, Index word,
                 std::vector<GlobalRow>& rows);

// Appends the parts that belong to no word: Branching.
void add_globals(const GlobalContext& context, const TreeView& tree, std::vector<GlobalRow>& rows);

}  // namespace headlong
