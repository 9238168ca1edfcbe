// First-order parsing from words to trees: enumerate, score, prune, label and decode arcs; and from a tree back to its
// features.
#pragma once

#include <algorithm>
#include <functional>

#include "decode/problem.hpp"
#include "dense/tensor.hpp"
#include "features/update.hpp"
#include "parts/frame_parts.hpp"
#include "parts/globals.hpp"
#include "trees/eisner.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/mst.hpp"
#include "trees/reduced_costs.hpp"

namespace headlong {

// A parser model: views of templates and weights that the caller owns. A pruner is a first-order model without labels.
template <class Weight>
struct ParserModel {
  const Templates* arc = nullptr;
  const Templates* between = nullptr;              // null: none
  const Templates* label = nullptr;                // null: trees without labels
  const Templates* tree_label = nullptr;           // labels chosen with the whole tree in view; null: by arcs alone
  std::array<const Templates*, KINDS> families{};  // of frame parts and extras, by Kind; null: not used
  std::array<const Templates*, GLOBALS> global{};  // by Global; null: not used
  bool functions = false;                          // whether feature functions are used
  const Tensor* tensor = nullptr;                  // adds to the scores of arcs; null: not used
  Table<Weight> parts;
  Table<Weight> labels;
  std::span<const std::uint8_t> allowed;  // [tags * tags * labels.columns] allowed labels per (head tag, modifier tag)
  Index tags = 0;
  RootRule root = RootRule::Single;
  Instructions instructions = Instructions::Scalar;

  // Whether there are parts that only search can use.
  bool has_globals() const { return functions || has_any(global); }
  bool is_first_order() const { return !has_any(families) && !has_globals(); }

  static bool has_any(std::span<const Templates* const> families) {
    return std::ranges::any_of(families, [](const Templates* templates) { return templates != nullptr; });
  }
};

// A feature named by the caller, with its value in a tree; and a function that finds the features of a tree, given the
// number of its sentence in the corpus. The function may be called from any thread.
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
  std::span<const float> vectors;             // [size * vector_size] required by tensors with vectors
  const FeatureFunction* function = nullptr;  // required by models with feature functions
  std::size_t number = 0;                     // number of the sentence in the corpus

  Index size() const { return attributes.words; }
  bool has_gold() const { return !gold_heads.empty(); }
};

// The scored candidates of a sentence, sorted by modifier. The object is its own workspace: when reused, it allocates
// only for a sentence longer than all before.
struct ScoredArcs {
  Index size = 0;
  Candidates candidates;
  Parts parts;                    // the candidates with their relations
  std::vector<float> arc_scores;  // without labels
  std::vector<float> label_rows;  // [candidates * labels.stride]
  std::vector<Score> scores;      // arc_scores + best label (or log-sum of labels), with costs in training
  std::vector<Index> labels;      // the best label of each candidate
  std::vector<double> marginals;  // [candidates], after `infer`

  SlotCodes arc_codes, between_codes, label_codes;
  TensorSentence tensor;
  ArcContext context;
  Parts between;
  std::vector<Index> owners;
  std::vector<float> between_scores;
  std::vector<Score> matrix;
  std::vector<double> dense;
  MstWorkspace mst;
  EisnerWorkspace eisner;
  MatrixTreeWorkspace matrix_tree;
  ReducedCostWorkspace costs;
};

// Scores arcs.candidates. In training, they must include the gold arcs.
template <class Weight>
void score_arcs(const ParserModel<Weight>& model, const Words& words, ScoredArcs& arcs);

// Returns the flags [labels.columns] of the labels that an arc may have.
template <class Weight>
std::span<const std::uint8_t> allowed_labels(const ParserModel<Weight>& model, const Words& words, Index head,
                                             Index modifier) {
  const std::size_t pair = static_cast<std::size_t>(words.traits[head].tag) * model.tags + words.traits[modifier].tag;
  return model.allowed.subspan(pair * model.labels.columns, model.labels.columns);
}

// Chooses candidates by the posteriors of a pruner. They always include the gold arcs and the pruner's best tree, which
// is projective if `projective` is set: otherwise Eisner's algorithm might find no tree. `arcs` is scratch. Sentences
// longer than MAX_MARGINAL_SIZE are pruned by scores, because marginals take O(n^3), and there a word's heads are the
// root and the words at most LONG_REACH words away, so that the time per word does not grow with the sentence.
inline constexpr Index MAX_MARGINAL_SIZE = 256;
inline constexpr Index LONG_REACH = 128;
template <class Weight>
void prune(const ParserModel<Weight>& pruner, const Words& words, const PruningRule& rule, bool projective,
           ScoredArcs& arcs, Candidates& out);

// Adds the best allowed label of each arc to `scores`. Each wrong labeled arc gets `cost` extra.
template <class Weight>
void fold_best_labels(const ParserModel<Weight>& model, const Words& words, float cost, ScoredArcs& arcs);

// Adds the log-sum-exp over the allowed labels of each arc to `scores`, for the distribution over labeled trees.
template <class Weight>
void fold_all_labels(const ParserModel<Weight>& model, const Words& words, ScoredArcs& arcs);

// Finds the best tree under `scores`. Writes heads and labels [size] and returns its score.
Score decode(ScoredArcs& arcs, const TreeRules& rules, std::span<Index> heads, std::span<Index> labels);

// Computes the marginals of the candidates under `scores` into arcs.marginals [candidates]. Returns the log-partition.
Score infer(ScoredArcs& arcs, const TreeRules& rules);

// The difference of features between gold and the chosen arcs, or between gold and the expectation under the model.
struct Difference {
  SparseVector parts, labels;
  std::vector<WeightedArc> arcs;  // those that differ, for the tensor

  void clear() {
    parts.clear();
    labels.clear();
    arcs.clear();
  }
  double squared_norm() const { return parts.squared_norm() + labels.squared_norm(); }
};
// `chosen` [candidates] flags arcs, which need not form a tree. Their labels are those of arcs.labels.
template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                    std::span<const std::uint8_t> chosen, Difference& out);
// Adds `gold` times the gold arcs and amounts[arc] times each candidate [candidates], with its label in arcs.labels.
template <class Weight>
void arc_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                    std::span<const float> amounts, float gold, Difference& out);
template <class Weight>
void expected_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, Difference& out);

// Returns the score of a tree of candidates, without labels if `label_stride` is 0.
Score value(const ScoredArcs& arcs, Index label_stride, std::span<const Index> heads, std::span<const Index> labels);

}  // namespace headlong
