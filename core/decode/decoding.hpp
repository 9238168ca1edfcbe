// One sentence being decoded: what decoding with and without extras (extra_decoder.cpp, tree_decoders.cpp) share, and
// the latter's class, whose branch and bound is in tree_search.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "decode/tree_decoders.hpp"

namespace headlong {

inline constexpr Index SWEEPS_A_ROUND = 8;  // of a descent, between looks at the tree and at which arcs may go

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

// One sentence: its candidates, as far as they are not yet excluded, and the best tree so far.
class Decoding : public Rounder {
 protected:
  // `extras`: parts beyond the frames, or none.
  Decoding(const Frames& frames, const Extras* extras, std::span<const Score> arc_scores, const TreeOptions& options,
           TreeWorkspace& workspace, TreeSolution& solution)
      : frames_(&frames),
        extras_(extras),
        arc_scores_(arc_scores),
        options_(options),
        workspace_(workspace),
        solution_(solution) {}

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  // What is left of the time limit for a solver: never 0 if there is one, which would mean none.
  double seconds_left() const {
    return options_.time_limit > 0.0 ? std::max(options_.time_limit - seconds(), 1e-9) : 0.0;
  }
  bool climbs() const { return options_.method == TreeMethod::Climb; }
  // Whether the method goes on from its first tree.
  bool goes_on() const { return options_.method >= TreeMethod::Climb; }
  // Whether it looks for a bound.
  bool proves() const { return goes_on() && !(climbs() && options_.max_sweeps == 0); }
  bool has_tree() const { return solution_.score > NEGATIVE_INFINITY; }
  bool is_good_enough(Score bound) const {
    return bound == NEGATIVE_INFINITY ||
           (has_tree() && std::isfinite(bound) && closes(solution_.score, bound, options_.tolerance));
  }
  bool is_closed() const { return has_tree() && is_good_enough(solution_.bound); }
  // Whether every word has one candidate left.
  bool is_decided() const { return frames_->arcs() + 1 == static_cast<std::size_t>(frames_->size); }
  // What an arc must promise to stay: half of what a certificate allows more than the best tree, so that ties go.
  Score threshold() const {
    return solution_.score + 0.5 * options_.tolerance * std::max(1.0, std::abs(solution_.score));
  }

  void lower(Score bound) { solution_.bound = std::min(solution_.bound, std::max(bound, excluded_)); }
  // Takes over the heads of the workspace if they are better.
  void offer(Score value);
  // Climbs from the heads of the workspace, which are a tree of candidates (with the methods before Climb, does what
  // these do with it), and keeps the result if it is better.
  void offer_heads();
  // The same from the best tree under the scores. False: there is no tree.
  bool offer_tree(std::span<const Score> scores);
  // The first tree: from the best one under the arc scores, or where Climb is asked to start. False: there is no tree.
  bool offer_first();
  // Climbs with restarts from the best tree so far, until it is proven best or nothing changes any more; trees are
  // drawn by `draw_scores` [arcs]. The status is then Approximate, or Unconverged if the time was up.
  void climb_often(std::span<const Score> draw_scores);
  // The trees of the methods Greedy, Rerank and Sample, where there is a tree of candidates.
  void offer_greedy();
  void offer_ranked();
  void offer_sampled();
  // As offer_tree under the relaxed values, the scores breaking ties.
  bool offer_rounded(std::span<const double> relaxed);
  // Goes on with the arcs of `from` that are marked. Extras stay those of the arcs before.
  void keep(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks);
  // Takes over what a solver has found on the arcs that are left.
  void take(const SolverResult& result);
  // What the finished solution says of itself: its bound is not below its score, and it is certified, and Optimal, if
  // and only if there is then no gap between the two.
  void conclude();

  const Frames* frames_;
  const Extras* extras_;
  std::span<const Score> arc_scores_;
  const TreeOptions& options_;
  TreeWorkspace& workspace_;
  TreeSolution& solution_;
  Score excluded_ = NEGATIVE_INFINITY;  // no tree with an arc that was dropped is worth more
  int buffer_ = 0;                      // which frames of the workspace come next

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Without extras.
class FrameDecoding final : public Decoding {
 public:
  FrameDecoding(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
                TreeWorkspace& workspace, TreeSolution& solution)
      : Decoding(frames, nullptr, arc_scores, options, workspace, solution) {}

  void run();

 private:
  bool out_of_time() const { return options_.time_limit > 0.0 && seconds() > options_.time_limit; }
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  bool drop_arcs(Score bound);
  // Whether a word has no candidate left.
  bool has_gap() const {
    for (Index word = 1; word < frames_->size; ++word)
      if (frames_->lanes[word] == 0) return true;
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
