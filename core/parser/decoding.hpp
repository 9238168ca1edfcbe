// One sentence being decoded: what tree_decoders.cpp (start, descent, solvers) and tree_search.cpp (branch and bound)
// share.
#pragma once

#include <chrono>
#include <cmath>

#include "parser/tree_decoders.hpp"

namespace headlong {

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
class Decoding final : public Rounder {
 public:
  Decoding(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
           TreeWorkspace& workspace, TreeSolution& solution)
      : frames_(&frames), arc_scores_(arc_scores), options_(options), workspace_(workspace), solution_(solution) {}

  void run();

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  bool out_of_time() const { return options_.time_limit > 0.0 && seconds() > options_.time_limit; }
  bool has_tree() const { return solution_.score > NEGATIVE_INFINITY; }
  bool is_closed() const { return has_tree() && is_good_enough(solution_.bound); }

  // The best tree under the relaxed values, the scores breaking ties, improved by local search.
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  bool offer_tree(std::span<const Score> scores);
  void offer(Score value);
  void lower(Score bound) { solution_.bound = std::min(solution_.bound, std::max(bound, excluded_)); }
  void keep(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks);
  bool drop_arcs(Score bound);
  // Whether a word has no candidate left.
  bool has_gap() const {
    for (Index word = 1; word < frames_->size; ++word)
      if (frames_->lanes[word] == 0) return true;
    return false;
  }
  bool is_good_enough(Score bound) const {
    return bound == NEGATIVE_INFINITY ||
           (has_tree() && std::isfinite(bound) && closes(solution_.score, bound, options_.tolerance));
  }
  Score descend(Index max_sweeps);
  void start();
  // Whether every word has one candidate left.
  bool is_decided() const { return frames_->arcs() + 1 == static_cast<std::size_t>(frames_->size); }
  void search();
  Index doubtful_arc(Score bound) const;
  Index crossing_arc();
  Score projective_bound();
  Score branch(Score bound, std::vector<Node>& nodes);
  void load(const Node& node, const Frames& root, std::span<const Score> scores);
  void run_solver(bool descended);

  const Frames* frames_;
  std::span<const Score> arc_scores_;
  const TreeOptions& options_;
  TreeWorkspace& workspace_;
  TreeSolution& solution_;
  Score excluded_ = NEGATIVE_INFINITY;  // no tree with an arc that was dropped is worth more
  int buffer_ = 0;                      // which frames of the workspace come next
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace headlong
