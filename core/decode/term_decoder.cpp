#include "decode/term_decoder.hpp"

namespace headlong {

namespace {

// Samples under all that counts, from the best tree under the arc scores.
void sample_tree(const Frames& frames, const Extras* extras, GlobalScorer& term, std::span<const Score> arc_scores,
                 const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution) {
  solution = {};
  solution.heads.resize(frames.size);
  solution.arcs = static_cast<Index>(frames.arcs());
  if (best_tree(frames, arc_scores, options.rules, solution.heads, workspace) == NEGATIVE_INFINITY) {
    solution.bound = NEGATIVE_INFINITY;
    solution.status = Status::Infeasible;
    return;
  }
  const SampleResult result = sample_best(frames, arc_scores, options.rules.root, options.rules.projective,
                                          sampling_of(options, options.time_limit), solution.heads, workspace.climb,
                                          workspace.sampler, extras, &term);
  solution.score = result.value;
  solution.iterations = result.sweeps;
  solution.status = result.in_time ? Status::Approximate : Status::Unconverged;
}

}  // namespace

void solve_tree(const Frames& frames, const Extras& extras, GlobalScorer* term, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution) {
  const Extras* found = extras.any() ? &extras : nullptr;
  if (term && options.method == TreeMethod::Sample && frames.size > 1)
    return sample_tree(frames, found, *term, arc_scores, options, workspace, solution);
  solve_tree(frames, extras, arc_scores, options, workspace, solution);
  if (!term || solution.score == NEGATIVE_INFINITY || frames.size == 1) return;
  if (options.method == TreeMethod::Arcs)
    solution.score = tree_value(frames, arc_scores, solution.heads, workspace.climb, found, term);
  else
    solution.score = climb(frames, arc_scores, options.rules.root, options.rules.projective, solution.heads,
                           workspace.climb, found, term);
  solution.bound = std::numeric_limits<Score>::infinity();
  solution.certified = false;
  solution.status = Status::Approximate;
}

}  // namespace headlong
