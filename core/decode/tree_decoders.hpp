// Decoders of the higher-order model: from scores of arcs and frames to a tree, with a bound on what any tree is worth.
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

enum class TreeMethod : std::uint8_t {
  Arcs,         // the best tree of the arc scores alone; no bound
  Greedy,       // one arc after the other (search/greedy.hpp), basic; no bound
  GreedyPP,     // the same with predictions of partial parts
  Sample,       // the best of the trees that a sampler comes by (search/sampler.hpp); no bound
  Rerank,       // the best of the k best first-order trees; no bound
  Climb,        // a descent, then randomized hill climbing among the arcs that it leaves; without sweeps no bound
  Ad3,          // the same with the relaxation behind the descent
  Subgradient,  // likewise, by the subgradient method
  Exact         // branch and bound on the descent
};

// Nodes of branch and bound that count as an iteration: a node is quick, and hard sentences have thousands.
inline constexpr Index NODES_PER_ITERATION = 100;

// Settings of single methods.
struct Tuning {
  GreedyOptions greedy;
  Index trees = 64;         // how many Rerank looks at
  SamplerOptions sampling;  // its seed is that of restarts, its time limit the one below
};

struct TreeOptions {
  TreeMethod method = TreeMethod::Ad3;
  TreeRules rules;
  Index max_iterations = 1000;   // of the relaxation's solver (of each node)
  Index max_nodes = 100'000;     // of branch and bound
  Index max_sweeps = 64;         // of the descent before the solver or the restarts; 0: these alone
  double time_limit = 0.0;       // seconds; 0: none
  double tolerance = 1e-9;       // a relative gap between bound and score below this is a certificate
  RestartOptions restarts;       // of Climb; its time limit is the one above
  bool climbs_from_ad3 = false;  // Climb starts from the tree that Ad3 finds
  std::span<const Index> tree;   // [size] or, by default, empty: Climb starts from this one
  Tuning tuning;
  std::span<const Index> guide;  // [size] a tree that greedy inference is to favour, or empty
};

// How the method Sample draws, with so many seconds left (0: no limit).
inline SamplerOptions sampling_of(const TreeOptions& options, double seconds) {
  SamplerOptions sampling = options.tuning.sampling;
  sampling.seed = options.restarts.seed;
  sampling.seconds = seconds;
  return sampling;
}

struct TreeSolution {
  std::vector<Index> heads;  // [size] always a tree within the rules; one that is not made of candidates has score -inf
  Score score = NEGATIVE_INFINITY;
  Score bound = std::numeric_limits<Score>::infinity();  // no tree is worth more
  bool certified = false;                                // the tree is the best one: status Optimal
  Status status = Status::Unconverged;
  Index sweeps = 0;      // of the descent
  Index iterations = 0;  // of the solver behind it, 0 if it was not needed; nodes of branch and bound
  Index arcs = 0;        // how many candidates were left for the solver
};

// Scratch memory, kept between sentences.
struct TreeWorkspace {
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
  std::vector<std::uint8_t> keep;  // [arcs]
  std::vector<Index> kept;         // arcs that are left, by their numbers before
  std::vector<Index> numbers;      // [arcs] their numbers in the first node of a search; empty before it
  ArcSplit split;
  std::vector<double> multipliers;   // [links of the graph]
  Frames frames[2];                  // with fewer and fewer arcs, in turn
  std::vector<Score> arc_scores[2];  // of them
};

// Writes the best tree of the first-order scores [arcs] to heads [size] and returns its score, -inf if there is no tree
// of candidates (the heads are then some other tree). O(size^2), projective O(size^3).
Score best_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeRules& rules, std::span<Index> heads,
                TreeWorkspace& workspace);

// Solves the relaxation of a graph by the method of the options: AD3 unless that is the subgradient method. `seconds`
// is the time limit, 0: none.
SolverResult relax(const Graph& graph, const TreeOptions& options, const Start& start, double seconds);

// Decodes one sentence. The arc scores [arcs] are finite or -inf; they count together with the frames.
void solve_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
                TreeWorkspace& workspace, TreeSolution& solution);

}  // namespace headlong
