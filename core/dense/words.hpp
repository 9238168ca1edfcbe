// Scores of the values of words, for a tagger: from embedding rows to scores of candidate labels.
#pragma once

#include "dense/network.hpp"

namespace headlong {

// Writes scores [words][values] of all values of words. They are log-probabilities plus a constant per word and group.
// The result does not depend on the number of threads.
void value_scores(const Network& network, const NetworkInput& input, std::size_t threads, std::span<float> scores);

// Labels made of values, one of each group. Label i has the values members[begins[i]] to members[begins[i + 1]].
struct ValueLabels {
  std::span<const Index> begins, members;
};

// Candidate labels of words: those of word i are labels[begins[i]] to labels[begins[i + 1]].
struct LabelCandidates {
  std::span<const Index> begins, labels;
};

// Writes the scores [candidates] of candidate labels: `weight` times the sum of the scores [words][values] of their
// values.
void candidate_scores(std::span<const float> scores, std::size_t values, const ValueLabels& labels,
                      const LabelCandidates& candidates, float weight, std::span<float> out);

}  // namespace headlong
