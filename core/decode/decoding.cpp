#include "decode/decoding.hpp"

#include "parts/filter.hpp"

namespace headlong {

Score score_unit(const Problem& problem) {
  Score largest = 0.0;
  const auto scan = [&](const auto& scores) {
    for (auto score = scores.begin(); score != scores.end() && largest < 1.0; ++score)
      if (std::isfinite(*score)) largest = std::max(largest, std::abs(static_cast<Score>(*score)));
  };
  scan(problem.arc_scores);
  for (const auto* scores : {&problem.frames->pairs, &problem.frames->grand, &problem.frames->triples}) scan(*scores);
  if (problem.extras)
    for (const auto& scores : problem.extras->scores) scan(scores);
  return largest > 0.0 ? std::min(largest, 1.0) : 1.0;
}

void Decoding::offer(Score value) {
  if (!(value > solution_.score)) return;
  solution_.score = value;
  solution_.heads.assign(workspace_.heads.begin(), workspace_.heads.end());
}

void Decoding::improve_and_offer() {
  if (options_.method == Method::Greedy || options_.method == Method::GreedyPP)
    offer_greedy();
  else if (options_.method == Method::Rerank)
    offer_ranked();
  else if (options_.method == Method::Sample)
    offer_sampled();
  else if (options_.method == Method::Arcs)
    offer_heads();
  else if (frames_value(problem_, workspace_.heads, workspace_.climb) > NEGATIVE_INFINITY)
    offer(climb(problem_, workspace_.heads, workspace_.climb));
}

bool Decoding::offer_tree(std::span<const Score> scores) {
  workspace_.heads.resize(frames().size);
  if (best_tree(frames(), scores, problem_.rules, workspace_.heads, workspace_) == NEGATIVE_INFINITY) return false;
  improve_and_offer();
  return true;
}

bool Decoding::offer_first() {
  std::vector<Index>& heads = workspace_.heads;
  heads.resize(frames().size);
  if (best_tree(frames(), problem_.arc_scores, problem_.rules, heads, workspace_) == NEGATIVE_INFINITY) return false;
  const std::span<const Index> first = problem_.first_tree;
  if (climbs() && !first.empty()) heads.assign(first.begin(), first.end());
  first_ = heads;
  if (climbs() && options_.start == ClimbStart::Ad3) {
    DecodeOptions options = options_;
    options.method = Method::Ad3;
    options.max_sweeps = DecodeOptions().max_sweeps;
    DecodeWorkspace workspace;
    Solution found;
    solve(problem_, options, workspace, found);
    heads = found.heads;
    if (proves()) lower(found.bound);
  }
  improve_and_offer();
  return true;
}

void Decoding::climb_with_restarts(std::span<const Score> draw_scores) {
  RestartLimits limits;
  limits.draw_scores = draw_scores;
  if (std::isfinite(solution_.bound))
    limits.enough = solution_.bound - 0.5 * options_.tolerance * std::max(unit_, std::abs(solution_.bound));
  std::vector<Index>& heads = workspace_.heads;
  if (has_tree()) heads.assign(solution_.heads.begin(), solution_.heads.end());
  const RestartResult result =
      headlong::climb_with_restarts(problem_, options_, limits, heads, workspace_.climb, workspace_.restarts);
  offer(result.value);
  solution_.iterations = result.climbs;
  solution_.status = result.in_time ? Status::Approximate : Status::Unconverged;
}

void Decoding::offer_greedy() {
  const bool in_time = greedy_tree(problem_, options_, workspace_.heads, workspace_.greedy);
  if (!in_time) solution_.status = Status::Unconverged;
  offer_heads();
}

void Decoding::offer_ranked() {
  spread_scores(frames(), problem_.arc_scores, workspace_.dense);
  KBestTrees trees(workspace_.dense, frames().size, problem_.rules.root, problem_.rules.projective, workspace_.kbest);
  for (Index rank = 0; rank < options_.kbest && trees.next(workspace_.heads); ++rank) {
    offer_heads();
    ++solution_.iterations;
    if (out_of_time()) {
      solution_.status = Status::Unconverged;
      return;
    }
  }
}

void Decoding::offer_sampled() {
  const SampleResult result = sample_best(problem_, options_, workspace_.heads, workspace_.climb, workspace_.sampler);
  offer(result.value);
  solution_.iterations = result.sweeps;
  if (!result.in_time) solution_.status = Status::Unconverged;
}

bool Decoding::offer_rounded(std::span<const double> relaxed) {
  Score largest = 1.0;
  for (Score score : problem_.arc_scores)
    if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  workspace_.scores.resize(frames().arcs());
  for (std::size_t arc = 0; arc < frames().arcs(); ++arc)
    workspace_.scores[arc] = relaxed[arc] + 1e-3 * problem_.arc_scores[arc] / largest;
  return offer_tree(workspace_.scores);
}

void Decoding::filter(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks) {
  Frames& reduced = workspace_.frames[buffer_];
  std::vector<Score>& reduced_scores = workspace_.arc_scores[buffer_];
  filter_arcs(from, marks, reduced, workspace_.kept);
  reduced_scores.resize(workspace_.kept.size());
  for (std::size_t arc = 0; arc < reduced_scores.size(); ++arc) reduced_scores[arc] = scores[workspace_.kept[arc]];
  problem_.frames = &reduced;
  problem_.arc_scores = reduced_scores;
  buffer_ = 1 - buffer_;
}

void Decoding::take(const SolverResult& result) {
  solution_.arcs = static_cast<Index>(frames().arcs());
  solution_.iterations = result.iterations;
  solution_.status = result.status;
  if (!result.assignment.empty()) {
    workspace_.heads.resize(frames().size);
    heads_of(frames(), result.assignment, workspace_.heads);
    offer_heads();
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
  else if (solution_.status == Status::Tolerance)
    solution_.status = Status::Unconverged;
}

}  // namespace headlong
