// Local search over assignments: repairs violated factors, then improves a feasible assignment.
#pragma once

#include "base/stop.hpp"
#include "graph/solver.hpp"

namespace headlong {

// An assignment that changes by flips. For logic factors, pairs and tables, counts give the effect of a flip in O(1).
// Structured factors are asked for the own score of the new configuration.
//
// A move is a chain of flips. It flips one variable, and while some factor is violated, it repairs that factor: by the
// flip of another of its variables that is best for all factors; if the factor is structured, by turning off another
// link, or else by its best configuration given the gains of each link elsewhere. No variable changes twice in a chain,
// so chains end. A chain without improvement is undone. A flip in XOR thus becomes a swap, a flip of an arc leads to
// another tree, and outputs follow their inputs. If a flip is allowed but not an improvement, it is tried again
// together with a flip of each variable that shares a small factor with it.
class LocalSearch {
 public:
  // `fixed` [variables] (-1 free, 0 or 1) must not change. `limit` is about how many links may be visited after each
  // `start`; evaluating a structured factor counts a quarter of its links.
  LocalSearch(const Graph& graph, Fixed fixed, GraphWorkspace& workspace, std::int64_t limit);

  // Starts from an assignment, which must agree with `fixed`. O(links).
  void start(std::span<const std::uint8_t> assignment);
  // Repairs factors until none is violated. Returns false on failure.
  bool repair();
  // Makes moves until none is an improvement or the limit is reached. Needs an assignment without violations.
  void improve();

  std::span<const std::uint8_t> assignment() const { return assignment_; }
  Score value() const { return value_; }

 private:
  // How a factor rates its current configuration.
  struct Rating {
    Index excess = 0;  // how far the configuration is from being allowed; 0: it is allowed
    Score own = 0.0;   // 0 if the configuration is not allowed
  };

  Rating rate(Index factor);
  void set_rating(Index factor, Rating rating);
  void flip_link(Index link);
  void flip(Index variable);
  double gain(Index variable, Index without);
  bool is_free(Index variable) const { return fixed_[variable] < 0 && stamps_[variable] != stamp_; }
  void move(Index variable);
  bool repair_factor(Index factor);
  bool repair_small(Index factor);
  bool repair_structured(Index factor);
  bool finish_chain();
  bool try_move(Index variable, bool thorough);
  bool try_with(Index other, Score before);
  bool try_swaps(Index factor, Score before);
  bool try_neighbors(Index variable, Score before);
  bool try_structured(Index factor);
  void take_back();
  bool is_better(Score before) const;
  bool is_out_of_work() {
    counter_.add(1000);
    return work_ > limit_;
  }

  const Graph& graph_;
  GraphWorkspace& workspace_;
  WorkCounter counter_;
  std::vector<std::int8_t> fixed_;
  std::int64_t limit_, work_ = 0;
  std::vector<Index> begins_, links_;     // the links of each variable
  std::vector<Index> factor_of_;          // [links]
  std::vector<std::uint8_t> assignment_;  // [variables]
  std::vector<std::uint8_t> on_;          // [links]
  std::vector<Index> counts_;    // [factors] logic: number of links that are on, without an output; tables: the row
  std::vector<Rating> ratings_;  // [factors]
  std::vector<Index> violated_, places_;  // violated factors; [factors] position of each in that list, or -1
  Index excess_ = 0;                      // total over all factors
  Score value_ = 0.0;
  double penalty_ = 1.0;               // weight of a violation relative to scores
  std::vector<Index> moved_;           // variables of the current chain
  std::vector<std::uint32_t> stamps_;  // [variables] the last chain that changed each
  std::uint32_t stamp_ = 0;
  std::vector<Score> scores_;  // scratch of `repair_structured`
  Configuration best_;
};

}  // namespace headlong
