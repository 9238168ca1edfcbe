// One sentence being decoded: what decoding with and without extras share, and the class without, whose branch and
// bound is in frame_search.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "decode/solve.hpp"

namespace headlong {

inline constexpr Index SWEEPS_PER_ROUND = 8;  // of a descent, before it rounds to a tree and drops arcs

// What is left of the problem at a node of the search.
struct Node {
  Score bound;
  std::vector<Index> numbers;  // of the arcs that are left, in the first node
  ArcSplit split;              // of these
};

// What an arc costs in its two automata.
inline Score arc_deficit(const Descent& descent, std::size_t arc) {
  const Index link = descent.lane_links[arc];
  return descent.deficits[link] + descent.deficits[descent.others[link]];
}

// Solves the relaxation of a graph: by the subgradient method if the options name it, else by AD3. `seconds` is the
// time limit; 0: none.
SolverResult relax(const Graph& graph, const DecodeOptions& options, const Start& start, double seconds);

// Decodes with frames alone: the descent, then branch and bound on it, AD3, the subgradient method or hill climbing.
void solve_with_frames(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                       Solution& solution);

// Decodes with frames and extras. Climbing values extras from scratch at every move. The descent does not know extras:
// it runs on optimistic scores of the arcs (`add_optimism`), so that its bound holds, and drops arcs. What is left goes
// to AD3 or the subgradient method on the graph with the factors of `add_extra_factors`, or to branch and bound on AD3.
void solve_with_extras(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace,
                       Solution& solution);

// One sentence: its problem, with the candidates that are not yet excluded, and the best tree so far.
class Decoding : public Rounder {
 protected:
  Decoding(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution)
      : problem_(problem), options_(options), workspace_(workspace), solution_(solution) {}

  const Frames& frames() const { return *problem_.frames; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  bool out_of_time() const { return options_.time_limit > 0.0 && seconds() > options_.time_limit; }
  // What is left of the time limit for a solver. Never 0 if there is a limit: 0 would mean none.
  double seconds_left() const {
    return options_.time_limit > 0.0 ? std::max(options_.time_limit - seconds(), 1e-9) : 0.0;
  }
  bool climbs() const { return options_.method == Method::Climb; }
  // Whether the method goes on from its first tree.
  bool goes_on() const { return options_.method >= Method::Climb; }
  // Whether it looks for a bound.
  bool proves() const { return goes_on() && !(climbs() && options_.sweep_limit() == 0); }
  bool has_tree() const { return solution_.score > NEGATIVE_INFINITY; }
  bool is_good_enough(Score bound) const {
    return bound == NEGATIVE_INFINITY ||
           (has_tree() && std::isfinite(bound) && closes(solution_.score, bound, options_.tolerance));
  }
  bool is_closed() const { return has_tree() && is_good_enough(solution_.bound); }
  // Whether every word has one candidate left.
  bool is_decided() const { return frames().arcs() + 1 == static_cast<std::size_t>(frames().size); }
  // An arc stays if a tree with it could reach this value: above the best tree by half of what a certificate allows, so
  // that ties go.
  Score threshold() const {
    return solution_.score + 0.5 * options_.tolerance * std::max(1.0, std::abs(solution_.score));
  }

  void lower(Score bound) { solution_.bound = std::min(solution_.bound, std::max(bound, excluded_)); }
  // Takes the heads of the workspace if they are better.
  void offer(Score value);
  // Takes the heads of the workspace, a tree of candidates, if they are better.
  void offer_heads_as_they_are() { offer(tree_value(problem_, workspace_.heads, workspace_.climb)); }
  // Improves the heads of the workspace, a tree of candidates, and takes the result if it is better: climbs, or does
  // what one of the methods before Climb does.
  void offer_heads();
  // The same from the best tree under the scores. Returns false if there is no tree.
  bool offer_tree(std::span<const Score> scores);
  // The first tree: from the best one under the arc scores, or where Climb is asked to start. Returns false if there is
  // no tree.
  bool offer_first();
  // Climbs with restarts from the best tree so far until it is proven best or nothing changes any more. Trees are drawn
  // by `draw_scores` [arcs]. The status is then Approximate, or Unconverged if the time was up.
  void climb_often(std::span<const Score> draw_scores);
  // The trees of the methods Greedy, Rerank and Sample. There must be a tree of candidates.
  void offer_greedy();
  void offer_ranked();
  void offer_sampled();
  // As offer_tree under the relaxed values; arc scores break ties.
  bool offer_rounded(std::span<const double> relaxed);
  // Goes on with the marked arcs of `from`. Extras stay those of the arcs before.
  void filter(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks);
  // Takes the result of a solver on the arcs that are left.
  void take(const SolverResult& result);
  // Completes the solution: its bound is not below its score, and it is certified, with status Optimal, if and only if
  // there is no gap between the two.
  void conclude();

  Problem problem_;
  const DecodeOptions& options_;
  DecodeWorkspace& workspace_;
  Solution& solution_;
  Score excluded_ = NEGATIVE_INFINITY;  // no tree with a dropped arc is worth more
  int buffer_ = 0;                      // which frames of the workspace come next

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Without extras.
class FrameDecoding final : public Decoding {
 public:
  FrameDecoding(const Problem& problem, const DecodeOptions& options, DecodeWorkspace& workspace, Solution& solution)
      : Decoding(problem, options, workspace, solution) {}

  void run();

 private:
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  bool drop_arcs(Score bound);
  // Whether a word has no candidate left.
  bool has_gap() const {
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
  void climb_on(bool descended);
};

}  // namespace headlong
