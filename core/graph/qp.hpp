// The quadratic problem of a factor that can only maximize, by an active-set method (Martins et al. 2012; Martins 2013,
// proposition 2; Nocedal and Wright, section 16.5).
#pragma once

#include <type_traits>

#include "graph/graph.hpp"

namespace headlong {

// The configurations that form the solution, with their weights and the Cholesky factor of their linear system. It is
// the solution and a warm start for the next call with similar values. Links are bits: the overlap of two
// configurations takes a few words, and all configurations of a factor are contiguous in memory.
struct ActiveSet {
  std::size_t words = 0;            // 64-bit words per configuration
  std::vector<std::uint64_t> bits;  // [active][words]: the links that are on
  std::vector<Score> owns;          // [active]: own scores
  std::vector<double> weights;      // [active]: positive, summing to 1
  std::vector<double> cholesky;     // lower triangle by rows, of the matrix y_i.y_j + 1
  std::vector<double> ones;         // the first known entries of the solution of cholesky x = 1
  Score own = 0.0;                  // the weighted mean of the own scores at the solution
};

// Scratch memory of the method, shared by all factors that one thread solves, and its step limit.
struct QpWorkspace {
  std::size_t max_steps = NO_LIMIT;  // a call that needs more stops early, at a point of the convex hull
  bool finished = true;              // whether the last call reached the solution
  Configuration candidate;
  std::vector<std::uint64_t> bits;
  std::vector<Score> scores;
  std::vector<double> linear, forward, solution, row, kept;

  static constexpr std::size_t NO_LIMIT = std::numeric_limits<std::size_t>::max();
};

// A view of a callable (scores, best) -> value. The callable returns the maximum over configurations y of own(y) +
// scores.y, or -inf if there is none, and sets best.on and best.own. The view must not outlive the callable; nothing is
// copied or allocated.
class Maximizer {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, Maximizer>)
  Maximizer(const Callable& callable)
      : callable_(&callable), call_([](const void* object, std::span<const Score> scores, Configuration& best) {
          return (*static_cast<const Callable*>(object))(scores, best);
        }) {}

  Score operator()(std::span<const Score> scores, Configuration& best) const { return call_(callable_, scores, best); }

 private:
  const void* callable_;
  Score (*call_)(const void*, std::span<const Score>, Configuration&);
};

// Sets `out` [links] to the maximizer of own_scale * own(z) - |z - values|^2 / 2 over the convex hull of the
// configurations of `maximize`. own(z) is the largest weighted mean of own scores among all ways to write z as a
// weighted mean of configurations. A value of -inf forbids a link. If there is no configuration, returns false and does
// not change `out`. For a active configurations, a step takes O(a^2 + a links) and one maximization. The first call of
// a factor allocates memory for up to 256 configurations.
bool solve_qp(const Maximizer& maximize, std::span<const double> values, double own_scale, ActiveSet& active,
              QpWorkspace& workspace, std::span<double> out);

}  // namespace headlong
