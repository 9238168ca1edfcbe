#include "graph/components.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/stopwatch.hpp"

namespace headlong {

namespace {

// Scores below this are scaled up: far from where doubles lose digits.
constexpr Score TINY = 1e-30;

struct Component {
  std::vector<Index> variables, factors;  // numbers in the whole graph
};

// Variables without links come first, as one component.
std::vector<Component> find_components(const Graph& graph) {
  std::vector<Index> parents(graph.variables());
  std::iota(parents.begin(), parents.end(), 0);
  const auto find = [&](Index node) {
    while (parents[node] != node) node = parents[node] = parents[parents[node]];
    return node;
  };
  for (Index f = 0; f < graph.factors(); ++f)
    for (Index link = graph.link_begins[f] + 1; link < graph.link_begins[f + 1]; ++link)
      parents[find(graph.link_variables[link])] = find(graph.link_variables[link - 1]);
  std::vector<Component> components(1);
  std::vector<Index> places(graph.variables(), -1);  // by the root of a component
  const std::vector<Index> degrees = graph.degrees();
  const auto component_of = [&](Index variable) -> Component& {
    if (degrees[variable] == 0) return components[0];
    Index& place = places[find(variable)];
    if (place < 0) {
      place = static_cast<Index>(components.size());
      components.emplace_back();
    }
    return components[place];
  };
  for (Index v = 0; v < graph.variables(); ++v) component_of(v).variables.push_back(v);
  for (Index f = 0; f < graph.factors(); ++f)
    component_of(graph.link_variables[graph.link_begins[f]]).factors.push_back(f);
  if (components.size() > 1 && components[0].variables.empty()) components.erase(components.begin());
  return components;
}

// Returns by which power of two to multiply the scores of a component.
int exponent_of(const Graph& graph, const Component& component) {
  Score largest = 0.0;
  const auto add = [&](Score score) {
    if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  };
  for (Index v : component.variables) add(graph.scores[v]);
  for (Index f : component.factors) {
    const Index place = graph.places[f];
    if (graph.types[f] == FactorType::Pair) add(graph.pairs[place].score);
    if (graph.types[f] == FactorType::Dense) std::ranges::for_each(graph.dense[place].scores, add);
    if (graph.types[f] != FactorType::Structured) continue;
    const std::optional<OwnSize> size = graph.structured[place]->own_size();
    if (!size || size->sum > 0.0) return 0;
  }
  return largest > 0.0 && largest < TINY ? -std::ilogb(largest) : 0;
}

// A component as a graph of its own, with what goes in and out.
struct Part {
  Graph graph;
  std::vector<Index> links;  // numbers in the whole graph
  std::vector<std::int8_t> fixed;
  std::vector<std::uint8_t> assignment;
  std::vector<double> multipliers;
};

void add_factor(const Graph& whole, Index factor, int exponent, Graph& part) {
  const Index place = whole.places[factor];
  const auto add = [&](auto& list, auto item) {
    part.places.push_back(static_cast<Index>(list.size()));
    list.push_back(std::move(item));
  };
  part.types.push_back(whole.types[factor]);
  switch (whole.types[factor]) {
    case FactorType::Logic:
      return add(part.logic, whole.logic[place]);
    case FactorType::Pair:
      return add(part.pairs, PairFactor{std::ldexp(whole.pairs[place].score, exponent)});
    case FactorType::Dense: {
      DenseFactor table = whole.dense[place];
      for (Score& score : table.scores) score = std::ldexp(score, exponent);
      return add(part.dense, std::move(table));
    }
    default:
      return add(part.structured, whole.structured[place]);
  }
}

// `numbers` [variables of the whole] is scratch.
Part cut_out(const Graph& whole, const Component& component, int exponent, Fixed fixed, const Start& start,
             std::vector<Index>& numbers) {
  Part part;
  for (Index v : component.variables) {
    numbers[v] = part.graph.variables();
    part.graph.scores.push_back(std::ldexp(whole.scores[v], exponent));
    if (!fixed.empty()) part.fixed.push_back(fixed[v]);
    if (!start.assignment.empty()) part.assignment.push_back(start.assignment[v]);
  }
  for (Index f : component.factors) {
    add_factor(whole, f, exponent, part.graph);
    for (Index link = whole.link_begins[f]; link < whole.link_begins[f + 1]; ++link) {
      part.links.push_back(link);
      part.graph.link_variables.push_back(numbers[whole.link_variables[link]]);
      part.graph.link_negated.push_back(whole.link_negated[link]);
      if (!start.multipliers.empty()) part.multipliers.push_back(std::ldexp(start.multipliers[link], exponent));
    }
    part.graph.link_begins.push_back(static_cast<Index>(part.links.size()));
  }
  return part;
}

// Undoes the scaling of a bound, upward.
Score scale_up(Score bound, int exponent) {
  const Score found = std::ldexp(bound, -exponent);
  return std::ldexp(found, exponent) < bound ? std::nextafter(found, std::numeric_limits<Score>::infinity()) : found;
}

// The results of the components so far.
class Joined {
 public:
  Joined(const Graph& graph, bool counts_nodes) : graph_(graph), counts_nodes_(counts_nodes) {
    result_.relaxed.assign(graph.scores.size(), 0.5);
    result_.assignment.assign(graph.scores.size(), 0);
    result_.multipliers.assign(graph.link_variables.size(), 0.0);
    result_.status = Status::Optimal;
  }

