// SampleRank (Wick 2011; Zhang 2014a, section 3.3): learning from the trees of a sampler. Two kinds of constraints:
// gold is to be better than a sample by the errors of the sample, and of two neighbouring samples the one with fewer
// errors is to be better by the difference of their errors.
//
// The paper makes a step for each violated constraint. Here the weights stay as they are while a sentence is studied,
// because its parts are scored once; the violated constraints of an average sweep are added up to one, which is implied
// by them, and the learner makes one step for it. Samples are drawn from the scores with costs, so that trees with
// errors turn up even where the model has learnt the sentence.
#pragma once

#include "model/trainer.hpp"

namespace headlong {

// Samples trees under update.arcs.scores, which have costs folded in, and writes the sum of violated constraints to
// update.difference, the last tree to update.heads; `gold` is what gold's arcs are worth. Returns by how much the sum
// is violated.
double rank_samples(const ParserModel<float>& model, const Words& words, double gold, const DecodeOptions& options,
                    Update& update);

}  // namespace headlong
