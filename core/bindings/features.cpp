// Python bindings of core/features: templates, slot codes and weight tables.
#include <nanobind/stl/variant.h>

#include "bindings/common.hpp"
#include "bindings/unlocked.hpp"
#include "features/cuts.hpp"
#include "features/update.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

Templates make_templates(const In<Code, 1>& seeds, const In<Index, 2>& atoms, const In<Code, 2>& multipliers,
                         Index slots) {
  require(slots >= 1, "a family must have at least one slot");
  require(atoms.shape(1) == 4, "atoms must have the columns template, slot, offset, attribute");
  std::vector<Atom> list(atoms.shape(0));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = {atoms(i, 0), atoms(i, 1), atoms(i, 2), atoms(i, 3)};
  return Templates(view(seeds), list, view(multipliers), slots, static_cast<Index>(multipliers.shape(0)));
}

Attributes check_attributes(const In<Code, 2>& attributes, const Templates& templates) {
  const Attributes result{view(attributes), static_cast<Index>(attributes.shape(0)),
                          static_cast<Index>(attributes.shape(1))};
  for (const Atom& atom : templates.atoms)
    require(atom.attribute < result.count, "a template looks at an attribute that the words do not have");
  return result;
}

PartColumns check_parts(const In<Index, 2>& slots, const In<Code, 2>& relations, const Templates& templates,
                        Index words) {
  require(static_cast<Index>(slots.shape(1)) == templates.slots, "parts must have one column per slot");
  require(static_cast<Index>(relations.shape(1)) == templates.relations && relations.shape(0) == slots.shape(0),
          "relations must have one row per part and one column per relation");
  for (Index position : view(slots))
    require(position >= 0 && position < words, "a part names a word that is out of range");
  return {view(slots), view(relations), slots.shape(0)};
}

std::vector<Cut> check_cuts(const In<Index, 2>& cuts, const In<Code, 1>& seeds) {
  require(cuts.shape(1) == 3 && cuts.shape(0) == seeds.size(),
          "cuts must have the columns (source, begin, end), and one seed per row");
  std::vector<Cut> list(cuts.shape(0));
  for (std::size_t i = 0; i < list.size(); ++i) {
    require(cuts(i, 0) >= 0 && cuts(i, 0) <= 2,
            "the source of a cut must be 0 (lower case), 1 (the word) or 2 (its shape)");
    list[i] = {static_cast<CutOf>(cuts(i, 0)), cuts(i, 1), cuts(i, 2), seeds(i)};
  }
  return list;
}

}  // namespace

