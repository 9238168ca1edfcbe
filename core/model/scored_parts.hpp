// The composed parts-order path on top of the arc-factored one: lay out, enumerate, score, and back from a tree to the
// features of its parts.
#pragma once

#include <tuple>

#include "decode/solve.hpp"
#include "model/global_scorer.hpp"
#include "model/scored_arcs.hpp"

namespace headlong {

// The parts of more than one arc of a sentence. It is its own workspace.
struct ScoredParts {
  Frames frames;
  Extras extras;
  std::array<SlotCodes, KINDS> codes;
  Parts rows;  // of one kind
  std::vector<ExtraSlots> slots;
  std::vector<float> scores;
  std::tuple<ModelGlobalScorer<float>, ModelGlobalScorer<std::int16_t>> globals;  // of the model's type of weights
  DecodeWorkspace decoding;
  Solution solution;
};

// The scored sentence as a problem for a decoder; arcs and parts must outlive it.
template <class Weight>
Problem problem_of(const ParserModel<Weight>& model, const ScoredArcs& arcs, ScoredParts& parts, bool projective) {
  Problem problem;
  problem.frames = &parts.frames;
  problem.arc_scores = arcs.scores;
  problem.extras = parts.extras.any() ? &parts.extras : nullptr;
  problem.global_scorer = model.has_globals() ? &std::get<ModelGlobalScorer<Weight>>(parts.globals) : nullptr;
  problem.rules = {model.root, projective};
  return problem;
}

// Scores all parts over the candidates of `arcs`, which `score_arcs` has prepared.
template <class Weight>
void score_all_parts(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, ScoredParts& parts);

// The parts of one kind over the candidates, with their scores, in parts.rows and parts.scores; frames and extras
// must be laid out. The kind must have templates.
template <class Weight>
void score_kind(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, Kind kind,
                ScoredParts& parts);

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
Score choose_freely(const ScoredArcs& arcs, const Frames& frames, Choices& choices, std::span<std::uint8_t> chosen);

// Adds to a difference of features what the larger parts contribute: +amount for those of gold alone, -amount for those
// of the other choices alone.
template <class Weight>
void frame_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                      const ScoredParts& parts, const Choices& found, Difference& out, float amount = 1.0F);

// The same for the extras of gold and another tree.
template <class Weight>
void extra_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                      const ScoredParts& parts, std::span<const Index> heads, Difference& out, float amount = 1.0F);

// The same for the parts of whole trees. The term then looks at another tree than before.
template <class Weight>
void global_difference(const ParserModel<Weight>& model, const Words& words, ScoredParts& parts,
                       std::span<const Index> heads, Difference& out, float amount = 1.0F);

// Whether all arcs of a tree are candidates. O(candidates).
bool has_arcs(const ScoredArcs& arcs, std::span<const Index> heads);

// The labels that go with a tree of candidates.
void labels_of(const ScoredArcs& arcs, std::span<const Index> heads, std::span<Index> labels);

}  // namespace headlong
