// The parts that greedy inference uses, and their sums over the partial trees that it builds (Tchernowitz 2016).
//
// A part needs some arcs to be present in the tree and others to be absent. All parts here belong to a head: they need
// arcs out of it and in some cases the arc into it (its lane).
//   arcs                 one arc
//   pairs                a place of a fan and the next one, with no place in between; start and end need no arc. The
//                        mean over the lanes is a sibling; the difference of a lane is a grand-sibling, which needs it
//   triples              the same with three places
//   grand                an arc and a lane
//   arbitrary siblings   two arcs of a head
// A part with the lane from g and the arc to g would be a cycle, so there is none. Head bigrams, non-projective arcs
// and paths are not used here. They count only when whole trees are compared.
#pragma once

#include <algorithm>
#include <array>

#include "decode/options.hpp"
#include "decode/problem.hpp"

namespace headlong {

// Returns the candidate from `head` to `modifier`, or -1. O(log candidates of the modifier).
inline Index find_arc(const Frames& frames, Index head, Index modifier) {
  const auto begin = frames.arc_heads.begin() + frames.arc_begins[modifier];
  const auto end = frames.arc_heads.begin() + frames.arc_begins[modifier + 1];
  const auto found = std::lower_bound(begin, end, head);
  return found != end && *found == head ? static_cast<Index>(found - frames.arc_heads.begin()) : -1;
}

// Scores of parts as finite numbers. A forbidden part costs a thousand times the largest score.
struct GreedyWeights {
  std::vector<Score> arcs;               // [arcs]
  std::vector<Score> pairs;              // [pair of a fan] the mean over the lanes that allow it
  std::vector<std::size_t> pair_begins;  // [2 * size] begins of the fans in `pairs`
  std::vector<Score> lane_pairs;  // as Frames::pairs, the difference of each lane from the mean; empty if all are 0
  std::vector<Score> triples;     // as in Frames
  std::vector<Score> grand;       // as in Frames
  std::vector<Score> siblings;    // as in Extras; empty if there are none
  Score scale = 1.0;              // 1 + the largest score
};

void weigh(const Problem& problem, GreedyWeights& weights);

// Copies frames and arc scores with a bias to the guide (Tchernowitz 2016, section 7). Each arc of the guide gets
// gammas[0] more, and each of its pairs and grandparents gammas[1]. If there are triples, each of its triples and each
// of its pairs under the lane of the guide gets gammas[2]. Arcs of the guide that are not candidates, or NO_HEAD, get
// nothing.
void bias_to_guide(const Problem& problem, const std::array<double, 3>& gammas, Frames& out,
                   std::vector<Score>& out_scores);

enum class ArcState : std::uint8_t { Open, Chosen, Lost };

// Sums over the parts that are not lost. Each part is weighted by the product of the probabilities of its open arcs.
struct PartSums {
  std::vector<Score> fan;      // [arcs] parts of the arc's head that need it, as if it were chosen
  std::vector<Score> lane;     // [arcs] parts of the arc's modifier that need it, as if it were chosen
  std::vector<Score> blocked;  // [arcs] parts of the arc's head that need it to be absent
  std::vector<Score> both;     // as Frames::grand: parts that need lane and place, as if both were chosen
  // As Frames::grand: parts that need the lane, as if it were chosen, and the place to be absent.
  std::vector<Score> blocked_both;
  std::vector<Score> alone;  // [arcs] for arcs from the root: parts of the root that are kept if this is its only arc
  Score root = 0.0;          // sum of all parts of the root

  void lay_out(const Frames& frames);
};

// Probabilities of open arcs, [arcs].
struct Chances {
  std::vector<double> present;  // that the arc is in the tree
  std::vector<double> absent;   // that it is not
};

// Scratch memory of `sum_parts` for one fan, from start to end, without the places that are lost.
struct PartScratch {
  std::vector<Index> places, arcs;
  std::vector<double> present, absent;  // probabilities of the places
  std::vector<double> lanes;            // [lanes] probability of each; -1 if it is lost
  std::vector<Score> steps;             // [places] differences of `blocked`
  std::vector<Score> lane_steps;        // [lane][places] differences of `blocked_both`, without the lane's probability
};

// Recomputes the sums of one head. O(pairs * lanes + triples) over the places that are not lost.
void sum_parts(const Problem& problem, Absence absence, const GreedyWeights& weights, const Chances& chances,
               std::span<const ArcState> states, Index head, PartScratch& scratch, PartSums& sums);

}  // namespace headlong
