// Solving the connected components of a graph one by one, so that the scores of one do not limit the precision of
// another.
#pragma once

#include <functional>

#include "graph/solver.hpp"

namespace headlong {

// What a solver needs to know about a component.
struct ComponentTask {
  const Graph& graph;
  GraphWorkspace& workspace;
  Fixed fixed;
  Start start;        // assignment and multipliers
  double seconds;     // spent on earlier components
  Index extra_nodes;  // nodes of earlier components beyond their first
};

using ComponentSolver = std::function<SolverResult(const ComponentTask&)>;

// Solves each component and joins the results. All variables without links form one component. Scores below 1e-30 are
// multiplied by a power of two, unless a structured factor has scores of its own. The status is the worst one.
// Iterations and residuals are the largest; nodes are summed, except that all first nodes count as one. A row of the
// trace sums what all components have reached in the same iteration. O(links) beside the solver.
SolverResult solve_by_component(const Graph& graph, Fixed fixed, const Start& start, bool counts_nodes,
                                const ComponentSolver& solve);

// Improves an assignment and tries to prove it optimal, by component, with the bound of the given link scores [links].
// These replace the scores of variables: those of one variable should sum to its score (after negation). Status Optimal
// if it is proved; otherwise Unconverged, with a valid bound. Infeasible if that is proved.
SolverResult certify(const Graph& graph, std::span<const std::uint8_t> assignment, std::span<const double> link_scores);

}  // namespace headlong
