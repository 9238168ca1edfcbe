// Problems and decoders for Python. Checks shapes and numbers, and releases the GIL.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>

#include "bindings/global_scorer.hpp"
#include "bindings/graph.hpp"
#include "bindings/options.hpp"
#include "bindings/parts.hpp"
#include "bindings/unlocked.hpp"
#include "decode/extra_graph.hpp"
#include "decode/solve.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

// A problem with the objects that it refers to.
struct PyProblem {
  nb::object frames, extras, global_scorer;
  In<double, 1> arc_scores;
  std::optional<In<Index, 1>> guide, first_tree;
  Problem problem;

  // Builds the problem without its global scorer, which `lock` adds.
  PyProblem(nb::handle_t<Frames> frames_, In<double, 1> arc_scores_, bool single_root, bool projective,
            std::optional<nb::handle_t<PyExtras>> extras_, std::optional<nb::handle_t<PyGlobalScorer>> scorer,
            std::optional<In<Index, 1>> guide_, std::optional<In<Index, 1>> first_tree_)
      : frames(nb::borrow(frames_)),
        extras(extras_ ? nb::borrow(*extras_) : nb::none()),
        global_scorer(scorer ? nb::borrow(*scorer) : nb::none()),
        arc_scores(std::move(arc_scores_)),
        guide(std::move(guide_)),
        first_tree(std::move(first_tree_)) {
    problem.frames = nb::cast<const Frames*>(frames);
    problem.arc_scores = view(arc_scores);
    problem.rules = {single_root ? RootRule::Single : RootRule::Multi, projective};
    require(arc_scores.size() == problem.frames->arcs(), "expected one score per arc");
    require_scores(view(arc_scores));
    set_extras();
    set_hints();
  }

  void set_extras() {
    if (extras.is_none()) return;
    const PyExtras* made = nb::cast<const PyExtras*>(extras);
    require(made->frames == problem.frames, "the extras belong to other frames");
    if (made->extras.any()) problem.extras = &made->extras;
  }

  void set_hints() {
    const std::size_t size = problem.size();
    if (guide) {
      require(guide->size() == size, "guide must have one head per word");
      problem.guide = view(*guide);
    }
    if (!first_tree) return;
    require(first_tree->size() == size, "first_tree must have one head per word");
    require_tree(view(*first_tree));
    const auto roots = std::count(view(*first_tree).begin(), view(*first_tree).end(), 0);
    require(problem.rules.root == RootRule::Multi || roots <= 1, "first_tree has more than one root");
    problem.first_tree = view(*first_tree);
  }

  PyGlobalScorer* scorer() const {
    return global_scorer.is_none() ? nullptr : nb::cast<PyGlobalScorer*>(global_scorer);
  }
};

// Returns the problem with its global scorer, locked for the lifetime of `turn`. Call it without the GIL.
Problem lock(const PyProblem& self, PyGlobalScorer* scorer, std::unique_lock<std::mutex>& turn) {
  Problem problem = self.problem;
  problem.global_scorer = lock_scorer(scorer, turn);
  return problem;
}

double value_of_tree(const PyProblem& self, const In<Index, 1>& heads) {
  require(heads.size() == static_cast<std::size_t>(self.problem.size()), "expected one head per word");
  PyGlobalScorer* scorer = self.scorer();
  if (self.problem.extras || scorer) require_tree(view(heads));
  const Unlocked unlocked;
  std::unique_lock<std::mutex> turn;
  ClimbWorkspace workspace;
  return tree_value(lock(self, scorer, turn), view(heads), workspace);
}

Graph graph(const PyProblem& self) {
  require(self.problem.size() > 1, "a sentence without words has no graph");
  Graph graph;
  build_graph(self.problem, graph);
  std::vector<ExtraVariable> variables;
  if (self.problem.extras) add_extra_factors(self.problem, graph, variables);
  return graph;
}

nb::typed<nb::dict, nb::str, nb::any> solve_problem(const PyProblem& self, const DecodeOptions& options) {
  options.check();
  Solution solution;
  PyGlobalScorer* scorer = self.scorer();
  {
    const Unlocked unlocked;
    std::unique_lock<std::mutex> turn;
    DecodeWorkspace workspace;
    solve(lock(self, scorer, turn), options, workspace, solution);
  }
  nb::typed<nb::dict, nb::str, nb::any> answer;
  answer["heads"] = copied(solution.heads);
  answer["score"] = solution.score;
  answer["bound"] = solution.bound;
  answer["certified"] = solution.certified;
  answer["status"] = name_of(solution.status);
  answer["sweeps"] = solution.sweeps;
  answer["iterations"] = solution.iterations;
  answer["arcs"] = solution.arcs;
  return answer;
}

