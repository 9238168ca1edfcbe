// The composed first-order path: encode, enumerate, score, prune, label, decode; and back from a tree to its features.
#pragma once

#include <algorithm>
#include <functional>

#include "decode/problem.hpp"
#include "features/update.hpp"
#include "parts/frame_parts.hpp"
#include "parts/globals.hpp"
#include "trees/eisner.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/mst.hpp"

namespace headlong {

// A first-order model: views of templates and weights that somebody else owns. A pruner is one without labels.
template <class Weight>
struct ParserModel {
  const Templates* arc = nullptr;
  const Templates* between = nullptr;              // may be missing
  const Templates* label = nullptr;                // missing: trees without labels
  const Templates* tree_label = nullptr;           // labels in the light of the tree; missing: those of the arcs alone
  std::array<const Templates*, KINDS> families{};  // of frame parts and extras, by Kind; missing: these do not count
  std::array<const Templates*, GLOBALS> global{};  // by Global; likewise
  bool functions = false;                          // whether features that functions find count as well
  Table<Weight> parts;
  Table<Weight> labels;
  std::span<const std::uint8_t> allowed;  // [tags * tags * labels.columns] labels for (head tag, modifier tag)
  Index tags = 0;
  RootRule root = RootRule::Single;
  Instructions instructions = Instructions::Scalar;

  // Whether there is something that only search can use.
  bool has_globals() const { return functions || has_any(global); }
  bool is_first_order() const { return !has_any(families) && !has_globals(); }

  static bool has_any(std::span<const Templates* const> families) {
    return std::ranges::any_of(families, [](const Templates* templates) { return templates != nullptr; });
  }
};

// A feature that somebody else has named, and how much of it a tree has; and what finds those of a tree, given the
// number of the sentence in its corpus. It may be called from any thread.
struct NamedFeature {
  Code code;
  float value;
};
using FeatureFunction =
    std::function<void(std::size_t sentence, std::span<const Index> heads, std::vector<NamedFeature>& out)>;

// One sentence as the core sees it. Gold is empty except in training.
struct Words {
  Attributes attributes;
  std::span<const Traits> traits;
  std::span<const Index> gold_heads;
  std::span<const Index> gold_labels;
  const FeatureFunction* function = nullptr;  // needed by models with functions
  std::size_t number = 0;                     // in the corpus

  Index size() const { return attributes.words; }
  bool has_gold() const { return !gold_heads.empty(); }
};

// An arc-factored arcs over the arcs that survive pruning, sorted by modifier. It is its own workspace: used again,
// it allocates only for a longer sentence than before.
struct ScoredArcs {
  Index size = 0;
  Candidates candidates;
  Parts parts;                    // the candidates with their relations
  std::vector<float> arc_scores;  // without the label
  std::vector<float> label_rows;  // [candidates * labels.stride]
  std::vector<Score> scores;      // arc_scores + best (or log-sum of) label, with the cost in training
  std::vector<Index> labels;      // the best label of each candidate
  std::vector<double> marginals;  // [candidates], after `infer`

  SlotCodes arc_codes, between_codes, label_codes;
  ArcContext context;
  Parts between;
  std::vector<Index> owners;
  std::vector<float> between_scores;
  std::vector<Score> matrix;
  std::vector<double> dense;
  MstWorkspace mst;
  EisnerWorkspace eisner;
  MatrixTreeWorkspace matrix_tree;
};

// Scores arcs.candidates. In training the gold arcs must be among them.
template <class Weight>
void score_arcs(const ParserModel<Weight>& model, const Words& words, ScoredArcs& arcs);

// The flags of the labels that an arc may have. [labels.columns]
template <class Weight>
std::span<const std::uint8_t> allowed_labels(const ParserModel<Weight>& model, const Words& words, Index head,
                                             Index modifier) {
  const std::size_t pair = static_cast<std::size_t>(words.traits[head].tag) * model.tags + words.traits[modifier].tag;
  return model.allowed.subspan(pair * model.labels.columns, model.labels.columns);
}

// Candidates by the posteriors of a pruner, in `out`; gold arcs are always among them, and the pruner's best tree among
// those that `decoder` searches: without a projective tree among the candidates Eisner's algorithm would find nothing.
// `arcs` is scratch. Sentences longer than MAX_MARGINAL_SIZE are pruned by scores: marginals take O(n^3).
inline constexpr Index MAX_MARGINAL_SIZE = 256;
template <class Weight>
void prune(const ParserModel<Weight>& pruner, const Words& words, const PruningRule& rule, bool projective,
           ScoredArcs& arcs, Candidates& out);

// Folds the labels into `scores`: the best allowed one, each wrong labelled arc earning `cost`.
template <class Weight>
void fold_best_labels(const ParserModel<Weight>& model, const Words& words, float cost, ScoredArcs& arcs);

// Folds the labels into `scores` by log-sum-exp, for the distribution over labelled trees.
template <class Weight>
void fold_all_labels(const ParserModel<Weight>& model, const Words& words, ScoredArcs& arcs);

// The best tree under `scores`; fills heads and labels [size] and returns its score.
Score decode(ScoredArcs& arcs, const TreeRules& rules, std::span<Index> heads, std::span<Index> labels);

// The marginals of the candidates under `scores`, in arcs.marginals [candidates]; returns the log-partition.
Score infer(ScoredArcs& arcs, const TreeRules& rules);

// The difference of features between gold and chosen arcs, or between gold and the expectation under the model.
struct Difference {
  SparseVector parts, labels;
  double squared_norm() const { return parts.squared_norm() + labels.squared_norm(); }
};
// `chosen` [candidates] flags arcs, which need not form a tree, each with its label in arcs.labels.
template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                    std::span<const std::uint8_t> chosen, Difference& out);
// Adds `gold` times gold's arcs and so much of each candidate, with its label in arcs.labels, as amounts
// [candidates] say.
template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                    std::span<const float> amounts, float gold, Difference& out);
template <class Weight>
void expected_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, Difference& out);

// The model's score of a tree all of whose arcs are candidates; without labels if `label_stride` is 0.
Score value(const ScoredArcs& arcs, Index label_stride, std::span<const Index> heads, std::span<const Index> labels);

}  // namespace headlong
