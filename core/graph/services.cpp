#include "graph/services.hpp"

#include <algorithm>

namespace headlong {

namespace {

// A call takes about this many nanoseconds per link: a tree factor with 2,000 links takes 0.1 ms.
constexpr std::size_t WORK_PER_LINK = 50;

// Calls visit with the factor as its own type.
template <class Visit>
decltype(auto) visit(const Graph& graph, Index factor, Visit visitor) {
  const Index place = graph.places[factor];
  switch (graph.types[factor]) {
    case FactorType::Logic:
      return visitor(graph.logic[place]);
    case FactorType::Pair:
      return visitor(graph.pairs[place]);
    case FactorType::Dense:
      return visitor(graph.dense[place]);
    default:
      return visitor(*graph.structured[place]);
  }
}

template <class Factor>
constexpr bool is_structured = std::is_same_v<Factor, StructuredFactor>;

Score own_of(const LogicFactor& factor, std::span<const std::uint8_t> on) {
  return allows(factor, on) ? 0.0 : NEGATIVE_INFINITY;
}

Score own_of(const PairFactor& factor, std::span<const std::uint8_t> on) { return on[0] && on[1] ? factor.score : 0.0; }

Score own_of(const DenseFactor& factor, std::span<const std::uint8_t> on) {
  std::size_t row = 0;
  for (std::size_t link = 0; link < on.size(); ++link) row |= static_cast<std::size_t>(on[link] != 0) << link;
  return factor.scores[row];
}

}  // namespace

GraphWorkspace::GraphWorkspace(const Graph& graph) : structured(graph.factors()), active_sets(graph.factors()) {
  for (Index f = 0; f < graph.factors(); ++f)
    if (graph.types[f] == FactorType::Structured) structured[f] = graph.structured[graph.places[f]]->make_workspace();
}

Score maximize(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
               Configuration& best) {
  workspace.work.add(WORK_PER_LINK * scores.size());
  best.on.resize(scores.size());
  return visit(graph, factor, [&](const auto& found) {
    if constexpr (is_structured<std::remove_cvref_t<decltype(found)>>) {
      return found.maximize(scores, *workspace.structured[factor], best);
    } else {
      const Score value = maximize(found, scores, workspace.logic, best.on);
      best.own = own_of(found, best.on);
      return value;
    }
  });
}

Score own_score(const Graph& graph, Index factor, std::span<const std::uint8_t> on, GraphWorkspace& workspace) {
  workspace.work.add(WORK_PER_LINK * on.size());
  return visit(graph, factor, [&](const auto& found) {
    if constexpr (is_structured<std::remove_cvref_t<decltype(found)>>)
      return found.own_score(on, *workspace.structured[factor]);
    else
      return own_of(found, on);
  });
}

bool has_marginals(const Graph& graph, Index factor) {
  return graph.types[factor] != FactorType::Structured || graph.structured[graph.places[factor]]->has_marginals();
}

Score marginals(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
                std::span<double> out) {
  workspace.work.add(WORK_PER_LINK * scores.size());
  return visit(graph, factor, [&](const auto& found) {
    if constexpr (is_structured<std::remove_cvref_t<decltype(found)>>)
      return found.marginals(scores, *workspace.structured[factor], out);
    else
      return marginals(found, scores, workspace.logic, out);
  });
}

double expected_own(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace) {
  return visit(graph, factor, [&](const auto& found) -> double {
    if constexpr (is_structured<std::remove_cvref_t<decltype(found)>>)
      return found.expected_own(scores, *workspace.structured[factor]);
    else
      return expected_own(found, scores, workspace.logic);
  });
}

double entropy(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace) {
  std::vector<double>& probabilities = workspace.probabilities;
  probabilities.resize(scores.size());
  const Score log_partition = marginals(graph, factor, scores, workspace, probabilities);
  if (log_partition == NEGATIVE_INFINITY) return 0.0;
  double mean = expected_own(graph, factor, scores, workspace);
  for (std::size_t link = 0; link < scores.size(); ++link)
    if (probabilities[link] > 0.0) mean += probabilities[link] * scores[link];
  // Rounding errors can make this negative. This form preserves NaN.
  const double found = log_partition - mean;
  return found < 0.0 ? 0.0 : found;
}

std::optional<Score> lowest_own(const Graph& graph, Index factor) {
  const Index place = graph.places[factor];
  switch (graph.types[factor]) {
    case FactorType::Logic:
      return 0.0;
    case FactorType::Pair:
      return std::min(0.0, graph.pairs[place].score);
    case FactorType::Dense: {
      Score lowest = std::numeric_limits<Score>::infinity();
      for (Score score : graph.dense[place].scores)
        if (score > NEGATIVE_INFINITY) lowest = std::min(lowest, score);
      return lowest < std::numeric_limits<Score>::infinity() ? lowest : 0.0;
    }
    default:
      return graph.structured[place]->lowest_own();
  }
}

bool has_max_marginals(const Graph& graph, Index factor) {
  return graph.types[factor] != FactorType::Structured || graph.structured[graph.places[factor]]->has_max_marginals();
}

Score max_marginals(const Graph& graph, Index factor, std::span<const Score> scores, GraphWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off) {
  workspace.work.add(WORK_PER_LINK * scores.size());
  return visit(graph, factor, [&](const auto& found) {
    if constexpr (is_structured<std::remove_cvref_t<decltype(found)>>)
      return found.max_marginals(scores, *workspace.structured[factor], on, off);
    else
      return max_marginals(found, scores, workspace.logic, on, off);
  });
}

void project(const Graph& graph, Index factor, std::span<const double> values, double own_scale,
             GraphWorkspace& workspace, std::span<double> out) {
  workspace.work.add(WORK_PER_LINK * values.size());
  const Index place = graph.places[factor];
  switch (graph.types[factor]) {
    case FactorType::Logic:
      return project(graph.logic[place], values, workspace.logic, out);
    case FactorType::Pair:
      return project(graph.pairs[place], values, own_scale, out);
    default:
      solve_qp([&](std::span<const Score> scores,
                   Configuration& best) { return maximize(graph, factor, scores, workspace, best); },
               values, own_scale, workspace.active_sets[factor], workspace.qp, out);
  }
}

Score projected_own(const Graph& graph, Index factor, std::span<const double> point, const GraphWorkspace& workspace) {
  switch (graph.types[factor]) {
    case FactorType::Logic:
      return 0.0;
    case FactorType::Pair: {
      const Score score = graph.pairs[graph.places[factor]].score;
      return score * (score > 0.0 ? std::min(point[0], point[1]) : std::max(0.0, point[0] + point[1] - 1.0));
    }
    default:
      return workspace.active_sets[factor].own;
  }
}

}  // namespace headlong
