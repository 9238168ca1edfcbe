// Decoding with extras: climbing on the full value of a tree, and the general solvers on the full graph.
#pragma once

#include "decode/extra_graph.hpp"
#include "decode/tree_decoders.hpp"

namespace headlong {

// As `solve_tree` without extras, and that very function if there are none. With extras, trees count with frames and
// extras together. The climb values extras from scratch at every move. The descent, which knows nothing of extras, runs
// on optimistic scores of the arcs (`add_optimism`), so that its bound holds, and drops arcs; what is left goes to AD3
// or the subgradient method on the graph with the factors of `add_extras`, or to branch and bound on AD3.
void solve_tree(const Frames& frames, const Extras& extras, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution);

}  // namespace headlong
