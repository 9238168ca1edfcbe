// Python bindings of core/trees: best trees, marginals, reduced costs.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include "bindings/common.hpp"
#include "bindings/parts.hpp"
#include "bindings/unlocked.hpp"
#include "trees/eisner.hpp"
#include "trees/kbest.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/mst.hpp"
#include "trees/reduced_costs.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

using ArcScores = In<double, 2>;

// Checks scores for the tree kernels. Returns the number of words, including the root.
Index check_scores(const ArcScores& scores) {
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

// Runs kernel(scores, size, rule, out, workspace) without the GIL. Returns (out, result), where out is an array with
// `Dimensions` dimensions of `size` each.
template <class Workspace, class Value, int Dimensions, class Kernel>
nb::tuple run_kernel(const ArcScores& scores, bool single_root, double time_limit, Kernel kernel) {
  using Array = Out<Value, Dimensions>;
  const Index size = check_scores(scores);
  const std::size_t extent = size;
  Array out = [&] {
    if constexpr (Dimensions == 1)
      return new_array<Array>({extent});
    else
      return new_array<Array>({extent, extent});
  }();
  Score result;
  {
    const Unlocked unlocked;
    const TimeLimit limit(time_limit);
    Workspace workspace;
    result = kernel(view(scores), size, root_rule(single_root), std::span(out.data(), out.size()), workspace);
  }
  return nb::make_tuple(out, result);
}

// Binds a kernel as name(scores, single_root, time_limit). It raises TimeoutError after the limit; 0: none.
template <class Workspace, class Value, int Dimensions, class Kernel>
void bind_kernel(nb::module_& m, const char* name, Kernel kernel, const char* doc) {
  const std::string signature =
      "def " + std::string(name) +
      "(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, time_limit: float = 0.0) -> "
      "tuple[numpy.typing.NDArray[numpy." +
      (std::is_same_v<Value, double> ? "float64" : "int32") + "], float]";
  m.def(
      name,
      [kernel](const ArcScores& scores, bool single_root, double time_limit) {
        return run_kernel<Workspace, Value, Dimensions>(scores, single_root, time_limit, kernel);
      },
      "scores"_a, "single_root"_a, "time_limit"_a = 0.0, nb::sig(signature.c_str()), doc);
}

}  // namespace

void bind_trees(nb::module_& m) {
  bind_kernel<MstWorkspace, Index, 1>(
      m, "maximum_spanning_tree", maximum_spanning_tree,
      "Return the best tree over scores[head, modifier]: (heads, score). Word 0 is the root.\n\n"
      "-inf marks an arc that does not exist. If there is no tree, the score is -inf and heads is a tree with as few\n"
      "missing arcs as possible. O(words^2).");
  bind_kernel<EisnerWorkspace, Index, 1>(
      m, "eisner", eisner,
      "Return the best projective tree over scores[head, modifier]: (heads, score).\n\n"
      "If there is none, the score is -inf and each word is attached to the one before it. O(words^3).");
  m.def(
      "best_trees",
      [](const ArcScores& scores, Index count, bool single_root, bool projective) {
        require(count >= 1, "count must be at least 1");
        const Index size = check_scores(scores);
        std::vector<Index> heads(size), rows;
        std::vector<Score> values;
        {
          const Unlocked unlocked;
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
      "Return the `count` best trees over scores[head, modifier]: (heads [trees, words], scores [trees]), best first.");
  bind_kernel<EisnerWorkspace, double, 2>(
      m, "eisner_marginals", eisner_marginals,
      "Return arc probabilities over all projective trees: (marginals[head, modifier], log_partition).\n\n"
      "If there is no tree, the marginals are 0 and the log-partition is -inf. O(words^3).");
  m.def(
      "tree_marginals",
      [](const ArcScores& scores, bool single_root, bool wide) {
        const Range range = wide ? Range::Wide : Range::Automatic;
        return run_kernel<MatrixTreeWorkspace, double, 2>(
            scores, single_root, 0.0,
            [range](auto in, Index size, RootRule rule, auto out, MatrixTreeWorkspace& workspace) {
              return tree_marginals(in, size, rule, out, workspace, range);
            });
      },
      "scores"_a, "single_root"_a, "wide"_a = false,
      nb::sig(
          "def tree_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, wide: bool = False) -> "
          "tuple[numpy.typing.NDArray[numpy.float64], float]"),
      "Return arc probabilities over all trees: (marginals[head, modifier], log_partition).\n\n"
      "If there is no tree, the marginals are 0 and the log-partition is -inf. Stable for all finite scores. With\n"
      "wide, use the slow number type from the start instead of only if doubles would lose digits. O(words^3).");
  m.def(
      "reduced_costs",
      [](const In<Index, 1>& heads, const In<Index, 1>& begins, const In<double, 1>& weights, bool single_root) {
        const Candidates candidates = candidates_of(heads, begins);
        require(weights.size() == candidates.count(), "expected one weight per arc");
        for (double weight : view(weights)) require(std::isfinite(weight), "weights must be finite");
        std::vector<Score> costs(view(weights).begin(), view(weights).end());
        ReducedCostWorkspace workspace;
        const Score value =
            reduced_costs(candidates.heads, candidates.begins, root_rule(single_root), costs, workspace);
        return std::make_tuple(copied(costs), value);
      },
      "heads"_a, "begins"_a, "weights"_a, "single_root"_a = true,
      "Return the dual of the maximum spanning tree: (reduced costs [arcs], value of the best tree).\n\n"
      "Candidates are given as in Frames.");
  m.def(
      "sparse_spanning_tree",
      [](const In<Index, 1>& heads, const In<Index, 1>& begins, const In<double, 1>& scores, bool single_root) {
        const Candidates candidates = candidates_of(heads, begins);
        require(scores.size() == candidates.count(), "expected one score per arc");
        for (double score : view(scores)) require(std::isfinite(score), "scores must be finite");
        std::vector<Index> tree(begins.size() - 1, NO_HEAD);
        ReducedCostWorkspace workspace;
        const Score value = sparse_spanning_tree(candidates.heads, candidates.begins, root_rule(single_root),
                                                 view(scores), tree, workspace);
        return std::make_tuple(copied(tree), value);
      },
      "heads"_a, "begins"_a, "scores"_a, "single_root"_a = true,
      "Return the best tree over candidates, given as in Frames, and its score: -inf if there is no tree.");
}

}  // namespace headlong
