// Templates as data, and the slot codes of a sentence.
//
// A feature is the sum of the codes of its slots. For every template and slot (head, modifier, sibling, ...) each word
// has a 32-bit code: a hash of the template, the slot and the word's attribute values. The feature of a part under a
// template is the sum of one code per slot and one product per relation (direction, distance, ...). The top bits of the
// sum are the feature's row in the weight table.
#pragma once

#include "base/types.hpp"

namespace headlong {

inline constexpr Index MAX_OFFSET = 99;

// One attribute of a word near a slot: `h[-1].upos` is {template, slot 0, offset -1, column of upos}.
struct Atom {
  Index pattern;
  Index slot;
  Index offset;
  Index attribute;
};

// A compiled family of `count` templates over `slots` slots and `relations` relations.
//
// Many templates look at the same attributes of a word. Such a list of atoms is called a view, and it is hashed once
// per word. The code of a template in a slot is the hash of its view times an odd factor of the template. Slot 0 also
// adds the template's seed. If the template does not look at a slot, its code there is 0.
struct Templates {
  Index count = 0;
  Index slots = 0;
  Index relations = 0;
  Index stride = 0;          // count rounded up to a multiple of eight
  Index reach = 0;           // the largest distance of an atom from its word
  std::vector<Code> seeds;   // [stride] hash of the template's text, so codes do not depend on the order of templates
  std::vector<Atom> atoms;   // the atoms of all views, concatenated
  std::vector<Index> views;  // [views + 1] ranges of `atoms`
  std::vector<Index> slot_views;    // [slots + 1] ranges of views, per slot
  std::vector<Index> view_of;       // [slots * stride] view of each template in each slot; arbitrary if there is none
  std::vector<Code> view_factors;   // [slots * stride] odd; 0 if there is no view
  std::vector<Code> multipliers;    // [relations * stride] 0 if the template does not look at the relation
  std::vector<std::uint32_t> used;  // [stride / 8] bit set of the relations used by each block of eight templates

  Templates() = default;
  Templates(std::span<const Code> seeds, std::span<const Atom> atoms, std::span<const Code> multipliers, Index slots,
            Index relations);
};

// Attribute codes of the words of a sentence, root first: [words * attributes].
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

// Computes the slot codes of a sentence. O(words * (atoms of all views + templates)). All positions outside the
// sentence share one code.
void slot_codes(const Attributes& attributes, const Templates& templates, SlotCodes& out);

// Returns a well-mixed code of a small integer, used for relation values.
inline Code mix(Code value) {
  value ^= value >> 16;
  value *= 0x7feb352dU;
  value ^= value >> 15;
  value *= 0x846ca68bU;
  value ^= value >> 16;
  return value;
}

}  // namespace headlong
