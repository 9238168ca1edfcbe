#include "features/templates.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <utility>

namespace headlong {

namespace {

constexpr Code OUTSIDE = 0x2545f491U;  // the attribute code of all positions outside the sentence
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
      view_of(static_cast<std::size_t>(slots) * stride, 0),
      view_factors(static_cast<std::size_t>(slots) * stride, 0),
      multipliers(static_cast<std::size_t>(relations) * stride, 0),
      used(stride / 8, 0) {
  if (relations > 32) throw std::invalid_argument("a family can have at most 32 relations");
  if (multipliers_.size() != static_cast<std::size_t>(relations) * count)
    throw std::invalid_argument("multipliers must have one row per relation and one column per template");
  seeds.resize(stride, 0);
  // The atoms of each (slot, template), in the given order.
  std::vector<std::vector<std::pair<Index, Index>>> lists(static_cast<std::size_t>(slots) * stride);
  for (const Atom& atom : atoms_) {
    if (atom.pattern < 0 || atom.pattern >= count || atom.slot < 0 || atom.slot >= slots || atom.attribute < 0)
      throw std::invalid_argument("an atom names a template, slot or attribute that does not exist");
    if (atom.offset < -MAX_OFFSET || atom.offset > MAX_OFFSET)
      throw std::invalid_argument("an atom has an offset of more than 99 words");
    lists[static_cast<std::size_t>(atom.slot) * stride + atom.pattern].emplace_back(atom.offset, atom.attribute);
    reach = std::max(reach, std::abs(atom.offset));
  }
  views.push_back(0);
  slot_views.push_back(0);
  for (Index slot = 0; slot < slots; ++slot) {
    std::map<std::vector<std::pair<Index, Index>>, Index> known;
    for (Index t = 0; t < count; ++t) {
      const std::size_t place = static_cast<std::size_t>(slot) * stride + t;
      if (lists[place].empty()) continue;
      const auto [found, is_new] = known.emplace(lists[place], static_cast<Index>(views.size()) - 1);
      if (is_new) {
        for (const auto& [offset, attribute] : lists[place]) atoms.push_back({t, slot, offset, attribute});
        views.push_back(static_cast<Index>(atoms.size()));
      }
      view_of[place] = found->second;
      view_factors[place] = mix(seeds[t] + SLOT_STEP * static_cast<Code>(slot + 1)) | 1;
    }
    slot_views.push_back(static_cast<Index>(views.size()) - 1);
  }
  for (Index r = 0; r < relations; ++r) {
    for (Index t = 0; t < count; ++t) {
      const Code multiplier = multipliers_[static_cast<std::size_t>(r) * count + t];
      multipliers[static_cast<std::size_t>(r) * stride + t] = multiplier;
      if (multiplier != 0) used[t / 8] |= 1U << r;
    }
  }
}

void slot_codes(const Attributes& attributes, const Templates& templates, SlotCodes& out) {
  const Index stride = templates.stride;
  out.words = attributes.words;
  out.stride = stride;
  out.codes.resize(static_cast<std::size_t>(templates.slots) * attributes.words * stride);
  // With words around the sentence, no position needs a check.
  const std::size_t margin = static_cast<std::size_t>(templates.reach) * attributes.count;
  std::vector<Code> padded(attributes.codes.size() + 2 * margin, OUTSIDE);
  std::copy(attributes.codes.begin(), attributes.codes.end(), padded.begin() + static_cast<std::ptrdiff_t>(margin));
  std::vector<Index> places;  // of atoms, from the first attribute of a word
  for (const Atom& atom : templates.atoms) places.push_back(atom.offset * attributes.count + atom.attribute);
  std::vector<Code> hashes(templates.views.size());
  for (Index slot = 0; slot < templates.slots; ++slot) {
    const Index* view_of = templates.view_of.data() + static_cast<std::size_t>(slot) * stride;
    const Code* factors = templates.view_factors.data() + static_cast<std::size_t>(slot) * stride;
    for (Index word = 0; word < attributes.words; ++word) {
      const Code* own = padded.data() + margin + static_cast<std::size_t>(word) * attributes.count;
      for (Index view = templates.slot_views[slot]; view < templates.slot_views[slot + 1]; ++view) {
        Code state = SLOT_STEP * static_cast<Code>(slot + 1);
        for (Index a = templates.views[view]; a < templates.views[view + 1]; ++a) state = absorb(state, own[places[a]]);
        hashes[view] = mix(state);
      }
      Code* row = out.codes.data() + (static_cast<std::size_t>(slot) * attributes.words + word) * stride;
      if (slot == 0)
        for (Index t = 0; t < stride; ++t) row[t] = hashes[view_of[t]] * factors[t] + templates.seeds[t];
      else
        for (Index t = 0; t < stride; ++t) row[t] = hashes[view_of[t]] * factors[t];
    }
  }
}

}  // namespace headlong
