// The update kernel: sparse differences of features, steps along them, lazy averages.
#pragma once

#include "features/score.hpp"

namespace headlong {

// A sparse vector over the weights of one table. Adding to the same place twice merges the values, so norms are exact.
// Open addressing with linear probing; the capacity is a power of two and at least twice the number of entries.
class SparseVector {
 public:
  struct Entry {
    Code place;
    float value;
  };

  void add(Code place, float value);
  void clear();
  double squared_norm() const;
  std::span<const Entry> entries() const { return entries_; }

 private:
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;  // index into entries_, -1 if free
  Code mask_ = 0;
};

// Adds `amount` at each feature of a part, in column `column` of the table's rows. `indices` is scratch memory.
void add_features(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                  int shift, Index stride, Index column, float amount, std::vector<Code>& indices, SparseVector& out);

// A table in training. `totals` makes averaging lazy: a change d after t sentences also adds d * t to the total. The
// average of the weights after each of T sentences is then weights - totals / T.
struct TrainingTable {
  std::span<float> weights;
  std::span<float> totals;
};

// Adds step * difference to the weights, at time `time`.
void apply_step(const SparseVector& difference, float step, float time, const TrainingTable& table);

// The same for whole rows of a table: values [rows * stride].
void apply_rows(std::span<const Index> rows, std::span<const float> values, Index stride, float step, float time,
                const TrainingTable& table);

// Writes the averaged weights after `time` sentences as 16-bit integers in units of the returned scale. The largest
// magnitude becomes 32767. O(table).
float quantize_average(std::span<const float> weights, std::span<const float> totals, float time,
                       std::span<std::int16_t> out);

}  // namespace headlong
