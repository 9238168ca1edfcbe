// Unit propagation: what fixed variables imply.
#pragma once

#include "graph/solver.hpp"

namespace headlong {

// Fixes variables one at a time, together with everything that follows through logic factors and tables. Pairs allow
// everything, and structured factors are ignored.
class Propagator {
 public:
  explicit Propagator(const Graph& graph);

  std::span<const std::int8_t> fixed() const { return fixed_; }
  // Visits all factors once. Returns false if nothing is allowed.
  bool start();
  // Fixes a variable. If that contradicts what is fixed, returns false and changes nothing.
  bool fix(Index variable, bool on);
  // The fixed variables in the order they were fixed. `undo` keeps only the first `count` of them.
  std::span<const Index> trail() const { return trail_; }
  void undo(std::size_t count);

 private:
  bool set_link(Index link, bool on);
  bool run();
  bool visit(Index factor);
  bool visit(const LogicFactor& factor, Index begin, Index end);
  bool visit(const DenseFactor& factor, Index begin, Index end);
  bool fill(Index begin, Index end, bool on);

  const Graph& graph_;                   // not owned
  std::vector<std::int8_t> fixed_;       // [variables]
  std::vector<Index> begins_, factors_;  // the factors of each variable
  std::vector<Index> trail_;             // variables in the order they were fixed
  std::size_t done_ = 0;                 // how many of the trail have been propagated
};

}  // namespace headlong
