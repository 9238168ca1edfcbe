// Decoding with a term, which only search can count.
#pragma once

#include "decode/extra_decoder.hpp"

namespace headlong {

// As `solve_tree` without a term, and that very function if it is null. With one, the search starts at the tree that is
// best without it, as far as the method finds that, and climbs on frames, extras and the term together; with the method
// Arcs it stays there, and Sample draws under all three from the beginning. Nothing is proven: unless there is no tree
// at all, the status is Approximate, or Unconverged if the time for samples was up.
void solve_tree(const Frames& frames, const Extras& extras, GlobalScorer* term, std::span<const Score> arc_scores,
                const TreeOptions& options, TreeWorkspace& workspace, TreeSolution& solution);

}  // namespace headlong
