#include "decode/solve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "decode/decoding.hpp"

namespace headlong {

void spread_scores(const Frames& frames, std::span<const Score> scores, std::vector<Score>& dense) {
  const std::size_t size = frames.size;
  dense.assign(size * size, NEGATIVE_INFINITY);
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    dense[frames.arc_heads[arc] * size + frames.arc_modifiers[arc]] = scores[arc];
}

Score best_tree(const Frames& frames, std::span<const Score> scores, const TreeRules& rules, std::span<Index> heads,
                DecodeWorkspace& workspace) {
  if (!rules.projective && std::ranges::all_of(scores, [](Score score) { return std::isfinite(score); })) {
    // Usually O(arcs), where the algorithm on all pairs of words takes O(size^2).
    const Score sum =
        sparse_spanning_tree(frames.arc_heads, frames.arc_begins, rules.root, scores, heads, workspace.descent.costs);
    if (sum > NEGATIVE_INFINITY) return sum;
  }
  spread_scores(frames, scores, workspace.dense);
  return rules.projective ? eisner(workspace.dense, frames.size, rules.root, heads, workspace.eisner)
                          : maximum_spanning_tree(workspace.dense, frames.size, rules.root, heads, workspace.mst);
}

namespace {

// Samples under all parts, starting from the best tree of the arc scores.
void sample_with_globals(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                         Solution& solution) {
  solution = {};
  solution.heads.resize(problem.size());
  solution.arcs = static_cast<Index>(problem.frames->arcs());
  if (best_tree(*problem.frames, problem.arc_scores, problem.rules, solution.heads, workspace) == NEGATIVE_INFINITY) {
    solution.bound = NEGATIVE_INFINITY;
    solution.status = Status::Infeasible;
    return;
  }
  const SampleResult result = sample_best(problem, options, solution.heads, workspace.climb, workspace.sampler);
  solution.score = result.value;
  solution.iterations = result.sweeps;
  solution.status = result.in_time ? Status::Approximate : Status::Unconverged;
}

// Climbs under all parts from the tree that the decoder finds without globals.
void climb_with_globals(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                        Solution& solution) {
  solve(problem.without_globals(), options, workspace, solution);
  if (solution.score == NEGATIVE_INFINITY) return;
  solution.score = options.method == Method::Arcs ? tree_value(problem, solution.heads, workspace.climb)
                                                  : climb(problem, solution.heads, workspace.climb);
  solution.bound = std::numeric_limits<Score>::infinity();
  solution.certified = false;
  solution.status = out_of_time() ? Status::Unconverged : Status::Approximate;
}

void dispatch(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution) {
  // A sentence without words has no extras and no globals.
  if (problem.size() == 1)
    solve_with_frames(problem, options, workspace, solution);
  else if (problem.global_scorer && options.method == Method::Sample)
    sample_with_globals(problem, options, workspace, solution);
  else if (problem.global_scorer)
    climb_with_globals(problem, options, workspace, solution);
  else if (problem.extras)
    solve_with_extras(problem, options, workspace, solution);
  else
    solve_with_frames(problem, options, workspace, solution);
}

// Writes the tree in which each word depends on the word before it. Returns false if it is not a tree of candidates.
bool find_chain(const Problem& problem, DecodeWorkspace& workspace, Solution& solution) {
  solution.heads.resize(problem.size());
  std::iota(solution.heads.begin(), solution.heads.end(), NO_HEAD);
  solution.score = tree_value(problem, solution.heads, workspace.climb);
  return solution.score > NEGATIVE_INFINITY;
}

}  // namespace

void solve(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution) {
  try {
    const TimeLimit limit(options.time_limit);
    return dispatch(problem, options, workspace, solution);
  } catch (const OutOfTime&) {
    // There was no time for a first tree.
    solution = {};
    if (!find_chain(problem, workspace, solution)) {
      DecodeOptions first = options;
      first.method = Method::Arcs;
      dispatch(problem.without_globals(), first, workspace, solution);
      if (solution.status == Status::Infeasible) return;
      solution.score = tree_value(problem, solution.heads, workspace.climb);
    }
    solution.bound = std::numeric_limits<Score>::infinity();
    solution.certified = false;
    solution.status = Status::Unconverged;
  }
}

}  // namespace headlong
