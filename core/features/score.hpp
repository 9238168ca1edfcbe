// The scoring kernels. `score_parts` gives each part one number (arcs and all other parts). `score_rows` gives each
// part one row of numbers, one per label or tag.
//
// Both work for any template family: a part is a row of word positions, one per slot, and a row of relation values.
// Each kernel has a scalar and an AVX2 version, chosen at run time. Both versions return the same bits: they add floats
// in the same order, and integer sums are exact.
#pragma once

#include "features/templates.hpp"

namespace headlong {

// The parts of one family: slots[part * templates.slots + slot], relations[part * templates.relations + relation].
struct PartColumns {
  std::span<const Index> slots;
  std::span<const Code> relations;
  std::size_t count = 0;
};

// A hashed table of 2^bits rows with `columns` weights each (padded to `stride`). Training uses floats. A trained model
// uses 16-bit integers in units of `scale`, which halves memory traffic and makes sums independent of their order.
template <class Weight>
struct Table {
  const Weight* weights = nullptr;  // [2^bits * stride], followed by padding of one vector
  Index bits = 0;
  Index columns = 1;
  Index stride = 1;
  float scale = 1.0F;

  int shift() const { return 32 - bits; }
};

// Each set includes those before it.
enum class Instructions : std::uint8_t { Scalar, Avx2, Avx512 };

// Returns the best instruction set of this machine.
Instructions best_instructions();

// Writes the table rows of all features of one part to indices[templates.count], each below 2^bits.
void feature_indices(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                     int shift, Code* indices);

// Adds to scores[part] the weights of the part's features. O(parts * templates).
template <class Weight>
void score_parts(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                 const Table<Weight>& table, Instructions instructions, std::span<float> scores);

// Sets rows[part * table.stride + column] to the sum of the weights in that column over the part's features.
template <class Weight>
void score_rows(const SlotCodes& codes, const Templates& templates, const PartColumns& parts,
                const Table<Weight>& table, Instructions instructions, std::span<float> rows);

}  // namespace headlong
