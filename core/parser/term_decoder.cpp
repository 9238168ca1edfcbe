#include "parser/term_decoder.hpp"

namespace headlong {

void solve_tree(const Frames& frames, const Extras& extras, TreeTerm* term, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution) {
  solve_tree(frames, extras, arc_scores, options, workspace, solution);
  if (!term || solution.score == NEGATIVE_INFINITY || frames.size == 1) return;
  const Extras* found = extras.any() ? &extras : nullptr;
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