  Index extra_nodes() const { return extra_nodes_; }

  void add(const Component& component, const Part& part, int exponent, SolverResult found) {
    for (TracePoint& point : found.trace) {
      point.value = std::ldexp(point.value, -exponent);
      point.bound = scale_up(point.bound, exponent);
    }
    if (!found.trace.empty()) traces_.push_back(std::move(found.trace));
    has_assignment_ = has_assignment_ && found.value > NEGATIVE_INFINITY;
    for (std::size_t i = 0; i < component.variables.size(); ++i) {
      if (found.relaxed.size() == component.variables.size())
        result_.relaxed[component.variables[i]] = found.relaxed[i];
      if (has_assignment_) result_.assignment[component.variables[i]] = found.assignment[i];
    }
    for (std::size_t i = 0; i < found.multipliers.size(); ++i)
      result_.multipliers[part.links[i]] = std::ldexp(found.multipliers[i], -exponent);
    has_bound_ = has_bound_ && std::isfinite(found.upper);
    if (has_bound_) upper_.add(scale_up(found.upper, exponent));
    result_.relaxed_value = std::ldexp(found.relaxed_value, -exponent) + (is_first_ ? 0.0 : result_.relaxed_value);
    is_first_ = false;
    result_.status = std::max(result_.status, found.status);
    result_.primal_residual = std::max(result_.primal_residual, found.primal_residual);
    result_.dual_residual = std::max(result_.dual_residual, found.dual_residual);
    extra_nodes_ += std::max(found.iterations - 1, 0);
    result_.iterations = counts_nodes_ ? std::max(result_.iterations, std::min(found.iterations, 1))
                                       : std::max(result_.iterations, found.iterations);
  }

  SolverResult finish(GraphWorkspace& workspace) {
    if (counts_nodes_) result_.iterations += extra_nodes_;
    if (result_.status == Status::Infeasible) {
      result_.bound = result_.upper = NEGATIVE_INFINITY;
      result_.assignment.clear();
      return std::move(result_);
    }
    if (has_assignment_)
      result_.value = value(graph_, result_.assignment, workspace);
    else
      result_.assignment.clear();
    if (has_bound_) result_.upper = std::nextafter(upper_.value(), std::numeric_limits<Score>::infinity());
    result_.bound = result_.status == Status::Optimal ? result_.value : std::max(result_.upper, result_.value);
    join_traces();
    return std::move(result_);
  }

