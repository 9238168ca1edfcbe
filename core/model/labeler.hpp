// Labels in the light of the whole tree: once the tree is known, each arc's label is chosen anew with its neighbours in
// view. One part an arc: its slots are words around it in the tree, its relations their first labels.
#pragma once

#include "model/scored_arcs.hpp"

namespace headlong {

// Slots: grandparent, head, modifier, the siblings before (nearer to the head) and after, the modifier's first and last
// modifiers. A missing grandparent, sibling or modifier is stood for by the head or, of a modifier, by itself; the
// relation `side` tells who is missing. The other relations are the labels that the arc model alone gives to the head,
// the two siblings and the two modifiers, and how many modifiers the modifier has to its left and to its right.
enum class TreeLabel : Index { Side, HeadLabel, BeforeLabel, AfterLabel, FirstLabel, LastLabel, Valency, Count };
inline constexpr Index TREE_LABEL_SLOTS = 7;
inline constexpr Index TREE_LABEL_RELATIONS = static_cast<Index>(TreeLabel::Count);

struct LabelerWorkspace {
  std::vector<Index> arcs;                                   // [size] the candidate into each word
  std::vector<Index> first;                                  // [size] the labels of the arc model alone
  std::vector<Index> before, after, children[2], counts[2];  // [size] neighbours in the tree
  Parts parts;
  SlotCodes codes;
  std::vector<float> rows;  // [size - 1][stride] what the tree adds to the scores of labels
};

// Chooses the labels of a tree of candidates. O(size * templates * labels).
template <class Weight>
void label_tree(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                std::span<const Index> heads, std::span<Index> labels, LabelerWorkspace& workspace);

// Multiplies probabilities [size] by those of the given labels: their shares of exp(score) among the labels that their
// arcs may have, under the scores with which `label_tree` chooses. O(size * templates * labels).
template <class Weight>
void weigh_labels(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                  std::span<const Index> heads, std::span<const Index> labels, std::span<double> probabilities,
                  LabelerWorkspace& workspace);

// Labels the gold tree, each wrong label earning `cost`, and adds to a difference of features what tells the gold
// labels from those; returns by how much these are better.
template <class Weight>
double label_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, float cost,
                        SparseVector& difference, LabelerWorkspace& workspace);

}  // namespace headlong
