#include "dense/words.hpp"

#include <algorithm>

#include "base/threads.hpp"

namespace headlong {

namespace {

// Sentences are encoded together up to about this many words, so that products have enough rows.
constexpr Index TOGETHER = 128;

}  // namespace

void value_scores(const Network& network, const NetworkInput& input, std::size_t threads, std::span<float> scores) {
  std::vector<Index> firsts{0};  // of the sentences that are encoded together
  for (Index s = 0; s + 1 < static_cast<Index>(input.offsets.size()); ++s)
    if (input.offsets[s + 1] - input.offsets[firsts.back()] >= TOGETHER) firsts.push_back(s + 1);
  if (firsts.back() + 1 < static_cast<Index>(input.offsets.size())) firsts.push_back(input.offsets.size() - 1);
  const std::size_t count = firsts.size() - 1, values = network.shape.values();
  std::vector<NetworkRecord> records(useful_threads(count, threads));
  parallel_for(count, threads, [&](std::size_t thread, std::size_t i) {
    const Index first = firsts[i], last = firsts[i + 1], begin = input.offsets[first], end = input.offsets[last];
    std::vector<Index> offsets(input.offsets.begin() + first, input.offsets.begin() + last + 1);
    for (Index& offset : offsets) offset -= begin;
    const auto rows = input.rows.subspan(static_cast<std::size_t>(begin) * input.columns,
                                         static_cast<std::size_t>(end - begin) * input.columns);
    Random unused(0);
    NetworkRecord& record = records[thread];
    forward(network, {rows, offsets, input.columns}, {}, unused, record);
    for (Index word = 0; word < record.words; ++word)
      std::copy_n(record.values.data() + static_cast<std::size_t>(word) * network.layout.values.out, values,
                  scores.data() + static_cast<std::size_t>(begin + word) * values);
  });
}

void candidate_scores(std::span<const float> scores, std::size_t values, const ValueLabels& labels,
                      const LabelCandidates& candidates, float weight, std::span<float> out) {
  for (std::size_t word = 0; word + 1 < candidates.begins.size(); ++word) {
    const float* of_values = scores.data() + word * values;
    for (Index i = candidates.begins[word]; i < candidates.begins[word + 1]; ++i) {
      const Index label = candidates.labels[i];
      float sum = 0.0F;
      for (Index k = labels.begins[label]; k < labels.begins[label + 1]; ++k) sum += of_values[labels.members[k]];
      out[i] = weight * sum;
    }
  }
}

}  // namespace headlong
