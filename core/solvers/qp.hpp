// The quadratic problem of a factor that can only maximize: an active-set method (Martins et al. 2012; Martins 2013,
// proposition 2; Nocedal and Wright, section 16.5).
#pragma once

#include <functional>

#include "factors/graph.hpp"

namespace headlong {

// The configurations that carry the solution, with their weights and what the method keeps of its linear system; a warm
// start for the next call with nearby values.
struct ActiveSet {
  std::vector<Configuration> configurations;
  std::vector<double> weights;
  std::vector<double> inverse;
};

// Scratch memory of the method, shared by all factors that one thread solves.
struct QpWorkspace {
  std::vector<Score> scores;
  std::vector<double> solution, direction;
  Configuration found;
};

using Maximizer = std::function<Score(std::span<const Score> scores, Configuration& best)>;

// The maximizer of own_scale * own(z) - |z - values|^2 / 2 over the convex hull of the configurations that `maximize`
// knows: maximize(s, best) returns max over configurations y of own(y) + s.y, and sets best.on and best.own. `out`
// [links].
void solve_qp(const Maximizer& maximize, std::span<const double> values, double own_scale, ActiveSet& active,
              QpWorkspace& workspace, std::span<double> out);

}  // namespace headlong
