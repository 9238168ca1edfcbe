// Templates as data, and the slot codes of a sentence.
//
// A feature is the sum of its slots' codes: for every template and slot (head, modifier, sibling, ...) each word has a
// 32-bit random-looking code, the hash of the template, the slot and the word's attribute values there. A part's
// feature under template t is the sum of one code a slot, plus one product a relation (direction, distance, ...); the
// top bits of the sum are its place in the weight table.
#pragma once

#include "base/types.hpp"

namespace headlong {

inline constexpr Index MAX_OFFSET = 99;

// One attribute of one word near a slot: `h[-1].upos` is {template, slot 0, offset -1, column of upos}.
struct Atom {
  Index pattern;
  Index slot;
  Index offset;
  Index attribute;
};

// A compiled family of templates. `count` templates over `slots` slots and `relations` relations.
//
// Many templates look at the same attributes of a word, so each such list of atoms, a view, is hashed once a word. The
// code of template t in a slot is its view's hash times an odd number of its own, multipliers being random-looking;
// slot 0 adds the template's seed, and a slot that the template does not look at has code 0.
struct Templates {
  Index count = 0;
  Index slots = 0;
  Index relations = 0;
  Index stride = 0;                 // count rounded up to whole vectors of eight
  std::vector<Code> seeds;          // [stride] hash of the template's text: codes do not depend on the template order
  std::vector<Atom> atoms;          // the atoms of all views, one after another
  std::vector<Index> views;         // [views + 1] ranges of `atoms`
  std::vector<Index> slot_views;    // [slots + 1] ranges of views
  std::vector<Index> view_of;       // [slots * stride] view of each template in each slot, any if it looks at nothing
  std::vector<Code> view_factors;   // [slots * stride] odd, 0 where there is no view
  std::vector<Code> multipliers;    // [relations * stride], zero where the template does not look at the relation
  std::vector<std::uint32_t> used;  // [stride / 8] bits of the relations that any of eight templates looks at

  Templates() = default;
  Templates(std::span<const Code> seeds, std::span<const Atom> atoms, std::span<const Code> multipliers, Index slots,
            Index relations);
};

// Attribute codes of the words of one sentence, root first: [words * attributes].
struct Attributes {
  std::span<const Code> codes;
  Index words = 0;
  Index count = 0;
};

// Codes of all words in all slots of a family: [slots][words][stride].
struct SlotCodes {
  std::vector<Code> codes;
  Index words = 0;
  Index stride = 0;

  const Code* row(Index slot, Index word) const {
    return codes.data() + (static_cast<std::size_t>(slot) * words + word) * stride;
  }
};

// Fills `out`; O(words * (atoms of all views + templates)). Positions outside the sentence have one fixed code.
void slot_codes(const Attributes& attributes, const Templates& templates, SlotCodes& out);

// A well-mixed code of a small integer, for relation values.
inline Code mix(Code value) {
  value ^= value >> 16;
  value *= 0x7feb352dU;
  value ^= value >> 15;
  value *= 0x846ca68bU;
  value ^= value >> 16;
  return value;
}

}  // namespace headlong
