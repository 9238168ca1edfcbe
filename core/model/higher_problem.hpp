// The composed higher-order path on top of the arc-factored one: lay out, enumerate, score, and back from a tree to the
// features of its parts.
#pragma once

#include <tuple>

#include "decode/term_decoder.hpp"
#include "model/arc_problem.hpp"
#include "model/global_scorer.hpp"

namespace headlong {

// The parts of more than one arc of a sentence. It is its own workspace.
struct HigherProblem {
  Frames frames;
  Extras extras;
  std::array<SlotCodes, KINDS> codes;
  Parts parts;
  std::vector<ExtraSlots> slots;
  std::vector<float> scores;
  std::tuple<ModelGlobalScorer<float>, ModelGlobalScorer<std::int16_t>> globals;  // of the model's type of weights
  TreeWorkspace decoding;
  TreeSolution solution;
};

// The parts of whole trees that count, or null.
template <class Weight>
GlobalScorer* term_of(const ParserModel<Weight>& model, HigherProblem& higher) {
  return model.has_globals() ? &std::get<ModelGlobalScorer<Weight>>(higher.globals) : nullptr;
}

// Scores all parts over the candidates of `arcs`, which `build_arcs` has prepared.
template <class Weight>
void build_higher(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs, HigherProblem& higher);

// The parts of one kind over the candidates, with their scores, in higher.parts and higher.scores; frames and extras
// must be laid out. The kind must have templates.
template <class Weight>
void score_kind(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs, Kind kind,
                HigherProblem& higher);

// What each head of a sentence takes for its head and its modifiers: those of a tree, or chosen by each on its own.
struct Choices {
  std::vector<Index> grandparents;  // [size] NO_HEAD for the root
  std::vector<Index> modifiers;     // of a fan together, nearest first
  std::vector<Index> begins;        // [2 * size + 1]

  std::span<const Index> of(Index fan) const {
    return std::span(modifiers).subspan(begins[fan], begins[fan + 1] - begins[fan]);
  }
};
Choices choices_of(std::span<const Index> heads);

// What every head would choose by itself under the scores of the arcs to its modifiers and of its parts (Koo 2010,
// section 6): the best of a superset of all trees, by dynamic programming alone. Flags the chosen arcs and returns what
// they and their parts are worth.
Score choose_freely(const ArcProblem& arcs, const Frames& frames, Choices& choices, std::span<std::uint8_t> chosen);

// Adds to a difference of features what the larger parts contribute: +amount for those of gold alone, -amount for those
// of the other choices alone.
template <class Weight>
void higher_difference(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs,
                       const HigherProblem& higher, const Choices& found, Difference& out, float amount = 1.0F);

// The same for the extras of gold and another tree.
template <class Weight>
void extra_difference(const ParserModel<Weight>& model, const Words& words, const ArcProblem& arcs,
                      const HigherProblem& higher, std::span<const Index> heads, Difference& out, float amount = 1.0F);

// The same for the parts of whole trees. The term then looks at another tree than before.
template <class Weight>
void global_difference(const ParserModel<Weight>& model, const Words& words, HigherProblem& higher,
                       std::span<const Index> heads, Difference& out, float amount = 1.0F);

// Whether all arcs of a tree are candidates. O(candidates).
bool has_arcs(const ArcProblem& arcs, std::span<const Index> heads);

// The labels that go with a tree of candidates.
void labels_of(const ArcProblem& arcs, std::span<const Index> heads, std::span<Index> labels);

}  // namespace headlong
