// Logic factors, pairs and small tables: all services in closed form (Martins 2010, table 1; Martins 2011a, section 4).
//
// Link scores are finite or -inf, which forbids a link to be on. Where nothing is allowed, values and log-partitions
// are -inf, configurations are all off and marginals are zero. Ties are broken towards off, then the lowest link.
#pragma once

#include "graph/graph.hpp"

namespace headlong {

// Scratch memory of all calls below, which allocate only to make it larger.
struct LogicWorkspace {
  std::vector<double> values;
  std::vector<Index> order;
};

// Whether a configuration is allowed.
bool allows(const LogicFactor& factor, std::span<const std::uint8_t> on);

// Maximization. Returns the best value and sets `on`. O(n); O(2^n) for tables.
Score maximize(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on);
Score maximize(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on);
Score maximize(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on);

// Sum-product: link marginals under exp(score) and the log-partition. O(n); O(n * budget) for budgets, O(2^n) for
// tables. Nothing is subtracted that could cancel, so that small marginals are as exact as large ones.
Score marginals(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out);
Score marginals(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out);
Score marginals(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out);

// Max-product: the best value with each link on, and off; returns the best of all. O(n); O(n log n) for budgets, O(2^n)
// for tables.
Score max_marginals(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);
Score max_marginals(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);
Score max_marginals(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off);

// The mean of the factor's own score under the distribution of `marginals`; 0 where nothing is allowed. With it, the
// entropy of that distribution is log-partition - sum of marginal * score over links - expected_own.
double expected_own(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace);
double expected_own(const PairFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace);
double expected_own(const DenseFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace);

// Values to project may be infinite: beyond this limit they count as the limit, which keeps NaN out.
inline constexpr double VALUE_LIMIT = 1e9;

// The point of the factor's polytope (the convex hull of its allowed configurations) nearest to `values`. O(n log n).
// Where nothing is allowed, Exactly answers with all links on; the other factors always allow something.
void project(const LogicFactor& factor, std::span<const double> values, LogicWorkspace& workspace,
             std::span<double> out);

// The maximizer of own_scale * score * P(both on) - |z - values|^2 / 2 over the marginal polytope of the pair. O(1).
void project(const PairFactor& factor, std::span<const double> values, double own_scale, std::span<double> out);

}  // namespace headlong
