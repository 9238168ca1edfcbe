#include "features/update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlong {

namespace {

void add_to_weight(const TrainingTable& table, std::size_t place, float delta, float time) {
  table.weights[place] += delta;
  table.totals[place] += delta * time;
}

}  // namespace

void SparseVector::add(Code place, float value) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  Code slot = mix(place) & mask_;
  while (slots_[slot] >= 0 && entries_[slots_[slot]].place != place) slot = (slot + 1) & mask_;
  if (slots_[slot] < 0) {
    slots_[slot] = static_cast<std::int32_t>(entries_.size());
    entries_.push_back({place, value});
  } else {
    entries_[slots_[slot]].value += value;
  }
}

void SparseVector::clear() {
  entries_.clear();
  std::fill(slots_.begin(), slots_.end(), -1);
}

void SparseVector::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), -1);
  mask_ = static_cast<Code>(slots_.size() - 1);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Code slot = mix(entries_[i].place) & mask_;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask_;
    slots_[slot] = static_cast<std::int32_t>(i);
  }
}

double SparseVector::squared_norm() const {
  double norm = 0.0;
  for (const Entry& entry : entries_) norm += static_cast<double>(entry.value) * entry.value;
  return norm;
}

void add_features(const SlotCodes& codes, const Templates& templates, const Index* slots, const Code* relations,
                  int shift, Index stride, Index column, float amount, std::vector<Code>& indices, SparseVector& out) {
  indices.resize(templates.count);
  feature_indices(codes, templates, slots, relations, shift, indices.data());
  for (Code index : indices) out.add(index * static_cast<Code>(stride) + static_cast<Code>(column), amount);
}

void apply_step(const SparseVector& difference, float step, float time, const TrainingTable& table) {
  for (const auto& [place, value] : difference.entries()) add_to_weight(table, place, step * value, time);
}

void apply_rows(std::span<const Index> rows, std::span<const float> values, Index stride, float step, float time,
                const TrainingTable& table) {
  for (std::size_t i = 0; i < values.size(); ++i)
    add_to_weight(table, static_cast<std::size_t>(rows[i / stride]) * stride + i % stride, step * values[i], time);
}

float quantize_average(std::span<const float> weights, std::span<const float> totals, float time,
                       std::span<std::int16_t> out) {
  const float share = time > 0.0F ? 1.0F / time : 0.0F;
  auto average = [&](std::size_t i) { return weights[i] - totals[i] * share; };
  float largest = 0.0F;
  for (std::size_t i = 0; i < weights.size(); ++i) largest = std::max(largest, std::abs(average(i)));
  if (largest == 0.0F) {
    std::fill(out.begin(), out.end(), std::int16_t{0});
    return 1.0F;
  }
  // At least the smallest normal number: a subnormal scale has too few digits to keep the quotients in range.
  const float scale = std::max(largest / 32767.0F, std::numeric_limits<float>::min());
  for (std::size_t i = 0; i < weights.size(); ++i) out[i] = static_cast<std::int16_t>(std::lround(average(i) / scale));
  return scale;
}

}  // namespace headlong
