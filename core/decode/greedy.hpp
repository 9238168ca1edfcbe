// Greedy inference (Tchernowitz 2016): add one arc after another, each time the one that loses least and gains most.
//
// A partial tree starts without arcs. Choosing an arc loses the other arcs into its modifier and the arcs that would
// close a cycle with it. Under the single-root rule, an arc from the root also loses the other arcs from the root. A
// part is lost when an arc it needs is lost, or when an arc is chosen that it needs to be absent (`Absence`). In each
// round every open arc has a value:
//   basic (algorithm 1 in the paper)    loss - gain, over the parts that are lost and those that become complete
//   with predictions (algorithm 2)      beta * loss - (1 - beta) * gain, over the parts that are lost and those that
//                                       need the arc, each times the probability of its open arcs
// The probability of an arc is its share of exp(alpha * score) among the candidates of its modifier; the probability
// that it is absent is the rest. The arc with the lowest value is chosen. If values differ by less than 1e-8 times the
// largest score, the first arc is chosen. Then the arcs that it loses are removed and, if trees must be projective, the
// arcs that it crosses. An arc that no tree of candidates can contain together with the chosen ones is skipped, so the
// result is always a tree.
//
// A beam keeps several partial trees, ranked by the sum of their values (each once, ties in favor of the better
// parent), and returns the tree of the last round with the largest value. At the end arcs are swapped while that gains
// and `swaps` allows it.
//
// The sums over parts (greedy_parts.hpp) are kept per head and recomputed when one of its arcs changes. A round takes
// O(arcs * candidates of a word), plus the sums of the heads that have changed.
#pragma once

#include "decode/climb.hpp"
#include "decode/greedy_parts.hpp"
#include "trees/eisner.hpp"
#include "trees/mst.hpp"

namespace headlong {

// A partial tree.
struct PartialTree {
  std::vector<ArcState> states;      // [arcs]
  std::vector<std::uint8_t> passed;  // [arcs] whether no tree can contain the arc together with the chosen ones
  std::vector<Index> heads;          // [size] NO_HEAD: still open
  std::vector<Index> tops;           // [size] the root of the subtree that each word is in
  std::vector<Index> witness;        // [size] a complete tree with all chosen arcs
  PartSums losses, gains;            // gains: algorithm 1 only
  Score value = 0.0;
  std::uint64_t signature = 0;  // hash of the set of chosen arcs
};

struct GreedyChoice {
  Score value;
  Index tree, arc;
};

// Scratch memory, reused between sentences.
struct GreedyWorkspace {
  GreedyWeights weights;
  Chances loss_chances, gain_chances;
  PartScratch scratch;
  std::vector<PartialTree> beam, next;
  std::vector<GreedyChoice> choices;
  std::vector<std::uint8_t> changed;  // [size] whether the sums of a head are stale
  std::vector<Score> dense;           // [size * size]
  std::vector<Index> heads, mark;     // [size]
  MstWorkspace mst;
  EisnerWorkspace eisner;
  ClimbWorkspace climb;
  std::vector<Index> places;      // places of a fan
  std::vector<Score> values;      // [size] values of heads during swaps
  Frames frames;                  // biased to the guide
  std::vector<Score> arc_scores;  // biased to the guide
};

// Writes a tree of candidates to heads [size]. There must be one within the rules. Returns false if the time limit was
// reached before all arcs were chosen; the rest are then those of the best tree by arc scores.
//
// With a guide, scores are biased to it by the gammas of the options (`bias_to_guide`). If the guide is a tree of
// candidates within the rules, arcs are swapped in it as well, and the better tree under the biased scores is returned:
// greedy inference can lose more on the way than the guide adds.
bool greedy_tree(const Problem& problem, const DecodeOptions& options, std::span<Index> heads,
                 GreedyWorkspace& workspace);

// Applies the best swap repeatedly, at most `count` times (Tchernowitz 2016, section 6). In a swap, a word v takes
// another head u'. If u' is below v, the first word on the path from v to u' takes the old head of v.
void swap_arcs(const Problem& problem, Index count, std::span<Index> heads, GreedyWorkspace& workspace);

}  // namespace headlong
