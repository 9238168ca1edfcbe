// Labels chosen with the whole tree in view: once the tree is known, each arc gets a new label that depends on its
// neighbors. There is one part per arc. Its slots are words around the arc in the tree, its relations their first
// labels.
#pragma once

#include "model/scored_arcs.hpp"

namespace headlong {

// Slots: grandparent, head, modifier, the siblings before (nearer to the head) and after, and the modifier's first and
// last modifiers. The head replaces a missing grandparent or sibling, and the modifier replaces its missing modifiers;
// the relation `side` tells which are missing. The other relations are the labels that the arc model alone gives to the
// head, the two siblings and the two modifiers, and the numbers of modifiers to the left and right of the modifier.
enum class TreeLabel : Index { Side, HeadLabel, BeforeLabel, AfterLabel, FirstLabel, LastLabel, Valency, Count };
inline constexpr Index TREE_LABEL_SLOTS = 7;
inline constexpr Index TREE_LABEL_RELATIONS = static_cast<Index>(TreeLabel::Count);

struct LabelerWorkspace {
  std::vector<Index> arcs;                                   // [size] the candidate into each word
  std::vector<Index> first;                                  // [size] the labels that the arc model alone chooses
  std::vector<Index> before, after, children[2], counts[2];  // [size] neighbors in the tree
  Parts parts;
  SlotCodes codes;
  std::vector<float> rows;  // [size - 1][stride] what the tree adds to the label scores
};

// Labels a tree of candidates. O(size * templates * labels).
template <class Weight>
void label_tree(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                std::span<const Index> heads, std::span<Index> labels, LabelerWorkspace& workspace);

// Multiplies probabilities [size] by those of the given labels: their shares of exp(score) among the allowed labels of
// their arcs, under the scores that `label_tree` uses. O(size * templates * labels).
template <class Weight>
void weigh_labels(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                  std::span<const Index> heads, std::span<const Index> labels, std::span<double> probabilities,
                  LabelerWorkspace& workspace);

// Labels the gold tree, where each wrong label gets `cost` extra, and adds the difference of features between the gold
// labels and those found. Returns how much better the labels found are.
template <class Weight>
double label_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, float cost,
                        SparseVector& difference, LabelerWorkspace& workspace);

}  // namespace headlong
