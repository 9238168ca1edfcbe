// Parsing with frames, extras and globals, on top of scored arcs: lay out, enumerate and score parts; and from a tree
// back to the features of its parts.
#pragma once

#include <tuple>

#include "decode/solve.hpp"
#include "model/global_scorer.hpp"
#include "model/scored_arcs.hpp"

namespace headlong {

// The frames, extras and globals of a sentence. The object is its own workspace.
struct ScoredParts {
  Frames frames;
  Extras extras;
  std::array<SlotCodes, KINDS> codes;
  Parts rows;  // parts of one kind
  std::vector<ExtraSlots> slots;
  std::vector<float> scores;
  std::tuple<ModelGlobalScorer<float>, ModelGlobalScorer<std::int16_t>> globals;  // one for each type of weights
  DecodeWorkspace decoding;
  Solution solution;
};

// Returns the scored sentence as a problem for a decoder. Arcs and parts must outlive it.
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

// Scores all parts over the candidates of `arcs`. Call `score_arcs` first.
template <class Weight>
void score_all_parts(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, ScoredParts& parts);

// Lists the parts of one kind over the candidates in parts.rows, and their scores in parts.scores. Frames and extras
// must be laid out, and the kind must have templates.
template <class Weight>
void score_kind(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs, Kind kind,
                ScoredParts& parts);

// The head and the modifiers that each head of a sentence chooses: those of a tree, or independent choices.
struct Choices {
  std::vector<Index> grandparents;  // [size] NO_HEAD for the root
  std::vector<Index> modifiers;     // grouped by fan, nearest first
  std::vector<Index> begins;        // [2 * size + 1]

  std::span<const Index> of(Index fan) const {
    return std::span(modifiers).subspan(begins[fan], begins[fan + 1] - begins[fan]);
  }
};
Choices choices_of(std::span<const Index> heads);

// Lets every head choose its head and modifiers independently, under the scores of its parts and of the arcs to its
// modifiers (Koo 2010, section 6). This finds the best element of a superset of all trees by dynamic programming alone.
// Flags the chosen arcs and returns the value of the arcs and their parts.
Score choose_freely(const ScoredArcs& arcs, const Frames& frames, Choices& choices, std::span<std::uint8_t> chosen);

// Adds the frame parts to a difference of features: +amount for those of gold alone, -amount for those of the other
// choices alone.
template <class Weight>
void frame_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                      const ScoredParts& parts, const Choices& found, Difference& out, float amount = 1.0F);

// Does the same for the extras of gold and another tree.
template <class Weight>
void extra_difference(const ParserModel<Weight>& model, const Words& words, const ScoredArcs& arcs,
                      const ScoredParts& parts, std::span<const Index> heads, Difference& out, float amount = 1.0F);

// Does the same for globals. Afterwards the global scorer is at another tree than before.
template <class Weight>
void global_difference(const ParserModel<Weight>& model, const Words& words, ScoredParts& parts,
                       std::span<const Index> heads, Difference& out, float amount = 1.0F);

// Returns whether all arcs of a tree are candidates. O(candidates).
bool has_arcs(const ScoredArcs& arcs, std::span<const Index> heads);

// Writes the labels of a tree of candidates, as the arc model alone chooses them.
void labels_of(const ScoredArcs& arcs, std::span<const Index> heads, std::span<Index> labels);

}  // namespace headlong
