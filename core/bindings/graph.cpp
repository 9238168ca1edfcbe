// Python bindings of core/graph: graphs and the services of their factors.
#include "bindings/graph.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "bindings/common.hpp"
#include "bindings/python_factor.hpp"
#include "bindings/unlocked.hpp"
#include "graph/automaton.hpp"
#include "graph/services.hpp"
#include "graph/tree.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

void require_scores(std::span<const double> scores) {
  for (double score : scores)
    require(std::abs(score) <= 1e15 || score == NEGATIVE_INFINITY, "a score is NaN, +inf or beyond 1e15");
}

const std::map<std::string, Logic> KINDS = {{"xor", Logic::Xor},        {"at_most_one", Logic::AtMostOne},
                                            {"or", Logic::Or},          {"or_out", Logic::OrOut},
                                            {"at_most", Logic::AtMost}, {"exactly", Logic::Exactly}};

// Adds a factor whose data was just appended to the list of its type.
void add_factor(Graph& graph, FactorType type, std::size_t place, const In<Index, 1>& variables,
                const In<std::uint8_t, 1>& negated) {
  graph.types.push_back(type);
  graph.places.push_back(static_cast<Index>(place));
  graph.link_variables.insert(graph.link_variables.end(), view(variables).begin(), view(variables).end());
  graph.link_negated.insert(graph.link_negated.end(), view(negated).begin(), view(negated).end());
  graph.link_begins.push_back(static_cast<Index>(graph.link_variables.size()));
}

void check_links(const Graph& graph, const In<Index, 1>& variables, const In<std::uint8_t, 1>& negated) {
  require(variables.size() > 0, "a factor must have at least one variable");
  require(variables.size() == negated.size(), "variables and negated must have the same length");
  for (Index variable : view(variables))
    require(variable >= 0 && variable < graph.variables(), "a factor names a variable that the graph does not have");
}

void check_factor(const Graph& graph, Index factor) {
  require(factor >= 0 && factor < graph.factors(), "factor is out of range");
}

void check_factor(const Graph& graph, Index factor, std::size_t links) {
  check_factor(graph, factor);
  require(links == static_cast<std::size_t>(graph.links(factor)), "expected one number per link of the factor");
}

void check_marginals(const Graph& graph, Index factor, std::size_t links) {
  check_factor(graph, factor, links);
  require(has_marginals(graph, factor), "this factor has no marginals");
}

// Reports the Python objects of a graph to the garbage collector. Only Python factors hold any.
int traverse_graph(PyObject* self, visitproc visit, void* argument) {
  if (const int stop = visit(reinterpret_cast<PyObject*>(Py_TYPE(self)), argument)) return stop;
  if (!nb::inst_ready(self)) return 0;
  for (const auto& factor : nb::inst_ptr<Graph>(self)->structured)
    if (const auto* python = dynamic_cast<const PythonFactor*>(factor.get()))
      if (const int stop = python->traverse(visit, argument)) return stop;
  return 0;
}

// Leaves an empty graph, which is valid: whatever still refers to it sees no factors.
int clear_graph(PyObject* self) {
  *nb::inst_ptr<Graph>(self) = Graph{};
  return 0;
}

