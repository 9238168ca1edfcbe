#include "graph/graph.hpp"

#include <stdexcept>

namespace headlong {

Score StructuredFactor::marginals(std::span<const Score>, FactorWorkspace&, std::span<double>) const {
  throw std::logic_error("this factor has no marginals");
}

double StructuredFactor::expected_own(std::span<const Score>, FactorWorkspace&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

Score StructuredFactor::max_marginals(std::span<const Score>, FactorWorkspace&, std::span<Score>,
                                      std::span<Score>) const {
  throw std::logic_error("this factor has no max-marginals");
}

std::vector<Index> Graph::degrees() const {
  std::vector<Index> counts(scores.size(), 0);
  for (Index variable : link_variables) ++counts[variable];
  return counts;
}

}  // namespace headlong