void bind_features(nb::module_& m) {
  nb::class_<Templates>(m, "Templates", "A compiled family of templates.")
      .def(
          "__init__",
          [](Templates* self, const In<Code, 1>& seeds, const In<Index, 2>& atoms, const In<Code, 2>& multipliers,
             Index slots) { new (self) Templates(make_templates(seeds, atoms, multipliers, slots)); },
          "seeds"_a, "atoms"_a, "multipliers"_a, "slots"_a,
          "Take seeds [templates], atoms [n, 4] (template, slot, offset, attribute) and\n"
          "multipliers [relations, templates].")
      .def_ro("count", &Templates::count)
      .def_ro("slots", &Templates::slots)
      .def_ro("relations", &Templates::relations);
  m.def(
      "cut_codes",
      [](const In<std::uint8_t, 1>& bytes, const In<Index, 1>& offsets, const In<Index, 2>& cuts,
         const In<Code, 1>& seeds) {
        const auto ends = view(offsets);
        require(!ends.empty() && ends[0] == 0 && std::is_sorted(ends.begin(), ends.end()) &&
                    static_cast<std::size_t>(ends.back()) == bytes.size(),
                "offsets must rise from 0 to the number of bytes");
        const std::vector<Cut> list = check_cuts(cuts, seeds);
        auto codes = new_array<Out<Code, 2>>({ends.size() - 1, list.size()});
        cut_codes(view(bytes), ends, list, {codes.data(), codes.size()});
        return codes;
      },
      "bytes"_a, "offsets"_a, "cuts"_a, "seeds"_a,
      "Return codes [words, cuts] of pieces of ASCII words.\n\n"
      "Word i is bytes[offsets[i] : offsets[i + 1]]. A row of cuts [n, 3] is (source, begin, end). The source is 0\n"
      "for the word in lower case, 1 for the word, 2 for its shape. begin and end work as in a slice. seeds [n].");
  m.def(
      "slot_codes",
      [](const In<Code, 2>& attributes, const Templates& templates) {
        SlotCodes codes;
        slot_codes(check_attributes(attributes, templates), templates, codes);
        return copied<Out<Code, 3>>(codes.codes,
                                    {static_cast<std::size_t>(templates.slots), static_cast<std::size_t>(codes.words),
                                     static_cast<std::size_t>(codes.stride)});
      },
      "attributes"_a, "templates"_a, "Return codes [slots, words, stride] of all words in all slots.");
  m.def(
      "score_parts",
      [](const In<Code, 2>& attributes, const Templates& templates, const In<Index, 2>& slots,
         const In<Code, 2>& relations, const Weights& weights, Index columns, float scale, const char* instructions) {
        const Attributes words = check_attributes(attributes, templates);
        const PartColumns parts = check_parts(slots, relations, templates, words.words);
        SlotCodes codes;
        slot_codes(words, templates, codes);
        return std::visit(
            [&](const auto& array) {
              const auto table = make_table(array, columns, scale);
              std::vector<float> scores(parts.count * table.stride, 0.0F);
              if (table.stride == 1)
                score_parts(codes, templates, parts, table, choose_instructions(instructions), scores);
              else
                score_rows(codes, templates, parts, table, choose_instructions(instructions), scores);
              return copied<Out<float, 2>>(scores, {parts.count, static_cast<std::size_t>(table.stride)});
            },
            weights);
      },
      "attributes"_a, "templates"_a, "slots"_a, "relations"_a, "weights"_a, "columns"_a = 1, "scale"_a = 1.0F,
      "instructions"_a = "", "Return scores [parts, stride] of parts of one family.");
  m.def(
      "feature_indices",
      [](const In<Code, 2>& attributes, const Templates& templates, const In<Index, 2>& slots,
         const In<Code, 2>& relations, Index bits) {
        require(bits >= 1 && bits <= 32, "bits must be 1 to 32");
        const Attributes words = check_attributes(attributes, templates);
        const PartColumns parts = check_parts(slots, relations, templates, words.words);
        SlotCodes codes;
        slot_codes(words, templates, codes);
        std::vector<Code> indices(parts.count * templates.count);
        for (std::size_t p = 0; p < parts.count; ++p)
          feature_indices(codes, templates, parts.slots.data() + p * templates.slots,
                          parts.relations.data() + p * templates.relations, 32 - bits,
                          indices.data() + p * templates.count);
        return copied<Out<Code, 2>>(indices, {parts.count, static_cast<std::size_t>(templates.count)});
      },
      "attributes"_a, "templates"_a, "slots"_a, "relations"_a, "bits"_a,
      "Return the row [parts, templates] of every feature of every part in a table of 2^bits rows.");
  m.def(
      "quantize_average",
      [](const In<float, 2>& weights, const In<float, 2>& totals, float time, const InOut<std::int16_t, 2>& out) {
        require(weights.size() == totals.size() && weights.size() == out.size(),
                "weights, totals and out must have the same size");
        const Unlocked unlocked;
        return quantize_average(view(weights), view(totals), time, view(out));
      },
      "weights"_a, "totals"_a, "time"_a, "out"_a.noconvert(),
      "Write averaged weights as 16-bit integers to out. Return their scale.");
  m.def(
      "instruction_sets",
      [] {
        nb::list names;
        for (std::size_t i = 0; i <= static_cast<std::size_t>(best_instructions()); ++i)
          names.append(nb::str(INSTRUCTION_SETS[i].data(), INSTRUCTION_SETS[i].size()));
        return names;
      },
      nb::sig("def instruction_sets() -> list[str]"),
      "Return the instruction sets of this machine that kernels use, the best one last. Functions that take one use "
      "the\n"
      "best one by default; results have the same bits with all of them.");
}

}  // namespace headlong
