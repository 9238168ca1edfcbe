// Exact search: branch and bound on the bounds of AD3 (Land and Doig 1960; Das, Martins and Smith 2012).
#pragma once

#include "graph/ad3.hpp"

namespace headlong {

struct BranchOptions {
  Ad3Options ad3;  // of every node; its cutoff, time limit and trace are set by the search
  Index max_nodes = 10000;
  double time_limit = 0.0;  // seconds; 0: none
  double tolerance = 1e-6;  // a node whose bound is not better than the best value by more than this is closed:
                            // relative to the value, absolute below 1
  bool trace = false;       // one row a node
};

// The best assignment of all, or the proof that there is none. Each node fixes some variables and is solved by AD3,
// whose bound is valid whether it has converged or not. The node with the largest bound comes first; a node that does
// not close is split at its most fractional variable. Where the bounds stay weak, splitting goes on until all
// variables are fixed, so the search ends with the right answer: after at most 2^(variables + 1) nodes, mostly one.
//
// Status Optimal: value and bound differ by no more than the tolerance. Infeasible: proved. Unconverged: a limit was
// reached; the bound is that of the open nodes. `iterations` counts nodes; `relaxed` and the residuals are those of the
// first node.
SolverResult branch_and_bound(const Graph& graph, const BranchOptions& options, GraphWorkspace& workspace);

}  // namespace headlong
