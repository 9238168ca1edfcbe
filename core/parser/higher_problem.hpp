// The composed higher-order path on top of the arc-factored one: lay out, enumerate, score, and back from a tree to the
// features of its parts.
#pragma once

#include "parser/arc_problem.hpp"
#include "parser/tree_decoders.hpp"
#include "parts/higher.hpp"

namespace headlong {

// The parts of more than one arc of a sentence. It is its own workspace.
struct HigherProblem {
  Frames frames;
  std::array<SlotCodes, KINDS> codes;
  Parts parts;
  std::vector<float> scores;
  TreeWorkspace decoding;
  TreeSolution solution;
};

// Scores all parts over the candidates of `arcs`, which `build_arcs` has prepared.
template <class Weight>
void build_higher(const ArcModel<Weight>& model, const Words& words, const ArcProblem& arcs, HigherProblem& higher);

// The parts of one kind over the candidates, with their scores, in higher.parts and higher.scores; the frames must be
// laid out. The kind must have templates.
template <class Weight>
void score_kind(const ArcModel<Weight>& model, const Words& words, const ArcProblem& arcs, Kind kind,
                HigherProblem& higher);

// Adds to a difference of features what the larger parts contribute: +1 for those of gold alone, -1 for those of the
// other tree alone.
template <class Weight>
void higher_difference(const ArcModel<Weight>& model, const Words& words, const ArcProblem& arcs,
                       const HigherProblem& higher, std::span<const Index> heads, Difference& out);

// Whether all arcs of a tree are candidates. O(candidates).
bool has_arcs(const ArcProblem& arcs, std::span<const Index> heads);

// The labels that go with a tree of candidates.
void labels_of(const ArcProblem& arcs, std::span<const Index> heads, std::span<Index> labels);

}  // namespace headlong
