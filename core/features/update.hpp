// The update kernel: sparse differences of features, steps along them, lazily kept averages.
#pragma once

#include "features/score.hpp"

namespace headlong {

// A sparse vector over the places of one table, built by adding; equal places merge, so that a norm is the true one.
// Open addressing with linear probing; capacity is a power of two, at least twice the number of entries.
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

// Adds `amount` times the indicator of a part's features, in column `column` of the table's rows. `indices` is scratch.
void add_features(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                  int shift, Index stride, Index column, float amount, std::vector<Code>& indices, SparseVector& out);

// A table in training. `totals` makes averages lazy: with every change d made after t other sentences it takes d * t,
// so that the average of the weights after each of T sentences is weights - totals / T.
struct TrainingTable {
  std::span<float> weights;
  std::span<float> totals;
};

// weights += step * difference at time `time`.
void apply_step(const SparseVector& difference, float step, float time, const TrainingTable& table);

// Averaged weights after `time` sentences, times 1 / scale, rounded to 16 bits (largest magnitude that occurs ->
// 32767). Returns the scale. O(table).
float quantize_average(std::span<const float> weights, std::span<const float> totals, float time,
                       std::span<std::int16_t> out);

}  // namespace headlong
