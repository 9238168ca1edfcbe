// The quadratic problem of a factor that can only maximize: an active-set method (Martins et al. 2012; Martins 2013,
// proposition 2; Nocedal and Wright, section 16.5).
#pragma once

#include <type_traits>

#include "factors/graph.hpp"

namespace headlong {

// The configurations that carry the solution, with their weights and the Cholesky factor of their linear system: the
// solution itself, and a warm start for the next call with nearby values.
struct ActiveSet {
  // The first weights.size() are in use; the others are kept for their memory.
  std::vector<Configuration> configurations;
  std::vector<double> weights;   // positive, with sum 1
  std::vector<double> cholesky;  // lower triangle by rows, of the matrix of y_i.y_j + 1
  Score own = 0.0;               // the weighted mean of the configurations' own scores at the solution
};

// Scratch memory of the method, shared by all factors that one thread solves.
struct QpWorkspace {
  std::vector<Score> scores;
  std::vector<double> linear, solution, ones, row;
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
// is no configuration. O(a^2 + a links) and one maximization a step, for a active configurations.
bool solve_qp(const Maximizer& maximize, std::span<const double> values, double own_scale, ActiveSet& active,
              QpWorkspace& workspace, std::span<double> out);

}  // namespace headlong
