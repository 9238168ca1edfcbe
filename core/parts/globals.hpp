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
// Labels are those that each arc would have by itself. Punctuation does not count as a modifier.
#pragma once

#include <array>

#include "parts/arcs.hpp"
#include "parts/tree_view.hpp"

namespace headlong {

// Slots and relations, in this order (the first four relations of most are those of `outer_relations` between the two
// outer words; a label is that of the arc into the word of the slot it is called after):
//   GrandGrandparent     f g h m   side dist agree puncts mlabel hlabel       a word with the three above it
//   LabelledGrandparent  g h m     side dist agree puncts mlabel hlabel
//   InnerGrandchild      h m s t   side dist agree puncts mlabel slabel tlabel   t hangs on m, s is nearer to h than m
//   OuterGrandchild      h m s t   the same, s being further away
//   LabelledSibling      h m s     side dist agree puncts mlabel slabel       m and the next modifier s in the sentence
//   Repeat               h m       side mlabel count                          how many modifiers before have its label
//   Valency              g h       side counts tags labels bag hlabel         strings of all modifiers
//   Attachment           h m p     side mlabel conjunct                       m or a conjunct of it with an adposition
//   Coordination         h m c     side dist agree puncts mlabel lengths parallel   c: the conjunction, else m
//   Span                 h m a z   side length ends mlabel                    a and z: the first and last word below m
//   Crossing             h m       side dist agree puncts mlabel              arcs that span a word not below h
//   Branching            m         depth share                                the last word that is no punctuation
enum class Global : Index {
  GrandGrandparent,
  LabelledGrandparent,
  InnerGrandchild,
  OuterGrandchild,
  LabelledSibling,
  Repeat,
  Valency,
  Attachment,
  Coordination,
  Span,
  Crossing,
  Branching,
  Count
};
inline constexpr std::size_t GLOBALS = static_cast<std::size_t>(Global::Count);
inline constexpr std::array<Index, GLOBALS> GLOBAL_SLOTS = {4, 3, 4, 4, 3, 2, 2, 3, 3, 4, 2, 1};
inline constexpr std::array<Index, GLOBALS> GLOBAL_RELATIONS = {6, 6, 7, 7, 6, 3, 6, 3, 7, 4, 5, 2};
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
  std::vector<Index> labels;  // [size * size] of each candidate (head, modifier); others are never looked at
  Index last = 0;             // the last word that is no punctuation; 0: there is none

  bool has(Global kind) const { return on[static_cast<std::size_t>(kind)]; }
  Index label(Index head, Index modifier) const {
    return labels[static_cast<std::size_t>(head) * words->traits.size() + modifier];
  }
};

// Appends the parts that are anchored at a word (not the root) in one way.
void add_globals(const GlobalContext& context, const TreeView& tree, Anchor anchor, Index word,
                 std::vector<GlobalRow>& rows);

// Appends the parts that belong to no word: Branching.
void add_globals(const GlobalContext& context, const TreeView& tree, std::vector<GlobalRow>& rows);

}  // namespace headlong
