#include "dense/encoder.hpp"

#include <algorithm>
#include <bit>

#include "base/stop.hpp"

namespace headlong {

Vocabulary::Vocabulary(std::span<const Code> codes, std::span<const Index> rows)
    : entries_(std::bit_ceil(2 * codes.size() + 2), {0, -1}), mask_(static_cast<Code>(entries_.size() - 1)) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    Code place = codes[i] & mask_;
    while (entries_[place].row >= 0) place = (place + 1) & mask_;
    entries_[place] = {codes[i], rows[i]};
  }
}

Index Vocabulary::find(Code code) const {
  Code place = code & mask_;
  while (entries_[place].row >= 0 && entries_[place].code != code) place = (place + 1) & mask_;
  return entries_[place].row;
}

namespace {

// Also NaN, which products of huge weights can lead to, becomes the least value.
float bounded(float value) { return value > LEAST_LOG_PROBABILITY ? value : LEAST_LOG_PROBABILITY; }

}  // namespace

void encode(const Encoder& encoder, const Attributes& words, EncodedSentence& encoded) {
  const std::size_t columns = encoder.columns.size();
  const Index size = encoded.size = words.words;
  encoded.is_whole = false;
  encoded.rows.assign(size * columns, -1);
  encoded.rows[0] = Encoder::ROOT;
  for (Index word = 1; word < size; ++word) {
    const Code* codes = words.codes.data() + static_cast<std::size_t>(word) * words.count;
    for (std::size_t i = 0; i < columns; ++i) {
      const auto& [column, unknown] = encoder.columns[i];
      const Index row = encoder.vocabulary.find(codes[column]);
      encoded.rows[word * columns + i] = row >= 0 ? row : unknown;
    }
  }
  const Index offsets[] = {0, size};
  Random unused(0);
  forward(encoder.network, {encoded.rows, offsets, static_cast<Index>(columns)}, {}, unused, encoded.record);
  arc_scores(encoder.network, encoded.record, 0, size, encoded.transposed, encoded.log_probabilities);
  for (Index modifier = 1; modifier < size; ++modifier) {
    float* row = encoded.log_probabilities.data() + static_cast<std::size_t>(modifier) * padded(size);
    log_probabilities(*encoder.network.kernels, row, padded(size), encoded.scratch);
    std::transform(row, row + size, row, bounded);
    poll();
  }
  encoded.is_whole = true;
}

std::span<const float> label_log_probabilities(const Encoder& encoder, EncodedSentence& encoded, Index head,
                                               Index modifier) {
  encoded.labels.resize(encoder.network.layout.label.out);
  label_probabilities(encoder.network, encoded.record, head, modifier, encoded.labels.data());
  std::ranges::transform(encoded.labels, encoded.labels.begin(), bounded);
  return std::span(encoded.labels).first(encoder.network.shape.labels);
}

}  // namespace headlong
