// The scoring kernels: one for numbers (arcs and all other parts), one for rows (labels, tags).
//
// Both run over any family: a part is a row of word positions, one a slot, and a row of relation values. They come in a
// scalar and an AVX2 version, chosen once at run time, with equal results: floats are summed in the same order in
// both, whole numbers exactly.
#pragma once

#include "features/templates.hpp"

namespace headlong {

// Parts of one family: `slots[part * templates.slots + slot]`, `relations[part * templates.relations + relation]`.
struct PartColumns {
  std::span<const Index> slots;
  std::span<const Code> relations;
  std::size_t count = 0;
};

// A hashed table of 2^bits rows of `columns` weights (padded to `stride`). Training keeps floats; a trained model keeps
// 16-bit whole numbers, each worth `scale`: half the memory traffic, and sums that no order of adding can change.
template <class Weight>
struct Table {
  const Weight* weights = nullptr;  // [2^bits * stride], plus padding of one vector
  Index bits = 0;
  Index columns = 1;
  Index stride = 1;
  float scale = 1.0F;

  int shift() const { return 32 - bits; }
};

enum class Instructions : std::uint8_t { Scalar, Avx2 };

// The best instruction set of this machine.
Instructions best_instructions();

// Places in the table of all features of one part: `indices[templates.count]`, each below 2^bits.
void feature_indices(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                     int shift, Code* indices);

// scores[part] += sum of the weights of the part's features. O(parts * templates).
template <class Weight>
void score_parts(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                 const Table<Weight>& table, Instructions instructions, std::span<float> scores);

// rows[part * table.stride + column] = sum over the part's features of the weight in that column.
template <class Weight>
void score_rows(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                const Table<Weight>& table, Instructions instructions, std::span<float> rows);

}  // namespace headlong
