// The entry point of all decoders: from a problem and options to a tree, with a bound on the value of every tree.
#pragma once

#include "decode/descent.hpp"
#include "decode/greedy.hpp"
#include "decode/restarts.hpp"
#include "decode/sampler.hpp"
#include "graph/solver.hpp"
#include "trees/eisner.hpp"
#include "trees/kbest.hpp"
#include "trees/mst.hpp"

namespace headlong {

struct Solution {
  std::vector<Index> heads;  // [size] always a tree within the rules; its score is -inf if an arc is not a candidate
  Score score = NEGATIVE_INFINITY;
  Score bound = std::numeric_limits<Score>::infinity();  // no tree has a larger value
  bool certified = false;                                // whether the tree is proven optimal: status Optimal
  Status status = Status::Unconverged;
  Index sweeps = 0;      // sweeps of the descent
  Index iterations = 0;  // iterations of the solver after it, 0 if it was not needed; nodes of branch and bound
  Index arcs = 0;        // candidates left for the solver
};

// Scratch memory, reused between sentences.
struct DecodeWorkspace {
  std::vector<Score> dense;   // [size * size]
  std::vector<Score> scores;  // [arcs]
  std::vector<Index> heads;
  std::vector<std::uint8_t> assignment;
  MstWorkspace mst;
  EisnerWorkspace eisner;
  ClimbWorkspace climb;
  RestartWorkspace restarts;
  GreedyWorkspace greedy;
  SamplerWorkspace sampler;
  KBestWorkspace kbest;
  Descent descent;
  Graph graph;
  std::vector<std::uint8_t> marks;  // [arcs] whether to keep each
  std::vector<Index> kept;          // remaining arcs, by their previous numbers
  std::vector<Index> numbers;       // [arcs] their numbers in the root node of a search; empty before it
  ArcSplit split;
  std::vector<double> multipliers;   // [links of the graph]
  Frames frames[2];                  // two buffers with fewer and fewer arcs, used in turn
  std::vector<Score> arc_scores[2];  // the scores of their arcs
};

// Writes the scores [arcs] of the candidates to dense[head * size + modifier]; all other arcs get -inf.
void spread_scores(const Frames& frames, std::span<const Score> scores, std::vector<Score>& dense);

// Writes the best tree of the scores [arcs] alone to heads [size] and returns its score. If the candidates contain no
// tree, returns -inf, and the heads are some other tree. O(size^2), projective O(size^3).
Score best_tree(const Frames& frames, std::span<const Score> scores, const TreeRules& rules, std::span<Index> heads,
                DecodeWorkspace& workspace);

// Decodes one sentence.
//
// Without globals, the problem goes to `solve_with_frames` or `solve_with_extras` (decoding.hpp). Only search can use
// globals: the decoder first solves the problem without them and then climbs from its tree under all parts. Arcs does
// not climb, and Sample uses all parts from the start. Nothing is proven then: unless there is no tree at all, the
// status is Approximate, or Unconverged if the time for samples ran out.
void solve(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution);

}  // namespace headlong
