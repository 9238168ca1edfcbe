#include "parser/tree_decoders.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solvers/ad3.hpp"
#include "solvers/branch.hpp"
#include "solvers/subgradient.hpp"

namespace headlong {

Score best_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeRules& rules, std::span<Index> heads,
                TreeWorkspace& workspace) {
  const std::size_t size = frames.size;
  workspace.dense.assign(size * size, NEGATIVE_INFINITY);
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    workspace.dense[frames.arc_heads[arc] * size + frames.arc_modifiers[arc]] = arc_scores[arc];
  return rules.projective ? eisner(workspace.dense, frames.size, rules.root, heads, workspace.eisner)
                          : maximum_spanning_tree(workspace.dense, frames.size, rules.root, heads, workspace.mst);
}

namespace {

// The best tree under the relaxed values, the scores breaking ties, improved by local search.
class TreeRounder final : public Rounder {
 public:
  TreeRounder(const Frames& frames, std::span<const Score> arc_scores, const TreeRules& rules, TreeWorkspace& workspace,
              TreeSolution& solution)
      : frames_(frames), arc_scores_(arc_scores), rules_(rules), workspace_(workspace), solution_(solution) {
    for (Score score : arc_scores)
      if (score > NEGATIVE_INFINITY) largest_ = std::max(largest_, std::abs(score));
  }

  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override {
    workspace_.scores.resize(frames_.arcs());
    for (std::size_t arc = 0; arc < frames_.arcs(); ++arc)
      workspace_.scores[arc] = relaxed[arc] + 1e-3 * arc_scores_[arc] / largest_;
    if (!offer_tree(workspace_.scores)) return false;
    assignment_of(frames_, workspace_.heads, assignment);
    return true;
  }

  // Climbs from the best tree under the scores, and keeps the result if it is better. False: there is no tree.
  bool offer_tree(std::span<const Score> scores) {
    workspace_.heads.resize(frames_.size);
    if (best_tree(frames_, scores, rules_, workspace_.heads, workspace_) == NEGATIVE_INFINITY) return false;
    const Score value = tree_value(frames_, arc_scores_, workspace_.heads, workspace_.climb);
    if (value == NEGATIVE_INFINITY) return true;
    offer(climb(frames_, arc_scores_, rules_.root, rules_.projective, workspace_.heads, workspace_.climb));
    return true;
  }

  void offer(Score value) {
    if (!(value > solution_.score)) return;
    solution_.score = value;
    solution_.heads.assign(workspace_.heads.begin(), workspace_.heads.end());
  }

 private:
  const Frames& frames_;
  std::span<const Score> arc_scores_;
  const TreeRules& rules_;
  TreeWorkspace& workspace_;
  TreeSolution& solution_;
  Score largest_ = 1.0;
};

SolverResult run_solver(const Graph& graph, const TreeOptions& options, const Start& start, double seconds) {
  GraphWorkspace workspace(graph);
  if (options.method == TreeMethod::Subgradient) {
    SubgradientOptions subgradient_options;
    subgradient_options.max_iterations = options.max_iterations;
    subgradient_options.time_limit = seconds;
    subgradient_options.tolerance = options.tolerance;
    subgradient_options.start = start;
    return subgradient(graph, subgradient_options, workspace);
  }
  Ad3Options ad3_options;
  ad3_options.max_iterations = options.max_iterations;
  ad3_options.time_limit = seconds;
  ad3_options.tolerance = options.tolerance;
  ad3_options.start = start;
  if (options.method == TreeMethod::Ad3) return ad3(graph, ad3_options, workspace);
  BranchOptions branch_options;
  branch_options.ad3 = ad3_options;
  branch_options.max_nodes = options.max_nodes;
  branch_options.time_limit = seconds;
  branch_options.tolerance = options.tolerance;
  return branch_and_bound(graph, branch_options, workspace);
}

}  // namespace

void solve_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
                TreeWorkspace& workspace, TreeSolution& solution) {
  const auto begin = std::chrono::steady_clock::now();
  solution = {};
  solution.heads.assign(frames.size, NO_HEAD);
  if (frames.size == 1) {
    solution.score = solution.bound = frame_value(frames, 0, 0, {}, {});
    solution.certified = true;
    solution.status = Status::Optimal;
    return;
  }
  TreeRounder rounder(frames, arc_scores, options.rules, workspace, solution);
  const bool possible = rounder.offer_tree(arc_scores);
  if (solution.score == NEGATIVE_INFINITY) solution.heads = workspace.heads;
  if (!possible) {
    solution.bound = NEGATIVE_INFINITY;
    solution.status = Status::Infeasible;
    return;
  }
  if (options.method == TreeMethod::Climb) return;

  build_tree_graph(frames, arc_scores, options.rules, workspace.graph);
  Start start;
  start.rounder = &rounder;
  if (solution.score > NEGATIVE_INFINITY) {
    workspace.assignment.resize(frames.arcs());
    assignment_of(frames, solution.heads, workspace.assignment);
    start.assignment = workspace.assignment;
  }
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // Never 0, which would mean no limit.
  const double left = options.time_limit > 0.0 ? std::max(options.time_limit - spent, 1e-9) : 0.0;
  const SolverResult result = run_solver(workspace.graph, options, start, left);
  solution.status = result.status;
  solution.iterations = result.iterations;
  solution.bound = result.bound;
  if (!result.assignment.empty()) {
    workspace.heads.resize(frames.size);
    heads_of(frames, result.assignment, workspace.heads);
    rounder.offer(tree_value(frames, arc_scores, workspace.heads, workspace.climb));
  }
  if (solution.score > NEGATIVE_INFINITY) solution.bound = std::max(solution.bound, solution.score);
  solution.certified =
      solution.score > NEGATIVE_INFINITY &&
      (solution.status == Status::Optimal || closes(solution.score, solution.bound, options.tolerance));
  if (solution.certified) solution.status = Status::Optimal;
}

}  // namespace headlong
