// The parts that greedy inference weighs, and their sums over the partial trees that it builds (Tchernowitz 2016).
//
// A part needs some arcs to be in the tree and others not to be in it. Here all parts belong to a head: they need arcs
// out of it and perhaps the arc into it (its lane).
//   arcs                 one arc
//   pairs                a place of a fan and the next one, no place in between; start and end need no arc. What all
//                        lanes share is a sibling; what one lane has beside it is a grand-sibling, which needs the lane
//   triples              the same with three places
//   grand                an arc and a lane
//   arbitrary siblings   two arcs of a head
// A part that needs the lane from g and the arc to g makes a cycle: there is none. Head bigrams, non-projective arcs
// and paths are not weighed: what they are worth counts when whole trees are compared.
#pragma once

#include <algorithm>
#include <array>

#include "decode/options.hpp"
#include "decode/problem.hpp"

namespace headlong {

// The candidate from `head` to `modifier`, or -1. O(log candidates of the modifier).
inline Index find_arc(const Frames& frames, Index head, Index modifier) {
  const auto begin = frames.arc_heads.begin() + frames.arc_begins[modifier];
  const auto end = frames.arc_heads.begin() + frames.arc_begins[modifier + 1];
  const auto found = std::lower_bound(begin, end, head);
  return found != end && *found == head ? static_cast<Index>(found - frames.arc_heads.begin()) : -1;
}

// Scores of parts as finite numbers: one that is forbidden costs a thousand times the largest score.
struct GreedyWeights {
  std::vector<Score> arcs;               // [arcs]
  std::vector<Score> pairs;              // [pair of a fan] the mean over the lanes that allow it
  std::vector<std::size_t> pair_begins;  // [2 * size] of each fan in `pairs`
  std::vector<Score> lane_pairs;         // as Frames::pairs, what a lane has beside the mean; empty if none has
  std::vector<Score> triples;            // as in Frames
  std::vector<Score> grand;              // as in Frames
  std::vector<Score> siblings;           // as in Extras, empty if there are none
  Score scale = 1.0;                     // 1 + the largest score
};

void weigh(const Problem& problem, GreedyWeights& weights);

// Copies frames and arc scores with a bias to the guide (Tchernowitz 2016, section 7): each arc of it gets gammas[0]
// more, each of its pairs and grandparents gammas[1], and, if there are triples, each of them and of its pairs under
// the lane of the tree gammas[2]. What of the tree is no candidate, or NO_HEAD, gets nothing.
void bias_to_guide(const Problem& problem, const std::array<double, 3>& gammas, Frames& out,
                   std::vector<Score>& out_scores);

enum class ArcState : std::uint8_t { Open, Chosen, Lost };

// Sums over the parts that are not lost. A part counts with its chance: the product of those of its open arcs.
struct PartSums {
  std::vector<Score> fan;      // [arcs] parts of the arc's head that need it, as if it were chosen
  std::vector<Score> lane;     // [arcs] parts of its modifier that need it, as if it were chosen
  std::vector<Score> blocked;  // [arcs] parts of its head that need it not to be there
  std::vector<Score> both;     // as Frames::grand: parts that need lane and place, as if both were chosen
  std::vector<Score>
      blocked_both;          // as Frames::grand: parts that need the lane, as if it were chosen, but not the place
  std::vector<Score> alone;  // [arcs] of the root: its parts that no other arc of the root loses if this is chosen
  Score root = 0.0;          // all parts of the root

  void lay_out(const Frames& frames);
};

// Open arcs count with these chances: [arcs].
struct Chances {
  std::vector<double> present;  // that an arc will be in the tree
  std::vector<double> absent;   // that it will not
};

// Scratch memory of `sum_parts`: one fan at a time, from start to end, without the places that are lost.
struct PartScratch {
  std::vector<Index> places, arcs;
  std::vector<double> present, absent;  // of the places
  std::vector<double> lanes;            // [lanes] chance of each, -1 if it is lost
  std::vector<Score> steps;             // [places] differences of `blocked`
  std::vector<Score> lane_steps;        // [lane][places] the same of `blocked_both`, without the lane's chance
};

// Computes the sums of one head anew. O(pairs * lanes + triples) of the places that are not lost.
void sum_parts(const Problem& problem, Absence absence, const GreedyWeights& weights, const Chances& chances,
               std::span<const ArcState> states, Index head, PartScratch& scratch, PartSums& sums);

}  // namespace headlong
