// Local search among assignments: repairs violated factors, and improves what is allowed.
#pragma once

#include "graph/solver.hpp"

namespace headlong {

// An assignment that is changed by flips. What a flip does to logic factors, pairs and tables is known from counts in
// O(1); structured factors are asked for the own score of their new configuration.
//
// A move is a chain: a variable is flipped, and while that leaves a factor violated, the factor is mended, by the flip
// of another of its variables that is best for all factors, or if it is structured by turning another link off, or else
// by its best configuration given what the others think of each link. No variable changes twice in a chain, so chains
// end; one that ends in nothing better is taken back. A flip in XOR becomes a swap, one of a tree's arcs another tree,
// and outputs follow their inputs. Where a flip alone is allowed but not better, it is tried together with one of each
// variable that shares a small factor with it.
class LocalSearch {
 public:
  // `fixed` [variables], -1 free, 0 or 1: what must not change. `limit`: about how many links may be looked at
  // after each `start`; reading through a structured factor counts a quarter of its links.
  LocalSearch(const Graph& graph, Fixed fixed, GraphWorkspace& workspace, std::int64_t limit);

  // Takes this assignment as the present one; it agrees with `fixed`. O(links).
  void start(std::span<const std::uint8_t> assignment);
  // Mends factors until none is violated; false if that fails.
  bool repair();
  // Makes moves until none is an improvement, or the limit is reached; needs an assignment without violations.
  void improve();

  std::span<const std::uint8_t> assignment() const { return assignment_; }
  Score value() const { return value_; }

 private:
  // What a factor says of its present configuration.
  struct Opinion {
    Index excess = 0;  // a measure of how far it is from being allowed; 0: it is
    Score own = 0.0;   // 0 if it is not
  };

  Opinion opinion(Index factor);
  void set_opinion(Index factor, Opinion opinion);
  void flip_link(Index link);
  void flip(Index variable);
  double gain(Index variable, Index without);
  bool is_free(Index variable) const { return fixed_[variable] < 0 && stamps_[variable] != stamp_; }
  void move(Index variable);
  bool mend(Index factor);
  bool mend_small(Index factor);
  bool mend_structured(Index factor);
  bool follow();
  bool try_move(Index variable, bool thorough);
  bool try_with(Index other, Score before);
  bool try_swaps(Index factor, Score before);
  bool try_neighbours(Index variable, Score before);
  bool try_structured(Index factor);
  void take_back();
  bool is_better(Score before) const;
  bool is_out_of_work() const { return work_ > limit_; }

  const Graph& graph_;
  GraphWorkspace& workspace_;
  std::vector<std::int8_t> fixed_;
  std::int64_t limit_, work_ = 0;
  std::vector<Index> begins_, links_;     // the links of each variable
  std::vector<Index> factor_of_;          // [links]
  std::vector<std::uint8_t> assignment_;  // [variables]
  std::vector<std::uint8_t> on_;          // [links]
  std::vector<Index> counts_;             // [factors] logic: links that are on, without an output; tables: the row
  std::vector<Opinion> opinions_;         // [factors]
  std::vector<Index> violated_, places_;  // violated factors; [factors] where in that list each is, or -1
  Index excess_ = 0;                      // of all factors
  Score value_ = 0.0;
  double penalty_ = 1.0;               // what a violation counts beside scores
  std::vector<Index> moved_;           // variables of the present chain
  std::vector<std::uint32_t> stamps_;  // [variables] the last chain that changed it
  std::uint32_t stamp_ = 0;
  std::vector<Score> scores_;  // scratch of `mend_structured`
  Configuration best_;
};

}  // namespace headlong