PyType_Slot GRAPH_SLOTS[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_graph)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear_graph)},
                             {0, nullptr}};

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<Graph>(m, "Graph", nb::type_slots(GRAPH_SLOTS), "A factor graph over binary variables.")
      .def(nb::init<>())
      .def_prop_ro("variables", &Graph::variables)
      .def_prop_ro("factors", &Graph::factors)
      .def(
          "add_variables",
          [](Graph& graph, const In<double, 1>& scores) {
            require_scores(view(scores));
            graph.scores.insert(graph.scores.end(), view(scores).begin(), view(scores).end());
          },
          "scores"_a, "Append variables with these scores.")
      .def(
          "add_logic",
          [](Graph& graph, const std::string& kind, const In<Index, 1>& variables, const In<std::uint8_t, 1>& negated,
             Index budget) {
            require(KINDS.contains(kind), "kind must be xor, at_most_one, or, or_out, at_most or exactly");
            check_links(graph, variables, negated);
            require(budget >= 0, "budget must not be negative");
            graph.logic.push_back({KINDS.at(kind), budget});
            add_factor(graph, FactorType::Logic, graph.logic.size() - 1, variables, negated);
          },
          "kind"_a, "variables"_a, "negated"_a, "budget"_a = 0,
          "Add a logic factor: xor, at_most_one, or, or_out (the last link is the output), at_most, exactly (budget).")
      .def(
          "add_pair",
          [](Graph& graph, const In<Index, 1>& variables, const In<std::uint8_t, 1>& negated, Score score) {
            check_links(graph, variables, negated);
            require(variables.size() == 2, "a pair must have two variables");
            require_scores(std::span(&score, 1));
            require(std::isfinite(score), "the score of a pair must be finite");
            graph.pairs.push_back({score});
            add_factor(graph, FactorType::Pair, graph.pairs.size() - 1, variables, negated);
          },
          "variables"_a, "negated"_a, "score"_a, "Add a pair with a score for both links being on.")
      .def(
          "add_dense",
          [](Graph& graph, const In<Index, 1>& variables, const In<std::uint8_t, 1>& negated,
             const In<double, 1>& scores) {
            check_links(graph, variables, negated);
            require(variables.size() <= 16 && scores.size() == std::size_t{1} << variables.size(),
                    "a dense factor must have at most 16 variables and 2^variables scores");
            require_scores(view(scores));
            graph.dense.push_back({{view(scores).begin(), view(scores).end()}});
            add_factor(graph, FactorType::Dense, graph.dense.size() - 1, variables, negated);
          },
          "variables"_a, "negated"_a, "scores"_a,
          "Add a table of scores over all 2^links configurations. Link 0 is the lowest bit.")
      .def(
          "add_python",
          [](Graph& graph, const In<Index, 1>& variables, const In<std::uint8_t, 1>& negated, nb::object maximize,
             nb::object score, nb::object marginals, nb::object lowest_own, nb::object expected_own) {
            check_links(graph, variables, negated);
            graph.structured.push_back(std::make_shared<PythonFactor>(
                static_cast<Index>(variables.size()), std::move(maximize), std::move(score), std::move(marginals),
                std::move(lowest_own), std::move(expected_own)));
            add_factor(graph, FactorType::Structured, graph.structured.size() - 1, variables, negated);
          },
          "variables"_a, "negated"_a, "maximize"_a, "score"_a, "marginals"_a.none() = nb::none(),
          "lowest_own"_a.none() = nb::none(), "expected_own"_a.none() = nb::none(),
          "Add a factor whose services are Python functions. See headlong.inference.PythonFactor.")
      .def(
          "add_automaton",
          [](Graph& graph, const In<Index, 1>& variables, const In<std::uint8_t, 1>& negated,
             const In<Index, 1>& sources, const In<Index, 1>& targets, const In<Index, 1>& link_of_edge,
             const In<double, 1>& scores) {
            check_links(graph, variables, negated);
            require(sources.size() == targets.size() && sources.size() == link_of_edge.size() &&
                        sources.size() == scores.size(),
                    "sources, targets, link_of_edge and scores must have the same length");
            std::vector<AutomatonEdge> edges;
            edges.reserve(sources.size());
            for (std::size_t e = 0; e < sources.size(); ++e)
              edges.push_back({sources.data()[e], targets.data()[e], link_of_edge.data()[e], scores.data()[e]});
            graph.structured.push_back(
                std::make_shared<Automaton>(static_cast<Index>(variables.size()), std::move(edges)));
            add_factor(graph, FactorType::Structured, graph.structured.size() - 1, variables, negated);
          },
          "variables"_a, "negated"_a, "sources"_a, "targets"_a, "link_of_edge"_a, "scores"_a,
          "Add a weighted acyclic automaton. Its configurations are the paths from node 0 to the last node.\n\n"
          "Nodes are in topological order. link_of_edge is the index of a link of this factor, or -1.")
      .def(
          "add_tree",
          [](Graph& graph, const In<Index, 1>& variables, const In<std::uint8_t, 1>& negated, const In<Index, 1>& heads,
             const In<Index, 1>& modifiers, Index size, bool single_root, bool projective) {
            check_links(graph, variables, negated);
            require(heads.size() == variables.size() && modifiers.size() == variables.size(),
                    "a tree factor must have one head and one modifier per variable");
            std::vector<Arc> arcs;
            arcs.reserve(heads.size());
            for (std::size_t a = 0; a < heads.size(); ++a) arcs.push_back({heads.data()[a], modifiers.data()[a]});
            graph.structured.push_back(std::make_shared<TreeFactor>(
                size, std::move(arcs), root_rule(single_root), projective ? TreeShape::Projective : TreeShape::Any));
            add_factor(graph, FactorType::Structured, graph.structured.size() - 1, variables, negated);
          },
          "variables"_a, "negated"_a, "heads"_a, "modifiers"_a, "size"_a, "single_root"_a, "projective"_a = false,
          "Add a tree factor: the arcs that are on must form a dependency tree over `size` words, including the root.")
      .def(
          "value",
          [](const Graph& graph, const In<std::uint8_t, 1>& assignment) {
            require(assignment.size() == graph.scores.size(), "expected one number per variable");
            const Unlocked unlocked;
            GraphWorkspace workspace(graph);
            return value(graph, view(assignment), workspace);
          },
          "assignment"_a, "Return the value of an assignment [variables]; -inf if a factor forbids it.")
      .def(
          "round",
          [](const Graph& graph, const In<double, 1>& relaxed, double time_limit) {
            require(relaxed.size() == graph.scores.size(), "expected one number per variable");
            SolverResult result;
            {
              const Unlocked unlocked;
              const TimeLimit limit(time_limit);
              GraphWorkspace workspace(graph);
              try {
                round(graph, view(relaxed), workspace, result);
              } catch (const OutOfTime&) {
                // The result is what was found so far.
              }
            }
            return std::make_tuple(copied(result.assignment), result.value);
          },
          "relaxed"_a, "time_limit"_a = 0.0,
          "Round relaxed values [variables] to a feasible assignment. Return it and its value.\n\n"
          "If none is found, the assignment is empty and the value is -inf. The time limit is in seconds; 0: none.")
      .def(
          "offers",
          [](const Graph& graph, Index factor, const std::string& service) {
            check_factor(graph, factor);
            require(service == "marginals" || service == "max-marginals", "service must be marginals or max-marginals");
            return service == "marginals" ? has_marginals(graph, factor) : has_max_marginals(graph, factor);
          },
          "factor"_a, "service"_a, "Return whether a factor has a service: marginals or max-marginals.")
      .def(
          "maximize",
          [](const Graph& graph, Index factor, const In<double, 1>& scores) {
            check_factor(graph, factor, scores.size());
            GraphWorkspace workspace(graph);
            Configuration best;
            const Score value = maximize(graph, factor, view(scores), workspace, best);
            return std::make_tuple(copied(best.on), value, best.own);
          },
          "factor"_a, "scores"_a, "Return the best configuration under link scores: (on [links], value, own score).")
      .def(
          "own_score",
          [](const Graph& graph, Index factor, const In<std::uint8_t, 1>& on) {
            check_factor(graph, factor, on.size());
            GraphWorkspace workspace(graph);
            return own_score(graph, factor, view(on), workspace);
          },
          "factor"_a, "on"_a, "Return the factor's own score of a configuration; -inf if it is not allowed.")
      .def(
          "marginals",
          [](const Graph& graph, Index factor, const In<double, 1>& scores) {
            check_marginals(graph, factor, scores.size());
            GraphWorkspace workspace(graph);
            std::vector<double> out(scores.size());
            const Score log_partition = marginals(graph, factor, view(scores), workspace, out);
            return std::make_tuple(copied(out), log_partition);
          },
          "factor"_a, "scores"_a, "Return the link marginals under exp(score) and the log-partition.")
      .def(
          "expected_own",
          [](const Graph& graph, Index factor, const In<double, 1>& scores) {
            check_marginals(graph, factor, scores.size());
            GraphWorkspace workspace(graph);
            return expected_own(graph, factor, view(scores), workspace);
          },
          "factor"_a, "scores"_a,
          "Return the mean of the factor's own score under the distribution of its marginals.\n\n"
          "NaN if a Python factor does not report it.")
      .def(
          "entropy",
          [](const Graph& graph, Index factor, const In<double, 1>& scores) {
            check_marginals(graph, factor, scores.size());
            GraphWorkspace workspace(graph);
            return entropy(graph, factor, view(scores), workspace);
          },
          "factor"_a, "scores"_a, "Return the entropy of that distribution in nats; NaN if expected_own is NaN.")
      .def(
          "lowest_own",
          [](const Graph& graph, Index factor) {
            check_factor(graph, factor);
            return lowest_own(graph, factor);
          },
          "factor"_a, "Return a lower bound on the own scores of allowed configurations, or None if it is unknown.")
      .def(
          "max_marginals",
          [](const Graph& graph, Index factor, const In<double, 1>& scores) {
            check_factor(graph, factor, scores.size());
            require(has_max_marginals(graph, factor), "this factor has no max-marginals");
            GraphWorkspace workspace(graph);
            std::vector<Score> on(scores.size()), off(scores.size());
            const Score best = max_marginals(graph, factor, view(scores), workspace, on, off);
            return std::make_tuple(copied(on), copied(off), best);
          },
          "factor"_a, "scores"_a, "Return the best values with each link on, with each link off, and overall.")
      .def(
          "project",
          [](const Graph& graph, Index factor, const In<double, 1>& values, double own_scale) {
            check_factor(graph, factor, values.size());
            GraphWorkspace workspace(graph);
            std::vector<double> out(values.size());
            project(graph, factor, view(values), own_scale, workspace, out);
            return copied(out);
          },
          "factor"_a, "values"_a, "own_scale"_a = 1.0,
          "Return the maximizer of own_scale * own(z) - |z - values|^2 / 2 over the factor's polytope.")
      .def(
          "project_rows",
          [](const Graph& graph, Index factor, const In<double, 2>& values, double own_scale) {
            check_factor(graph, factor, values.shape(1));
            const std::size_t rows = values.shape(0), links = values.shape(1);
            auto found = new_array<Out<double, 2>>({rows, links});
            std::fill_n(found.data(), found.size(), 0.0);
            {
              const Unlocked unlocked;
              GraphWorkspace workspace(graph);
              for (std::size_t row = 0; row < rows; ++row)
                project(graph, factor, std::span(values.data() + row * links, links), own_scale, workspace,
                        std::span(found.data() + row * links, links));
            }
            return found;
          },
          "factor"_a, "values"_a, "own_scale"_a = 1.0,
          "Project each row of values [rows, links], with the previous solution as a warm start.");
}

}  // namespace headlong
