// Decoding with extras: climbing on the full value of a tree, and the general solvers on the full graph.
#pragma once

#include "parser/extra_graph.hpp"
#include "parser/tree_decoders.hpp"

namespace headlong {

// As `solve_tree` without extras, and that very function if there are none. With extras, trees count with frames and
// extras together. The methods are the climb, which evaluates extras from scratch at every move; AD3 and the
// subgradient method on the graph with the factors of `add_extras`; and branch and bound on AD3 over that graph. The
// descent knows nothing of extras, so that its bounds do not count and it is left out.
void solve_tree(const Frames& frames, const Extras& extras, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution);

}  // namespace headlong
