#include "decode/decoding.hpp"

#include "decode/extra_decoder.hpp"
#include "parts/filter.hpp"

namespace headlong {

void Decoding::offer(Score value) {
  if (!(value > solution_.score)) return;
  solution_.score = value;
  solution_.heads.assign(workspace_.heads.begin(), workspace_.heads.end());
}

void Decoding::offer_heads() {
  std::vector<Index>& heads = workspace_.heads;
  if (options_.method == TreeMethod::Greedy || options_.method == TreeMethod::GreedyPP)
    offer_greedy();
  else if (options_.method == TreeMethod::Rerank)
    offer_ranked();
  else if (options_.method == TreeMethod::Sample)
    offer_sampled();
  else if (options_.method == TreeMethod::Arcs)
    offer(tree_value(*frames_, arc_scores_, heads, workspace_.climb, extras_));
  else if (tree_value(*frames_, arc_scores_, heads, workspace_.climb) > NEGATIVE_INFINITY)
    offer(
        climb(*frames_, arc_scores_, options_.rules.root, options_.rules.projective, heads, workspace_.climb, extras_));
}

bool Decoding::offer_tree(std::span<const Score> scores) {
  workspace_.heads.resize(frames_->size);
  if (best_tree(*frames_, scores, options_.rules, workspace_.heads, workspace_) == NEGATIVE_INFINITY) return false;
  offer_heads();
  return true;
}

bool Decoding::offer_first() {
  std::vector<Index>& heads = workspace_.heads;
  heads.resize(frames_->size);
  if (best_tree(*frames_, arc_scores_, options_.rules, heads, workspace_) == NEGATIVE_INFINITY) return false;
  if (climbs() && !options_.tree.empty()) heads.assign(options_.tree.begin(), options_.tree.end());
  if (climbs() && options_.climbs_from_ad3) {
    TreeOptions options = options_;
    options.method = TreeMethod::Ad3;
    options.max_sweeps = TreeOptions().max_sweeps;
    TreeWorkspace workspace;
    TreeSolution found;
    if (extras_)
      solve_tree(*frames_, *extras_, arc_scores_, options, workspace, found);
    else
      solve_tree(*frames_, arc_scores_, options, workspace, found);
    heads = found.heads;
    if (proves()) lower(found.bound);
  }
  offer_heads();
  return true;
}

void Decoding::climb_often(std::span<const Score> draw_scores) {
  RestartOptions restarts = options_.restarts;
  restarts.seconds = seconds_left();
  restarts.draw_scores = draw_scores;
  if (std::isfinite(solution_.bound))
    restarts.enough = solution_.bound - 0.5 * options_.tolerance * std::max(1.0, std::abs(solution_.bound));
  std::vector<Index>& heads = workspace_.heads;
  if (has_tree()) heads.assign(solution_.heads.begin(), solution_.heads.end());
  const RestartResult result =
      headlong::climb_often(*frames_, arc_scores_, options_.rules.root, options_.rules.projective, restarts, heads,
                            workspace_.climb, workspace_.restarts, extras_);
  offer(result.value);
  solution_.iterations = result.climbs;
  solution_.status = result.in_time ? Status::Approximate : Status::Unconverged;
}

void Decoding::offer_greedy() {
  GreedyOptions greedy = options_.tuning.greedy;
  greedy.predicts = options_.method == TreeMethod::GreedyPP;
  const RootRule root = options_.rules.root;
  const bool projective = options_.rules.projective;
  const double seconds = seconds_left();
  const bool in_time = options_.guide.empty()
                           ? greedy_tree(*frames_, arc_scores_, extras_, root, projective, greedy, seconds,
                                         workspace_.heads, workspace_.greedy)
                           : greedy_tree_guided(*frames_, arc_scores_, extras_, root, projective, greedy,
                                                options_.guide, seconds, workspace_.heads, workspace_.greedy);
  if (!in_time) solution_.status = Status::Unconverged;
  offer(tree_value(*frames_, arc_scores_, workspace_.heads, workspace_.climb, extras_));
}

void Decoding::offer_ranked() {
  // workspace_.dense has the arc scores since the best tree was found.
  KBestTrees trees(workspace_.dense, frames_->size, options_.rules.root, options_.rules.projective, workspace_.kbest);
  for (Index rank = 0; rank < options_.tuning.trees && trees.next(workspace_.heads); ++rank) {
    offer(tree_value(*frames_, arc_scores_, workspace_.heads, workspace_.climb, extras_));
    ++solution_.iterations;
    if (options_.time_limit > 0.0 && seconds() > options_.time_limit) {
      solution_.status = Status::Unconverged;
      return;
    }
  }
}

void Decoding::offer_sampled() {
  const SampleResult result = sample_best(*frames_, arc_scores_, options_.rules.root, options_.rules.projective,
                                          sampling_of(options_, seconds_left()), workspace_.heads, workspace_.climb,
                                          workspace_.sampler, extras_);
  offer(result.value);
  solution_.iterations = result.sweeps;
  if (!result.in_time) solution_.status = Status::Unconverged;
}

bool Decoding::offer_rounded(std::span<const double> relaxed) {
  Score largest = 1.0;
  for (Score score : arc_scores_)
    if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  workspace_.scores.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc)
    workspace_.scores[arc] = relaxed[arc] + 1e-3 * arc_scores_[arc] / largest;
  return offer_tree(workspace_.scores);
}

void Decoding::keep(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks) {
  Frames& reduced = workspace_.frames[buffer_];
  std::vector<Score>& reduced_scores = workspace_.arc_scores[buffer_];
  filter_arcs(from, marks, reduced, workspace_.kept);
  reduced_scores.resize(workspace_.kept.size());
  for (std::size_t arc = 0; arc < reduced_scores.size(); ++arc) reduced_scores[arc] = scores[workspace_.kept[arc]];
  frames_ = &reduced;
  arc_scores_ = reduced_scores;
  buffer_ = 1 - buffer_;
}

void Decoding::take(const SolverResult& result) {
  solution_.arcs = static_cast<Index>(frames_->arcs());
  solution_.iterations = result.iterations;
  solution_.status = result.status;
  if (!result.assignment.empty()) {
    workspace_.heads.resize(frames_->size);
    heads_of(*frames_, result.assignment, workspace_.heads);
    offer(tree_value(*frames_, arc_scores_, workspace_.heads, workspace_.climb, extras_));
  }
  lower(result.bound);
}

void Decoding::conclude() {
  if (!has_tree()) {
    if (solution_.bound == NEGATIVE_INFINITY) solution_.status = Status::Infeasible;
    return;
  }
  solution_.bound = std::max(solution_.bound, solution_.score);
  solution_.certified = is_closed();
  if (solution_.certified)
    solution_.status = Status::Optimal;
  else if (solution_.status == Status::Optimal)
    solution_.status = Status::Unconverged;
}

}  // namespace headlong
