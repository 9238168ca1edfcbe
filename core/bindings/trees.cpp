// Tree kernels for Python: best trees, marginals, reduced costs.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "bindings/common.hpp"
#include "bindings/parts.hpp"
#include "trees/eisner.hpp"
#include "trees/kbest.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/mst.hpp"
#include "trees/reduced_costs.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

using ArcScores = In<double, 2>;
using Heads = Out<Index, 1>;
using ArcMarginals = Out<double, 2>;

// The words of a sentence and the root; checks what the tree kernels ask of their scores.
Index checked_size(const ArcScores& scores) {
  const std::size_t size = scores.shape(0);
  if (size == 0 || scores.shape(1) != size || size > 65535) {
    throw std::invalid_argument("scores has shape (" + std::to_string(size) + ", " + std::to_string(scores.shape(1)) +
                                "), expected (words + 1, words + 1) with at most 65534 words");
  }
  for (std::size_t head = 0; head < size; ++head) {
    for (std::size_t modifier = 1; modifier < size; ++modifier) {
      const double score = scores.data()[head * size + modifier];
      // Sums of scores must stay finite. NaN fails every comparison.
      if (head == modifier || std::abs(score) < 1e300 || score == NEGATIVE_INFINITY) continue;
      char found[32];
      std::snprintf(found, sizeof found, "%g", score);
      throw std::invalid_argument("scores[" + std::to_string(head) + ", " + std::to_string(modifier) + "] is " + found +
                                  ", expected -inf or a finite number below 1e300 in magnitude");
    }
  }
  return static_cast<Index>(size);
}

// Runs a kernel that writes heads and returns their score.
template <class Workspace, class Kernel>
nb::tuple best_heads(const ArcScores& scores, bool single_root, Kernel kernel) {
  const Index size = checked_size(scores);
  Heads heads = new_array<Heads>({static_cast<std::size_t>(size)});
  const std::span<Index> out(heads.data(), heads.size());
  Score score;
  {
    nb::gil_scoped_release release;
    Workspace workspace;
    score = kernel(view(scores), size, root_rule(single_root), out, workspace);
  }
  return nb::make_tuple(heads, score);
}

// Runs a kernel that writes marginals and returns the log-partition.
template <class Workspace, class Kernel>
nb::tuple arc_marginals(const ArcScores& scores, bool single_root, Kernel kernel) {
  const Index size = checked_size(scores);
  ArcMarginals marginals = new_array<ArcMarginals>({static_cast<std::size_t>(size), static_cast<std::size_t>(size)});
  const std::span<double> out(marginals.data(), marginals.size());
  Score log_partition;
  {
    nb::gil_scoped_release release;
    Workspace workspace;
    log_partition = kernel(view(scores), size, root_rule(single_root), out, workspace);
  }
  return nb::make_tuple(marginals, log_partition);
}

}  // namespace

void bind_trees(nb::module_& m) {
  m.def(
      "maximum_spanning_tree",
      [](const ArcScores& scores, bool single_root) {
        return best_heads<MstWorkspace>(scores, single_root, maximum_spanning_tree);
      },
      "scores"_a, "single_root"_a,
      nb::sig("def maximum_spanning_tree(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], float]"),
      "The best tree over scores[head, modifier], word 0 being the root: (heads, score).\n\n"
      "-inf marks an arc that does not exist. If there is no tree the score is -inf and heads is a tree with as few\n"
      "missing arcs as possible. O(words^2).");
  m.def(
      "eisner",
      [](const ArcScores& scores, bool single_root) {
        return best_heads<EisnerWorkspace>(scores, single_root, eisner);
      },
      "scores"_a, "single_root"_a,
      nb::sig("def eisner(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], float]"),
      "The best projective tree over scores[head, modifier]: (heads, score).\n\n"
      "If there is none the score is -inf and heads is a chain. O(words^3).");
  m.def(
      "best_trees",
      [](const ArcScores& scores, Index count, bool single_root, bool projective) {
        require(count >= 1, "count must be positive");
        const Index size = checked_size(scores);
        std::vector<Index> heads(size), rows;
        std::vector<Score> values;
        {
          nb::gil_scoped_release release;
          KBestWorkspace workspace;
          KBestTrees trees(view(scores), size, root_rule(single_root), projective, workspace);
          while (static_cast<Index>(values.size()) < count && trees.next(heads)) {
            rows.insert(rows.end(), heads.begin(), heads.end());
            values.push_back(tree_score(view(scores), size, heads));
          }
        }
        return nb::make_tuple(copied<Out<Index, 2>>(rows, {values.size(), static_cast<std::size_t>(size)}),
                              copied(values));
      },
      "scores"_a, "count"_a, "single_root"_a = true, "projective"_a = false,
      nb::sig("def best_trees(scores: numpy.typing.NDArray[numpy.float64], count: int, single_root: bool = True, "
              "projective: bool = False) -> tuple[numpy.typing.NDArray[numpy.int32], "
              "numpy.typing.NDArray[numpy.float64]]"),
      "The best trees over scores[head, modifier], the best first: (heads [trees, words], scores [trees]).");
  m.def(
      "eisner_marginals",
      [](const ArcScores& scores, bool single_root) {
        return arc_marginals<EisnerWorkspace>(scores, single_root, eisner_marginals);
      },
      "scores"_a, "single_root"_a,
      nb::sig("def eisner_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.float64], float]"),
      "Arc probabilities over all projective trees: (marginals[head, modifier], log_partition).\n\n"
      "If there is no tree the marginals are 0 and the log-partition is -inf. O(words^3).");
  m.def(
      "tree_marginals",
      [](const ArcScores& scores, bool single_root, bool wide) {
        const Range range = wide ? Range::Wide : Range::Automatic;
        return arc_marginals<MatrixTreeWorkspace>(
            scores, single_root, [range](auto in, Index size, RootRule rule, auto out, MatrixTreeWorkspace& workspace) {
              return tree_marginals(in, size, rule, out, workspace, range);
            });
      },
      "scores"_a, "single_root"_a, "wide"_a = false,
      nb::sig(
          "def tree_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, wide: bool = False) -> "
          "tuple[numpy.typing.NDArray[numpy.float64], float]"),
      "Arc probabilities over all trees: (marginals[head, modifier], log_partition).\n\n"
      "If there is no tree the marginals are 0 and the log-partition is -inf. Stable for any scores. With wide the "
      "slow\n"
      "number type is used at once, which is otherwise what happens only where doubles would lose digits. O(words^3).");
  m.def(
      "reduced_costs",
      [](const In<Index, 1>& heads, const In<Index, 1>& begins, const In<double, 1>& weights, bool single_root) {
        const Candidates candidates = candidates_of(heads, begins);
        require(weights.size() == candidates.count(), "one weight an arc is needed");
        for (double weight : view(weights)) require(std::isfinite(weight), "weights must be finite");
        std::vector<Score> costs(view(weights).begin(), view(weights).end());
        ReducedCostWorkspace workspace;
        const Score value =
            reduced_costs(candidates.heads, candidates.begins, root_rule(single_root), costs, workspace);
        return std::make_tuple(copied(costs), value);
      },
      "heads"_a, "begins"_a, "weights"_a, "single_root"_a = true,
      "The dual of the maximum spanning tree over candidates as in Frames: reduced costs [arcs] and the tree's value.");
}

}  // namespace headlong
