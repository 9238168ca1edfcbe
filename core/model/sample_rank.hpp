// SampleRank (Wick 2011; Zhang 2014a, section 3.3): learning from the trees of a sampler. There are two kinds of
// constraints. Gold must beat a sample by the number of errors of the sample. Of two consecutive samples, the one with
// fewer errors must beat the other by the difference of their errors.
//
// The paper makes one step for each violated constraint. Here the weights stay fixed while a sentence is processed,
// because its parts are scored once. The violated constraints of an average sweep are summed up to one constraint,
// which they imply, and the learner makes one step for it. Samples are drawn from the scores with costs, so trees with
// errors occur even if the model has learned the sentence.
#pragma once

#include "model/trainer.hpp"

namespace headlong {

// Samples trees under update.arcs.scores, which must include costs. Writes the sum of violated constraints to
// update.difference and the last tree to update.heads. `gold` is the value of the gold arcs. Returns the violation of
// the sum.
double rank_samples(const ParserModel<float>& model, const Words& words, double gold, const DecodeOptions& options,
                    Update& update);

}  // namespace headlong
