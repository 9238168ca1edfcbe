#include "features/templates.hpp"

#include <algorithm>
#include <stdexcept>

namespace headlong {

namespace {

constexpr Code OUTSIDE = 0x2545f491U;  // the attribute code of every position before the root or after the last word
constexpr Code SLOT_STEP = 0x9e3779b9U;

Code absorb(Code state, Code value) {
  state = (state ^ value) * 0x9e3779b1U;
  return state ^ (state >> 15);
}

}  // namespace

Templates::Templates(std::span<const Code> seeds_, std::span<const Atom> atoms_, std::span<const Code> multipliers_,
                     Index slots_, Index relations_)
    : count(static_cast<Index>(seeds_.size())),
      slots(slots_),
      relations(relations_),
      stride((count + 7) / 8 * 8),
      seeds(seeds_.begin(), seeds_.end()),
      atoms(atoms_.begin(), atoms_.end()),
      begins(static_cast<std::size_t>(slots) * count + 1, 0),
      multipliers(static_cast<std::size_t>(relations) * stride, 0) {
  if (multipliers_.size() != static_cast<std::size_t>(relations) * count)
    throw std::invalid_argument("multipliers must have one row a relation and one column a template");
  if (relations > 32) throw std::invalid_argument("a family may have at most 32 relations");
  for (const Atom& atom : atoms)
    if (atom.pattern < 0 || atom.pattern >= count || atom.slot < 0 || atom.slot >= slots || atom.attribute < 0)
      throw std::invalid_argument("an atom lies outside its family");
  auto place = [this](const Atom& atom) { return atom.slot * count + atom.pattern; };
  std::stable_sort(atoms.begin(), atoms.end(), [&](const Atom& a, const Atom& b) { return place(a) < place(b); });
  for (const Atom& atom : atoms) ++begins[place(atom) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  used.assign(stride / 8, 0);
  for (Index r = 0; r < relations; ++r) {
    for (Index t = 0; t < count; ++t) {
      const Code multiplier = multipliers_[static_cast<std::size_t>(r) * count + t];
      multipliers[static_cast<std::size_t>(r) * stride + t] = multiplier;
      if (multiplier != 0) used[t / 8] |= 1U << r;
    }
  }
}

void slot_codes(const Attributes& attributes, const Templates& templates, SlotCodes& out) {
  out.words = attributes.words;
  out.stride = templates.stride;
  out.codes.assign(static_cast<std::size_t>(templates.slots) * attributes.words * templates.stride, 0);
  auto attribute = [&](Index word, const Atom& atom) {
    const Index position = word + atom.offset;
    if (position < 0 || position >= attributes.words) return OUTSIDE;
    return attributes.codes[static_cast<std::size_t>(position) * attributes.count + atom.attribute];
  };
  for (Index slot = 0; slot < templates.slots; ++slot) {
    for (Index word = 0; word < attributes.words; ++word) {
      Code* row = out.codes.data() + (static_cast<std::size_t>(slot) * attributes.words + word) * out.stride;
      for (Index t = 0; t < templates.count; ++t) {
        const Index begin = templates.begins[slot * templates.count + t];
        const Index end = templates.begins[slot * templates.count + t + 1];
        // A slot that the template does not look at adds nothing; slot 0 always carries the template itself.
        if (begin == end && slot != 0) continue;
        Code state = templates.seeds[t] + SLOT_STEP * static_cast<Code>(slot);
        for (Index a = begin; a < end; ++a) state = absorb(state, attribute(word, templates.atoms[a]));
        row[t] = mix(state);
      }
    }
  }
}

}  // namespace headlong
