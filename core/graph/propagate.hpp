// What follows by logic from fixed variables.
#pragma once

#include "graph/solver.hpp"

namespace headlong {

// Fixes variables one by one, with all that follows through logic factors and tables (unit propagation; pairs allow
// everything, and structured factors are not asked).
class Propagator {
 public:
  explicit Propagator(const Graph& graph);

  std::span<const std::int8_t> fixed() const { return fixed_; }
  // Looks at all factors once; false if nothing is allowed.
  bool start();
  // Fixes a variable. False, and nothing changed, if that contradicts what is fixed.
  bool fix(Index variable, bool on);
  // All variables that are fixed, in that order; and back to the first so many of them.
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
  std::vector<Index> trail_;             // variables in the order in which they were fixed
  std::size_t done_ = 0;                 // of the trail
};

}  // namespace headlong
