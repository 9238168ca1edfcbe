// Logic factors, pairs and small tables: all services in closed form (Martins 2010, table 1; Martins 2011a, section 4).
//
// Link scores are finite or -inf, which forbids the link to be on. If nothing is allowed, values and log-partitions are
// -inf, configurations are all off and marginals are zero. Ties are broken in favor of off, then of the lowest link.
#pragma once

#include "graph/graph.hpp"

namespace headlong {

// Scratch memory of all functions below. They allocate only to grow it.
struct LogicWorkspace {
  std::vector<double> values;
  std::vector<Index> order;
};

// Returns whether a configuration is allowed.
bool allows(const LogicFactor& factor, std::span<const std::uint8_t> on);

// Maximization: returns the best value and sets `on`. O(n); O(2^n) for tables.
Score maximize(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on);
Score maximize(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on);
Score maximize(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on);

// Sum-product: writes link marginals under exp(score) and returns the log-partition. O(n); O(n * budget) for budgets,
// O(2^n) for tables. No subtraction can cancel, so small marginals are as accurate as large ones.
Score marginals(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out);
Score marginals(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out);
Score marginals(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out);

// Max-product: writes the best value with each link on and off, and returns the best value. O(n); O(n log n) for
// budgets, O(2^n) for tables.
Score max_marginals(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);
Score max_marginals(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);
Score max_marginals(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);

// Returns the mean of the factor's own score under the distribution of `marginals`; 0 if nothing is allowed. The
// entropy of that distribution is log-partition - sum of marginal * score over links - expected_own.
double expected_own(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace);
double expected_own(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace);
double expected_own(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace);

// Values to project may be infinite. They are clipped to this limit, which avoids NaN.
inline constexpr double VALUE_LIMIT = 1e9;

// Writes the point of the factor's polytope (the convex hull of its allowed configurations) nearest to `values`. O(n
// log n). If nothing is allowed, Exactly returns all links on; the other factors always allow something.
void project(const LogicFactor& factor, std::span<const double> values, LogicWorkspace& workspace,
             std::span<double> out);

// Writes the maximizer of own_scale * score * P(both on) - |z - values|^2 / 2 over the marginal polytope of the pair.
// O(1).
void project(const PairFactor& factor, std::span<const double> values, double own_scale, std::span<double> out);

}  // namespace headlong
