// Exact search: branch and bound with the bounds of AD3 (Land and Doig 1960; Das, Martins and Smith 2012).
#pragma once

#include "graph/ad3.hpp"

namespace headlong {

struct BranchOptions {
  Ad3Options ad3;  // for every node; the search sets cutoff, time limit and trace
  Index max_nodes = 10000;
  double time_limit = 0.0;  // seconds; 0: none
  double tolerance = 1e-6;  // a gap up to this, relative to the value, counts as nearly closed
  bool trace = false;       // one row per node
};

// Finds the best assignment, or proves that there is none. Each node fixes some variables and is solved by AD3, whose
// bound is valid even if it has not converged. The node with the largest bound comes first. A node that does not close
// is split at its most fractional variable. If the bounds stay weak, splitting continues until all variables are fixed,
// so the search always ends with the right answer: after at most 2^(variables + 1) nodes, usually one.
//
// The search closes nodes up to rounding errors. Once all are closed up to the tolerance, it takes at most EXTRA_NODES
// more (core/graph/branch.cpp). If `ad3.proves` is false, it ends at the tolerance.
//
// Status Optimal: value and bound are equal up to rounding errors. Tolerance: they differ by at most the tolerance.
// Infeasible: proved. Unconverged: a limit was reached, and the bound is the largest of the open nodes. `iterations`
// counts nodes; `relaxed` and the residuals come from the first node.
SolverResult branch_and_bound(const Graph& graph, const BranchOptions& options, GraphWorkspace& workspace);

}  // namespace headlong
