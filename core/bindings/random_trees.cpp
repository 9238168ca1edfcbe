// Random trees for Python. Checks shapes and numbers, and releases the GIL.
#include "trees/random_trees.hpp"

#include "bindings/common.hpp"
#include "bindings/parts.hpp"
#include "bindings/unlocked.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

using Trees = Out<Index, 2>;

// Returns trees of candidates as rows, each made by `draw(trees, random, row)`. No rows if there is no tree.
template <class Draw>
Trees draw_rows(const In<Index, 1>& heads, const In<Index, 1>& begins, const In<double, 1>& scores, bool single_root,
                std::size_t count, std::uint64_t seed, Draw draw) {
  const Candidates candidates = candidates_of(heads, begins);
  require(scores.size() == 0 || scores.size() == candidates.count(), "expected one score per arc, or none");
  require_scores(view(scores));
  const std::size_t size = begins.size() - 1;
  RandomTrees trees;
  {
    const Unlocked unlocked;
    if (!prepare(trees, candidates.heads, candidates.begins, view(scores), root_rule(single_root))) count = 0;
  }
  Trees rows = new_array<Trees>({count, size});
  {
    const Unlocked unlocked;
    Random random(seed);
    for (std::size_t row = 0; row < count; ++row) {
      poll();
      draw(trees, random, std::span(rows.data() + row * size, size));
    }
  }
  return rows;
}

}  // namespace

void bind_random_trees(nb::module_& m) {
  m.def(
      "random_trees",
      [](const In<Index, 1>& heads, const In<Index, 1>& begins, const In<double, 1>& scores, bool single_root,
         std::size_t count,
         std::uint64_t seed) { return draw_rows(heads, begins, scores, single_root, count, seed, draw_tree); },
      "heads"_a, "begins"_a, "scores"_a, "single_root"_a, "count"_a, "seed"_a,
      "Draw trees in proportion to exp(score), or uniformly if there are no scores.\n\n"
      "Args:\n"
      "    heads, begins: the candidates, as in Frames.\n\n"
      "Returns:\n"
      "    Trees [count, size]. There are no rows if the candidates contain no tree.");
  m.def(
      "redrawn_trees",
      [](const In<Index, 1>& heads, const In<Index, 1>& begins, const In<double, 1>& scores, bool single_root,
         std::size_t count, std::uint64_t seed, const In<Index, 1>& tree, const In<std::uint8_t, 1>& marked) {
        require(tree.size() + 1 == begins.size() && marked.size() == tree.size(),
                "expected one head and one mark per word");
        require_tree(view(tree));
        const auto roots = std::count(view(tree).begin() + 1, view(tree).end(), 0);
        require(!single_root || roots <= 1, "the tree has more than one root");
        return draw_rows(heads, begins, scores, single_root, count, seed,
                         [&](RandomTrees& trees, Random& random, auto row) {
                           std::copy(view(tree).begin(), view(tree).end(), row.begin());
                           redraw_heads(trees, view(marked), random, row);
                         });
      },
      "heads"_a, "begins"_a, "scores"_a, "single_root"_a, "count"_a, "seed"_a, "tree"_a, "marked"_a,
      "Draw trees as random_trees does, where only the marked words of a given tree get new heads.\n\n"
      "All arcs of the tree must be candidates.");
}

}  // namespace headlong