Out<Index, 2> sampled_trees(const PyProblem& self, const DecodeOptions& options, Index count, Index burn_in) {
  options.check();
  require(count >= 0 && burn_in >= 0, "count and burn_in must not be negative");
  const std::size_t size = self.problem.size();
  PyGlobalScorer* scorer = self.scorer();
  std::vector<Index> rows;
  {
    const Unlocked unlocked;
    std::unique_lock<std::mutex> turn;
    const Problem problem = lock(self, scorer, turn);
    DecodeWorkspace workspace;
    std::vector<Index> heads(size, NO_HEAD);
    if (size > 1) best_tree(*problem.frames, problem.arc_scores, problem.rules, heads, workspace);
    Sampler sampler(problem, options, heads, workspace.climb, workspace.sampler);
    const Index sweeps = sampler.set_up() ? burn_in + count : 0;
    for (Index sweep = 0; sweep < sweeps; ++sweep) {
      poll();
      sampler.sweep(options.temperature);
      if (sweep >= burn_in) rows.insert(rows.end(), heads.begin(), heads.end());
    }
  }
  return copied<Out<Index, 2>>(rows, {rows.size() / size, size});
}

// Shows the scorer to the garbage collector: one of its functions may refer, through its module, to the problem.
int traverse_problem(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PyProblem>(self)->global_scorer.ptr());
  return 0;
}

PyType_Slot PROBLEM_SLOTS[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_problem)}, {0, nullptr}};

}  // namespace

void bind_problem(nb::module_& m) {
  nb::class_<PyProblem>(m, "Problem", nb::type_slots(PROBLEM_SLOTS),
                        "The input of a decoder: candidates, scores of parts and rules for trees.")
      .def(nb::init<nb::handle_t<Frames>, In<double, 1>, bool, bool, std::optional<nb::handle_t<PyExtras>>,
                    std::optional<nb::handle_t<PyGlobalScorer>>, std::optional<In<Index, 1>>,
                    std::optional<In<Index, 1>>>(),
           "frames"_a, "arc_scores"_a, "single_root"_a = true, "projective"_a = false, "extras"_a.none() = nb::none(),
           "global_scorer"_a.none() = nb::none(), "guide"_a.none() = nb::none(), "first_tree"_a.none() = nb::none(),
           nb::sig("def __init__(self, frames: Frames, arc_scores: numpy.typing.NDArray[numpy.float64], single_root: "
                   "bool = True, projective: bool = False, extras: Extras | None = None, global_scorer: GlobalScorer | "
                   "None = None, guide: numpy.typing.NDArray[numpy.int32] | None = None, first_tree: "
                   "numpy.typing.NDArray[numpy.int32] | None = None) -> None"),
           "Make a problem.\n\n"
           "Args:\n"
           "    arc_scores: [arcs].\n"
           "    guide: heads [size] of the tree that greedy inference is biased to.\n"
           "    first_tree: heads [size] of the tree from which hill climbing starts.")
      .def("value", &value_of_tree, "heads"_a,
           nb::sig("def value(self, heads: numpy.typing.NDArray[numpy.int32]) -> float"),
           "Return the value of a tree: its arcs and all parts. -inf if an arc is not a candidate.\n\n"
           "With extras or a global scorer, the heads must be those of a tree.")
      .def("graph", &graph, nb::keep_alive<0, 1>(), nb::sig("def graph(self) -> headlong._core.graph.Graph"),
           "Return the factor graph: the tree, then the automata of heads with candidate modifiers, then extras.")
      .def("solve", &solve_problem, "options"_a,
           "Find the best tree.\n\n"
           "Returns:\n"
           "    A dictionary: heads [size], score, bound, certified, status, sweeps (of the descent), iterations (of\n"
           "    the solver after it) and arcs (candidates left for the solver).")
      .def("sampled_trees", &sampled_trees, "options"_a, "count"_a, "burn_in"_a,
           nb::sig("def sampled_trees(self, options: DecodeOptions, count: int, burn_in: int) -> "
                   "numpy.typing.NDArray[numpy.int32]"),
           "Return trees [count, size], one per sweep of a Markov chain with distribution exp(score / temperature).\n\n"
           "There are no rows if no tree with a finite value was found.");
}

}  // namespace headlong
