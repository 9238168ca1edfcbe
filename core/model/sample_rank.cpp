#include "model/sample_rank.hpp"

namespace headlong {

namespace {

constexpr Index SWEEPS = 5;  // per sentence and epoch
constexpr double TEMPERATURE = 0.25;

// The constraints of one sentence.
class Ranking {
 public:
  Ranking(const ParserModel<float>& model, const Words& words, double gold, bool projective, Update& update)
      : model_(model),
        words_(words),
        update_(update),
        problem_(problem_of(model, update.arcs, update.parts, projective)),
        gold_(gold) {
    Problem parts_alone = problem_;
    parts_alone.arc_scores = {};  // `gold` has the gold arcs, without costs
    gold_ += tree_value(parts_alone, words.gold_heads, update.parts.decoding.climb);
    update.amounts.assign(update.arcs.parts.count, 0.0F);
    update.difference.clear();
  }

  double run(const DecodeOptions& options) {
    DecodeWorkspace& decoding = update_.parts.decoding;
    std::vector<Index>& heads = update_.heads;
    best_tree(*problem_.frames, problem_.arc_scores, problem_.rules, heads, decoding);
    DecodeOptions sampling = options;
    sampling.temperature = TEMPERATURE;
    Sampler sampler(problem_, sampling, heads, decoding.climb, decoding.sampler);
    if (!sampler.set_up()) return 0.0;
    update_.before.assign(heads.begin(), heads.end());
    value_ = sampler.value();
    errors_ = count_errors(heads);
    for (Index sweep = 0; sweep < SWEEPS; ++sweep) {
      for (Index number = 0; number < sampler.steps(); ++number)
        if (sampler.step(number, sampling.temperature)) move(sampler.value());
      if (value_ > gold_) {
        violation_ += value_ - gold_;
        amount_ += 1.0F;
      }
    }
    settle();
    arc_difference(model_, words_, update_.arcs, update_.amounts, gold_amount_, update_.difference);
    return violation_ / SWEEPS;
  }

 private:
  // Moves from the previous tree to the one in update_.heads.
  void move(Score value) {
    const Index errors = count_errors(update_.heads);
    const bool better = errors < errors_;
    const double violation = better ? value_ - value : value - value_;
    const float amount = errors != errors_ && violation > 0.0 ? (better ? 1.0F : -1.0F) : 0.0F;
    if (amount != 0.0F) violation_ += violation;
    amount_ += amount;
    settle();
    amount_ = -amount;
    update_.before.assign(update_.heads.begin(), update_.heads.end());
    errors_ = errors;
    value_ = value;
  }

  // Adds the contribution of the previous tree: `amount_` times the difference between gold and it.
  void settle() {
    if (amount_ == 0.0F) return;
    const ScoredArcs& arcs = update_.arcs;
    const float amount = amount_ / SWEEPS;
    gold_amount_ += amount;
    for (std::size_t arc = 0; arc < arcs.parts.count; ++arc)
      if (update_.before[arcs.parts.slots[2 * arc + 1]] == arcs.parts.slots[2 * arc]) update_.amounts[arc] -= amount;
    frame_difference(model_, words_, arcs, update_.parts, choices_of(update_.before), update_.difference, amount);
    extra_difference(model_, words_, arcs, update_.parts, update_.before, update_.difference, amount);
    if (problem_.global_scorer) {
      global_difference(model_, words_, update_.parts, update_.before, update_.difference, amount);
      problem_.global_scorer->start(update_.heads);  // the sampler continues from there
    }
  }

  // Counts the words with a wrong head or label. O(candidates).
  Index count_errors(std::span<const Index> heads) const {
    const ScoredArcs& arcs = update_.arcs;
    Index errors = 0;
    for (std::size_t arc = 0; arc < arcs.parts.count; ++arc) {
      const Index head = arcs.parts.slots[2 * arc], modifier = arcs.parts.slots[2 * arc + 1];
      if (heads[modifier] != head) continue;
      errors +=
          words_.gold_heads[modifier] != head || (model_.label && words_.gold_labels[modifier] != arcs.labels[arc]);
    }
    return errors;
  }

  const ParserModel<float>& model_;
  const Words& words_;
  Update& update_;
  Problem problem_;
  double gold_;             // value of the gold tree
  double violation_ = 0.0;  // sum over all constraints
  float amount_ = 0.0F;  // violated constraints in which the previous tree is the worse one, minus those in which it is
                         // the better one
  float gold_amount_ = 0.0F;  // total weight of the gold tree
  double value_ = 0.0;        // of the previous tree
  Index errors_ = 0;
};

}  // namespace

double rank_samples(const ParserModel<float>& model, const Words& words, double gold, const DecodeOptions& options,
                    Update& update) {
  score_all_parts(model, words, update.arcs, update.parts);
  if (words.size() == 1) {
    update.heads.assign(1, NO_HEAD);
    update.difference.clear();
    return 0.0;
  }
  const double violation = Ranking(model, words, gold, options.projective, update).run(options);
  labels_of(update.arcs, update.heads, update.labels);
  return violation;
}

}  // namespace headlong
