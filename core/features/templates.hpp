// Templates as data, and the slot codes of a sentence.
//
// A feature is the sum of its slots' codes: for every template and slot (head, modifier, sibling, ...) each word has a
// 32-bit random-looking code, the hash of the template, the slot and the word's attribute values there. A part's
// feature under template t is the sum of one code a slot, plus one product a relation (direction, distance, ...); the
// top bits of the sum are its place in the weight table.
#pragma once

#include "types.hpp"

namespace headlong {

// One attribute of one word near a slot: `h[-1].upos` is {template, slot 0, offset -1, column of upos}.
struct Atom {
  Index pattern;
  Index slot;
  Index offset;
  Index attribute;
};

// A compiled family of templates. `count` templates over `slots` slots and `relations` relations.
struct Templates {
  Index count = 0;
  Index slots = 0;
  Index relations = 0;
  Index stride = 0;                 // count rounded up to whole vectors of eight
  std::vector<Code> seeds;          // [count] hash of the template's text: a code does not depend on the template order
  std::vector<Atom> atoms;          // grouped by (slot, template)
  std::vector<Index> begins;        // [slots * count + 1] ranges of `atoms`
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

// Fills `out`; O(words * atoms). Positions outside the sentence have one fixed code.
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
