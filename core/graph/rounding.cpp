#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/local.hpp"
#include "graph/propagate.hpp"

namespace headlong {

namespace {

// What all ways of rounding share. `order`: variables by the certainty of their relaxed values. `start`: what is known.
struct Rounding {
  const Graph& graph;
  std::span<const double> relaxed;
  Fixed fixed;
  GraphWorkspace& workspace;
  SolverResult& found;
  Propagator start;
  std::vector<Index> order;
  std::vector<Score> scores;  // [links of a factor]
  Configuration best;
  std::vector<std::uint8_t> assignment;  // [variables]
  double largest = 1.0;                  // largest score of a variable

  bool side(Index variable) const {
    return relaxed[variable] != 0.5 ? relaxed[variable] > 0.5 : graph.scores[variable] > 0.0;
  }
};

bool offer_fixed(Rounding& rounding, const Propagator& propagator) {
  for (std::size_t i = 0; i < rounding.assignment.size(); ++i) rounding.assignment[i] = propagator.fixed()[i] == 1;
  return offer(rounding.graph, rounding.fixed, rounding.assignment, rounding.workspace, rounding.found);
}

// Sets every free variable to the nearer side of its relaxed value, most certain first, together with what that
// implies; to the other side if that is impossible.
void complete(Rounding& rounding, Propagator& propagator) {
  for (Index variable : rounding.order) {
    if (propagator.fixed()[variable] >= 0) continue;
    const bool on = rounding.side(variable);
    if (!propagator.fix(variable, on) && !propagator.fix(variable, !on)) return;
  }
  offer_fixed(rounding, propagator);
}

// Maximizes a structured factor. The score of a link is that of its variable, plus a term for its relaxed value of
// weight `strength` in units of the largest score. Fixed variables stay fixed. Returns false if nothing is allowed.
bool maximize_factor(Rounding& rounding, Index factor, std::span<const std::int8_t> fixed, double strength) {
  const Graph& graph = rounding.graph;
  const Index begin = graph.link_begins[factor], links = graph.links(factor);
  rounding.scores.resize(links);
  for (Index k = 0; k < links; ++k) {
    const Index variable = graph.link_variables[begin + k];
    const bool negated = graph.link_negated[begin + k] != 0;
    const std::int8_t known = fixed[variable];
    if (known >= 0 && (known != 0) == negated) {
      rounding.scores[k] = NEGATIVE_INFINITY;
      continue;
    }
    const double side = known >= 0 ? 1e4 * links : strength * (2.0 * rounding.relaxed[variable] - 1.0);
    const double guide = known >= 0 ? side * rounding.largest : graph.scores[variable] + side * rounding.largest;
    rounding.scores[k] = negated && known < 0 ? -guide : guide;
  }
  if (maximize(graph, factor, rounding.scores, rounding.workspace, rounding.best) == NEGATIVE_INFINITY) return false;
  for (Index k = 0; k < links; ++k) {
    const std::int8_t known = fixed[graph.link_variables[begin + k]];
    if (known >= 0 && (known != 0) != (graph.link_negated[begin + k] != 0) && !rounding.best.on[k]) return false;
  }
  return true;
}

// Depth-first search for any allowed assignment, with unit propagation, in the order and to the sides that the relaxed
// values suggest. Whenever a variable of a structured factor is fixed, checks that the factor still allows something.
// Gives up after visiting about `limit` links.
void search_depth_first(Rounding& rounding, std::int64_t limit) {
  struct Decision {
    std::size_t position;  // in the order
    std::size_t before;    // length of the trail before the decision
    bool on, is_last;
  };
  const Graph& graph = rounding.graph;
  std::vector<Index> structured;
  std::vector<std::vector<Index>> asked(graph.scores.size());  // the structured factors of each variable
  for (Index f = 0; f < graph.factors(); ++f) {
    if (graph.types[f] != FactorType::Structured) continue;
    structured.push_back(f);
    for (Index link = graph.link_begins[f]; link < graph.link_begins[f + 1]; ++link)
      asked[graph.link_variables[link]].push_back(f);
  }
  Propagator propagator = rounding.start;
  std::vector<Decision> stack;
  std::vector<std::uint8_t> touched(graph.types.size(), 0);
  // Returns whether a decision is possible as far as propagation can tell.
  const auto decide = [&](const Decision& decision) {
    limit -= 8;
    if (!propagator.fix(rounding.order[decision.position], decision.on)) return false;
    bool allowed = true;
    const auto news = propagator.trail().subspan(decision.before);
    for (Index variable : news)
      for (Index f : asked[variable]) touched[f] = 1;
    for (Index f : structured) {
      if (!touched[f]) continue;
      touched[f] = 0;
      limit -= 4 * graph.links(f);
      allowed = allowed && maximize_factor(rounding, f, propagator.fixed(), 1.0);
    }
    if (!allowed) propagator.undo(decision.before);
    return allowed;
  };
  std::size_t position = 0;
  while (limit > 0) {
    while (position < rounding.order.size() && propagator.fixed()[rounding.order[position]] >= 0) ++position;
    if (position == rounding.order.size() && offer_fixed(rounding, propagator)) return;
    bool possible = false;
    if (position < rounding.order.size()) {
      Decision next{position, propagator.trail().size(), rounding.side(rounding.order[position]), false};
      possible = decide(next);
      if (!possible) {
        next.on = !next.on;
        next.is_last = true;
        possible = decide(next);
      }
      if (possible) stack.push_back(next);
    }
    // Back to the last decision with an untried side.
    while (!possible) {
      while (!stack.empty() && stack.back().is_last) {
        propagator.undo(stack.back().before);
        stack.pop_back();
      }
      if (stack.empty() || limit <= 0) return;
      Decision& last = stack.back();
      propagator.undo(last.before);
      last.on = !last.on;
      last.is_last = true;
      position = last.position;
      possible = decide(last);
    }
  }
}

}  // namespace

void round(const Graph& graph, std::span<const double> relaxed, GraphWorkspace& workspace, SolverResult& result,
           Fixed fixed) {
  Propagator start(graph);
  bool possible = start.start();
  for (Index i = 0; i < graph.variables() && possible; ++i) {
    if (!fixed.empty() && fixed[i] >= 0) possible = start.fix(i, fixed[i] != 0);
    if (graph.scores[i] == NEGATIVE_INFINITY) possible = possible && start.fix(i, false);
  }
  if (!possible) return;
  SolverResult found;  // by this call
  Rounding rounding{graph, relaxed, fixed, workspace, found, std::move(start), {}, {}, {}, {}};
  rounding.assignment.resize(graph.scores.size());
  rounding.order.resize(graph.scores.size());
  std::iota(rounding.order.begin(), rounding.order.end(), 0);
  std::stable_sort(rounding.order.begin(), rounding.order.end(), [&](Index left, Index right) {
    return std::abs(relaxed[left] - 0.5) > std::abs(relaxed[right] - 0.5);
  });
  for (Score score : graph.scores)
    if (score > NEGATIVE_INFINITY) rounding.largest = std::max(rounding.largest, std::abs(score));

  Propagator plain = rounding.start;
  complete(rounding, plain);
  for (Index f = 0; f < graph.factors(); ++f) {
    if (graph.types[f] != FactorType::Structured) continue;
    const Index begin = graph.link_begins[f];
    for (double strength : {1e4, 1.0}) {
      if (!maximize_factor(rounding, f, rounding.start.fixed(), strength)) continue;
      Propagator guided = rounding.start;
      for (Index k = 0; k < graph.links(f); ++k)
        guided.fix(graph.link_variables[begin + k], (rounding.best.on[k] != 0) != (graph.link_negated[begin + k] != 0));
      complete(rounding, guided);
    }
  }

  const std::int64_t limit = 4096 + 200 * static_cast<std::int64_t>(graph.link_variables.size());
  LocalSearch local(graph, rounding.start.fixed(), workspace, limit);
  if (found.value == NEGATIVE_INFINITY && result.value == NEGATIVE_INFINITY) {
    for (Index i = 0; i < graph.variables(); ++i) {
      const std::int8_t known = rounding.start.fixed()[i];
      rounding.assignment[i] = known >= 0 ? known : rounding.side(i);
    }
    local.start(rounding.assignment);
    if (local.repair()) offer(graph, fixed, local.assignment(), workspace, found);
    if (found.value == NEGATIVE_INFINITY) search_depth_first(rounding, limit);
  }
  if (found.value == NEGATIVE_INFINITY) return;
  local.start(found.assignment);
  local.improve();
  offer(graph, fixed, found.assignment, workspace, result);
  offer(graph, fixed, local.assignment(), workspace, result);
}

}  // namespace headlong
