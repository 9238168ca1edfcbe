#include "model/sample_rank.hpp"

namespace headlong {

namespace {

constexpr Index SWEEPS = 5;  // a sentence and epoch
constexpr double TEMPERATURE = 0.25;

// The constraints of one sentence.
class Ranking {
 public:
  Ranking(const ParserModel<float>& model, const Words& words, double gold, Lesson& lesson)
      : model_(model), words_(words), lesson_(lesson), gold_(gold) {
    HigherProblem& higher = lesson.higher;
    gold_ +=
        tree_value(higher.frames, {}, words.gold_heads, higher.decoding.climb, &higher.extras, term_of(model, higher));
    lesson.amounts.assign(lesson.problem.arcs.count, 0.0F);
    lesson.difference.parts.clear();
    lesson.difference.labels.clear();
  }

  double run(const TreeOptions& options) {
    HigherProblem& higher = lesson_.higher;
    TreeWorkspace& decoding = higher.decoding;
    std::vector<Index>& heads = lesson_.heads;
    const TreeRules rules{model_.root, options.rules.projective};
    best_tree(higher.frames, lesson_.problem.scores, rules, heads, decoding);
    SamplerOptions sampling = options.tuning.sampling;
    sampling.temperature = TEMPERATURE;
    Sampler sampler(higher.frames, lesson_.problem.scores, rules.root, rules.projective, sampling, heads,
                    decoding.climb, decoding.sampler, higher.extras.any() ? &higher.extras : nullptr,
                    term_of(model_, higher));
    if (!sampler.set_up()) return 0.0;
    lesson_.before.assign(heads.begin(), heads.end());
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
    arc_difference(model_, words_, lesson_.problem, lesson_.amounts, gold_amount_, lesson_.difference);
    return violation_ / SWEEPS;
  }

 private:
  // From the tree before to that of the heads.
  void move(Score value) {
    const Index errors = count_errors(lesson_.heads);
    const bool better = errors < errors_;
    const double violation = better ? value_ - value : value - value_;
    const float amount = errors != errors_ && violation > 0.0 ? (better ? 1.0F : -1.0F) : 0.0F;
    if (amount != 0.0F) violation_ += violation;
    amount_ += amount;
    settle();
    amount_ = -amount;
    lesson_.before.assign(lesson_.heads.begin(), lesson_.heads.end());
    errors_ = errors;
    value_ = value;
  }

  // Adds what is known of the tree before: `amount_` times the difference between gold and it.
  void settle() {
    if (amount_ == 0.0F) return;
    const ArcProblem& problem = lesson_.problem;
    const float amount = amount_ / SWEEPS;
    gold_amount_ += amount;
    for (std::size_t arc = 0; arc < problem.arcs.count; ++arc)
      if (lesson_.before[problem.arcs.slots[2 * arc + 1]] == problem.arcs.slots[2 * arc])
        lesson_.amounts[arc] -= amount;
    higher_difference(model_, words_, problem, lesson_.higher, choices_of(lesson_.before), lesson_.difference, amount);
    extra_difference(model_, words_, problem, lesson_.higher, lesson_.before, lesson_.difference, amount);
    if (GlobalScorer* term = term_of(model_, lesson_.higher)) {
      global_difference(model_, words_, lesson_.higher, lesson_.before, lesson_.difference, amount);
      term->start(lesson_.heads);  // the sampler goes on from there
    }
  }

  // Words with a wrong head, or with a label that is wrong. O(candidates).
  Index count_errors(std::span<const Index> heads) const {
    const ArcProblem& problem = lesson_.problem;
    Index errors = 0;
    for (std::size_t arc = 0; arc < problem.arcs.count; ++arc) {
      const Index head = problem.arcs.slots[2 * arc], modifier = problem.arcs.slots[2 * arc + 1];
      if (heads[modifier] != head) continue;
      errors +=
          words_.gold_heads[modifier] != head || (model_.label && words_.gold_labels[modifier] != problem.labels[arc]);
    }
    return errors;
  }

  const ParserModel<float>& model_;
  const Words& words_;
  Lesson& lesson_;
  double gold_;               // what gold is worth
  double violation_ = 0.0;    // of all constraints
  float amount_ = 0.0F;       // in how many violated constraints the tree before is the worse one, less the others
  float gold_amount_ = 0.0F;  // of gold in the sum
  double value_ = 0.0;        // of the tree before
  Index errors_ = 0;
};

}  // namespace

double rank_samples(const ParserModel<float>& model, const Words& words, double gold, const TreeOptions& options,
                    Lesson& lesson) {
  build_higher(model, words, lesson.problem, lesson.higher);
  if (words.size() == 1) {
    lesson.heads.assign(1, NO_HEAD);
    lesson.difference.parts.clear();
    lesson.difference.labels.clear();
    return 0.0;
  }
  const double violation = Ranking(model, words, gold, lesson).run(options);
  labels_of(lesson.problem, lesson.heads, lesson.labels);
  return violation;
}

}  // namespace headlong
