// Exact search: branch and bound on the bounds of AD3.
#pragma once

#include "solvers/ad3.hpp"

namespace headlong {

struct BranchOptions {
  Ad3Options ad3;
  Index max_nodes = 10000;
  double time_limit = 0.0;
  double tolerance = 1e-6;  // an open bound that is not better than the best value by more than this is closed
};

// The best assignment: status Optimal and value == bound if the search was finished, else Unconverged with the bound of
// the open nodes. `iterations` counts nodes.
SolverResult branch_and_bound(const Graph& graph, const BranchOptions& options, GraphWorkspace& workspace);

}  // namespace headlong
