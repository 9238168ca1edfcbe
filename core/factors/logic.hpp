// Logic factors, pairs and small tables: all services in closed form (Martins 2010, table 1; Martins 2011a, section 4).
#pragma once

#include "factors/graph.hpp"

namespace headlong {

// Whether a configuration is allowed.
bool allows(const LogicFactor& factor, std::span<const std::uint8_t> on);

// Maximization. Returns the best value (-inf if nothing is allowed) and sets `on`. O(n), or O(n log n) for budgets.
Score maximize(const LogicFactor& factor, std::span<const Score> scores, std::span<std::uint8_t> on);
Score maximize(const PairFactor& factor, std::span<const Score> scores, std::span<std::uint8_t> on);
Score maximize(const DenseFactor& factor, std::span<const Score> scores, std::span<std::uint8_t> on);

// Sum-product: link marginals under exp(score) and the log-partition.
Score marginals(const LogicFactor& factor, std::span<const Score> scores, std::span<double> out);
Score marginals(const PairFactor& factor, std::span<const Score> scores, std::span<double> out);
Score marginals(const DenseFactor& factor, std::span<const Score> scores, std::span<double> out);

// Max-product: the best value with each link on, and off; returns the best of all.
Score max_marginals(const LogicFactor& factor, std::span<const Score> scores, std::span<Score> on,
                    std::span<Score> off);
Score max_marginals(const PairFactor& factor, std::span<const Score> scores, std::span<Score> on, std::span<Score> off);
Score max_marginals(const DenseFactor& factor, std::span<const Score> scores, std::span<Score> on,
                    std::span<Score> off);

// Scratch memory of the projections.
struct ProjectionWorkspace {
  std::vector<double> sorted;
  std::vector<Index> order;
};

// The point of the factor's polytope (the convex hull of its allowed configurations) nearest to `values`. O(n log n).
void project(const LogicFactor& factor, std::span<const double> values, ProjectionWorkspace& workspace,
             std::span<double> out);

// The maximizer of own_scale * score * P(both on) - |z - values|^2 / 2 over the marginal polytope of the pair. O(1).
void project(const PairFactor& factor, std::span<const double> values, double own_scale, std::span<double> out);

}  // namespace headlong
