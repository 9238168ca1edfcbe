// The quadratic problem of a factor that can only maximize: an active-set method (Martins et al. 2012; Martins 2013,
// proposition 2; Nocedal and Wright, section 16.5).
#pragma once

#include <type_traits>

#include "graph/graph.hpp"

namespace headlong {

// The configurations that carry the solution, with their weights and the Cholesky factor of their linear system: the
// solution itself, and a warm start for the next call with nearby values. Links are bits: the overlap of two
// configurations takes a few words, and all of a factor's configurations lie in one piece of memory.
struct ActiveSet {
  std::size_t words = 0;            // of 64 bits, for each configuration
  std::vector<std::uint64_t> bits;  // [active][words]: the links that are on
  std::vector<Score> owns;          // [active]: own scores
  std::vector<double> weights;      // [active]: positive, with sum 1
  std::vector<double> cholesky;     // lower triangle by rows, of the matrix of y_i.y_j + 1
  std::vector<double> ones;         // the first entries of the solution of cholesky x = 1, as far as they are known
  Score own = 0.0;                  // the weighted mean of the configurations' own scores at the solution
};

// Scratch memory of the method, shared by all factors that one thread solves, and its limit.
struct QpWorkspace {
  std::size_t max_steps = NO_LIMIT;  // a call that needs more ends early, at a point of the convex hull
  bool finished = true;              // whether the last call reached the solution
  Configuration candidate;
  std::vector<std::uint64_t> bits;
  std::vector<Score> scores;
  std::vector<double> linear, forward, solution, row, kept;

  static constexpr std::size_t NO_LIMIT = std::numeric_limits<std::size_t>::max();
};

// A view of a callable (scores, best) -> value that returns max over configurations y of own(y) + scores.y, or -inf if
// there is none, and sets best.on and best.own. It must not outlive the callable: nothing is copied or allocated.
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
// configurations that `maximize` knows; own(z) is the largest weighted mean of own scores among the ways to write z as
// a weighted mean of configurations. A value of -inf forbids a link. Returns false, and leaves `out` alone, if there
// is no configuration. O(a^2 + a links) and one maximization a step, for a active configurations. Memory for up to 256
// of them is taken in a factor's first call.
bool solve_qp(const Maximizer& maximize, std::span<const double> values, double own_scale, ActiveSet& active,
              QpWorkspace& workspace, std::span<double> out);

}  // namespace headlong
