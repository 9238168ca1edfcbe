// The state of decoding one sentence: the base class for decoding with and without extras, and the class without
// extras. Its branch and bound is in frame_search.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "decode/solve.hpp"

namespace headlong {

inline constexpr Index SWEEPS_PER_ROUND = 8;  // sweeps of the descent before it rounds to a tree and drops arcs

// A node of branch and bound: the candidates that remain.
struct Node {
  Score bound;
  std::vector<Index> numbers;  // the remaining arcs, as numbers of the root node
  ArcSplit split;              // how the descent splits their scores
};

// Returns the loss of the bound if the arc is in the tree: the sum over its two automata. Never positive.
inline Score arc_deficit(const Descent& descent, std::size_t arc) {
  const Index link = descent.lane_links[arc];
  return descent.deficits[link] + descent.deficits[descent.others[link]];
}

// Returns the largest absolute score of a part, at most 1: gaps are relative to it if the score of the
// tree is smaller still. O(parts) at most; O(1) if a score of at least 1 comes early.
Score score_unit(const Problem& problem);

// Solves the relaxation of a graph with the subgradient method if the options select it, otherwise with AD3.
SolverResult relax(const Graph& graph, const DecodeOptions& options, const Start& start);

// Decodes with frames alone: the descent, then branch and bound, AD3, the subgradient method or hill climbing.
void solve_with_frames(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                       Solution& solution);

// Decodes with frames and extras. Climbing values extras from scratch for every move. The descent cannot represent
// extras: it runs on optimistic arc scores (`add_optimism`), which keep its bound valid, and drops arcs. The rest goes
// to AD3, the subgradient method or branch and bound on AD3, on the graph with the factors of `add_extra_factors`.
void solve_with_extras(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                       Solution& solution);

// One sentence: its problem, reduced to the candidates not yet excluded, and the best tree so far.
class Decoding : public Rounder {
 protected:
  Decoding(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution)
      : problem_(problem), options_(options), workspace_(workspace), solution_(solution), unit_(score_unit(problem)) {
    workspace.descent.unit = unit_;
  }

  const Frames& frames() const { return *problem_.frames; }
  bool climbs() const { return options_.method == Method::Climb; }
  // Whether the method continues after its first tree.
  bool continues() const { return options_.method >= Method::Climb; }
  // Whether the method computes a bound.
  bool proves() const { return continues() && !(climbs() && options_.sweep_limit() == 0); }
  bool has_tree() const { return solution_.score > NEGATIVE_INFINITY; }
  bool is_good_enough(Score bound) const {
    return bound == NEGATIVE_INFINITY ||
           (has_tree() && std::isfinite(bound) && closes(solution_.score, bound, options_.tolerance, unit_));
  }
  bool is_closed() const { return has_tree() && is_good_enough(solution_.bound); }
  // Whether every word has exactly one candidate left.
  bool is_decided() const { return frames().arcs() + 1 == static_cast<std::size_t>(frames().size); }
  // Arcs stay only if a tree with them can exceed this value. It lies above the best tree by half of the tolerance of a
  // certificate, so ties are dropped.
  Score threshold() const {
    return solution_.score + 0.5 * options_.tolerance * std::max(unit_, std::abs(solution_.score));
  }

  void lower(Score bound) { solution_.bound = std::min(solution_.bound, std::max(bound, excluded_)); }
  // Keeps the heads of the workspace if their value is better.
  void offer(Score value);
  // Keeps the heads of the workspace, a tree of candidates, if they are better.
  void offer_heads() { offer(tree_value(problem_, workspace_.heads, workspace_.climb)); }
  // Improves the heads of the workspace, a tree of candidates, and keeps the result if it is better. Climbs, or runs
  // the method if it is one that comes before Climb.
  void improve_and_offer();
  // Does the same starting from the best tree under the scores. Returns false if there is no tree.
  bool offer_tree(std::span<const Score> scores);
  // Finds the first tree, starting from the best one under the arc scores or where Climb is told to start. Returns
  // false if there is no tree.
  bool offer_first();
  // Calls action(). If it runs out of time, keeps the best tree so far, which may be that under the arc scores.
  template <class Action>
  void run_in_time(Action action) {
    try {
      action();
    } catch (const OutOfTime&) {
      if (!has_tree() && first_.empty()) throw;
      workspace_.heads = first_;
      if (!has_tree()) offer_heads();
      if (!has_tree()) solution_.heads = first_;
      solution_.status = Status::Unconverged;
    }
  }
  // Climbs with restarts from the best tree so far until it is proven optimal or stops changing. Trees are drawn by
  // `draw_scores` [arcs]. Sets the status to Approximate, or Unconverged if time runs out.
  void climb_with_restarts(std::span<const Score> draw_scores);
  // Find trees with the methods Greedy, Rerank and Sample. The candidates must contain a tree.
  void offer_greedy();
  void offer_ranked();
  void offer_sampled();
  // Calls `offer_tree` with the relaxed values as scores; arc scores break ties.
  bool offer_rounded(std::span<const double> relaxed);
  // Reduces the problem to the marked arcs of `from`. Leaves the extras as they are.
  void filter(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks);
  // Adopts the result of a solver on the remaining arcs.
  void take(const SolverResult& result);
  // Completes the solution. Its bound is at least its score. It is certified, with status Optimal, if and only if there
  // is no gap between the two.
  void conclude();

  Problem problem_;
  const DecodeOptions& options_;
  DecodeWorkspace& workspace_;
  Solution& solution_;
  const Score unit_;
  Score excluded_ = NEGATIVE_INFINITY;  // no tree with a dropped arc has a larger value
  int buffer_ = 0;                      // which frames of the workspace to fill next
  std::vector<Index> first_;            // the tree that `offer_first` starts from
};

// Decoding without extras.
class FrameDecoding final : public Decoding {
 public:
  FrameDecoding(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution)
      : Decoding(problem, options, workspace, solution) {}

  void run();

 private:
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  void find_tree();
  bool drop_arcs(Score bound);
  // Whether some word has no candidate left.
  bool lacks_candidate() const {
    for (Index word = 1; word < frames().size; ++word)
      if (frames().lanes[word] == 0) return true;
    return false;
  }
  Score descend(Index max_sweeps);
  void start();
  void search();
  bool search(const Frames& root, std::span<const Score> scores, Index max_nodes);
  void tighten();
  Index doubtful_arc(Score bound) const;
  Index crossing_arc();
  Score projective_bound();
  Score branch(Score bound, std::vector<Node>& nodes);
  void load(const Node& node, const Frames& root, std::span<const Score> scores);
  SolverResult run_solver(bool descended);
  void climb_remaining(bool descended);
};

}  // namespace headlong
