// Greedy inference (Tchernowitz 2016): one arc after the other, each time the one that loses least and gains most.
//
// A partial tree starts without arcs. To choose an arc loses the other arcs into its modifier, the arcs that would then
// close a cycle, and, if the arc comes from the root and there is to be one root, the other arcs from the root; a part
// is lost with any arc that it needs, or when an arc is chosen that it needs not to be there (`Absence`). In each round
// every open arc has the value
//   basic (their algorithm 1)          loss - gain: the parts that are lost, and those that become complete
//   with predictions (algorithm 2)     beta * loss - (1 - beta) * gain: the parts that are lost, and those that need
//   the
//                                      arc, each times the chance of its open arcs
// where the chance of an arc is its share of exp(alpha * score) among the candidates of its modifier, and that of an
// arc not to be there the rest. The arc with the lowest value is chosen; of values that differ by less than 1e-8 times
// the largest score the one whose arc comes first. Then what it loses goes, and, if trees are to be projective, what it
// crosses. An arc with which no tree of candidates can be completed is passed over, so that the end is always a tree.
//
// A beam keeps several partial trees, by the sum of their values (each once, ties to the better parent), and the tree
// of the last round that is worth most. In the end arcs are swapped, as long as that pays and `swaps` allows.
//
// The sums of the parts (greedy_parts.hpp) are kept for each head and computed anew when one of its arcs changes: a
// round takes O(arcs * candidates of a word) and the sums of the heads that have changed.
#pragma once

#include <chrono>

#include "decode/climb.hpp"
#include "decode/greedy_parts.hpp"
#include "trees/eisner.hpp"
#include "trees/mst.hpp"

namespace headlong {

// A partial tree.
struct PartialTree {
  std::vector<ArcState> states;      // [arcs]
  std::vector<std::uint8_t> passed;  // [arcs] that no tree can have beside the chosen ones
  std::vector<Index> heads;          // [size] NO_HEAD: open
  std::vector<Index> tops;           // [size] the word above all others of the tree that a word is in
  std::vector<Index> witness;        // [size] a whole tree that has all chosen arcs
  PartSums losses, gains;            // gains: basic only
  Score value = 0.0;
  std::uint64_t signature = 0;  // of the set of chosen arcs
};

struct GreedyChoice {
  Score value;
  Index tree, arc;
};

// Scratch memory, kept between sentences.
struct GreedyWorkspace {
  GreedyWeights weights;
  Chances loss_chances, gain_chances;
  PartScratch scratch;
  std::vector<PartialTree> beam, next;
  std::vector<GreedyChoice> choices;
  std::vector<std::uint8_t> changed;  // [size] heads whose sums are stale
  std::vector<Score> dense;           // [size * size]
  std::vector<Index> heads, mark;     // [size]
  MstWorkspace mst;
  EisnerWorkspace eisner;
  ClimbWorkspace climb;
  std::vector<Index> places;      // of a fan
  std::vector<Score> values;      // [size] of heads, while arcs are swapped
  Frames frames;                  // biased
  std::vector<Score> arc_scores;  // biased
};

// Writes a tree of candidates to heads [size]; there must be one within the rules. Returns false if the time, in
// seconds (0: no limit), was over before all arcs were weighed; the rest are then those of the best tree by arc scores.
//
// With a guide, scores are biased to it by the gammas of the options (`bias_to_guide`). If the guide is a tree of
// candidates within the rules, arcs are swapped in it too, and the better tree by the biased scores is taken: greedy
// inference may miss more on its way than the guide is worth.
bool greedy_tree(const Problem& problem, const DecodeOptions& options, double seconds, std::span<Index> heads,
                 GreedyWorkspace& workspace);

// Makes the best of all swaps, again and again, at most `count` times (Tchernowitz 2016, section 6): a word v takes
// another head u'; if u' is below v, the first word on the way from v to u' takes the head that v had.
void swap_arcs(const Problem& problem, Index count, std::span<Index> heads, GreedyWorkspace& workspace);

}  // namespace headlong