 private:
  // One row per iteration in which some component has one. The others count with their latest row.
  void join_traces() {
    std::vector<Index> iterations;
    for (const auto& trace : traces_)
      for (const TracePoint& point : trace) iterations.push_back(point.iteration);
    std::ranges::sort(iterations);
    iterations.erase(std::unique(iterations.begin(), iterations.end()), iterations.end());
    std::vector<std::size_t> next(traces_.size(), 0);  // the first row after the current iteration
    for (Index iteration : iterations) {
      TracePoint row{iteration, 0.0, 0.0, 0.0, 0.0, 0.0};
      for (std::size_t i = 0; i < traces_.size(); ++i) {
        const bool has_row = next[i] < traces_[i].size() && traces_[i][next[i]].iteration == iteration;
        next[i] += has_row;
        if (has_row) row.solved += traces_[i][next[i] - 1].solved;
        if (next[i] == 0) {
          row.value = NEGATIVE_INFINITY;
          row.bound = std::numeric_limits<Score>::infinity();
          continue;
        }
        const TracePoint& point = traces_[i][next[i] - 1];
        row.value += point.value;
        row.bound += point.bound;
        row.primal_residual = std::max(row.primal_residual, point.primal_residual);
        row.dual_residual = std::max(row.dual_residual, point.dual_residual);
        row.seconds += point.seconds;
      }
      result_.trace.push_back(row);
    }
    if (result_.trace.empty()) return;
    result_.trace.back().value = result_.value;
    result_.trace.back().bound = result_.bound;
  }

  const Graph& graph_;
  bool counts_nodes_, has_assignment_ = true, has_bound_ = true, is_first_ = true;
  SolverResult result_;
  std::vector<std::vector<TracePoint>> traces_;
  ExactSum upper_;
  Index extra_nodes_ = 0;
};

}  // namespace

SolverResult solve_by_component(const Graph& graph, Fixed fixed, const Start& start, bool counts_nodes,
                                const ComponentSolver& solve) {
  const Stopwatch stopwatch;
  const std::vector<Component> components = find_components(graph);
  GraphWorkspace workspace(graph);
  if (components.size() == 1 && exponent_of(graph, components[0]) == 0)
    return solve({graph, workspace, fixed, start, 0.0, 0});
  Joined joined(graph, counts_nodes);
  std::vector<Index> numbers(graph.scores.size());
  for (const Component& component : components) {
    const int exponent = exponent_of(graph, component);
    const Part part = cut_out(graph, component, exponent, fixed, start, numbers);
    GraphWorkspace part_workspace(part.graph);
    SolverResult found =
        solve({part.graph, part_workspace, part.fixed, Start{nullptr, part.assignment, part.multipliers},
               stopwatch.seconds(), joined.extra_nodes()});
    const bool is_infeasible = found.status == Status::Infeasible;
    joined.add(component, part, exponent, std::move(found));
    if (is_infeasible) break;
  }
  return joined.finish(workspace);
}

SolverResult certify(const Graph& graph, std::span<const std::uint8_t> assignment,
                     std::span<const double> link_scores) {
  const Start start{nullptr, assignment, link_scores};
  return solve_by_component(graph, {}, start, false, [](const ComponentTask& task) {
    SolverResult result;
    Split split = split_scores(task.graph, {}, task.workspace);
    if (!split.feasible) {
      result.status = Status::Infeasible;
      result.bound = result.upper = NEGATIVE_INFINITY;
      return result;
    }
    std::vector<std::uint8_t> first(task.start.assignment.begin(), task.start.assignment.end());
    for (std::size_t i = 0; i < first.size(); ++i)
      if (split.degrees[i] == 0) first[i] = task.graph.scores[i] > 0.0;
    offer(task.graph, {}, first, task.workspace, result);
    result.relaxed.assign(first.begin(), first.end());
    round(task.graph, result.relaxed, task.workspace, result);
    // Multipliers of fixed variables are free. Given ones can be needed, or large for no reason: the lower bound
    // decides.
    const std::size_t links = task.graph.link_variables.size();
    std::vector<double> given(links, 0.0), zero(links, 0.0);
    for (std::size_t link = 0; link < links; ++link) {
      const double score = task.start.multipliers[link];
      // Scaling can overflow.
      if (split.scores[link] == NEGATIVE_INFINITY || !(std::abs(score) < 1e250)) continue;
      given[link] = score - split.scores[link];
      if (split.fixed[task.graph.link_variables[link]] < 0) zero[link] = given[link];
    }
    result.bound = dual_bound(task.graph, split, given, task.workspace);
    const Score other = dual_bound(task.graph, split, zero, task.workspace);
    result.multipliers = other < result.bound ? std::move(zero) : std::move(given);
    result.bound = std::min(result.bound, other);
    if (prove(task.graph, split, result.multipliers, task.workspace, result)) result.status = Status::Optimal;
    finish_bound(split, result);
    return result;
  });
}

}  // namespace headlong
