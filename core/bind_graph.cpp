// Factor graphs for Python: shapes and numbers are checked here, and the GIL is released.
#include "bind_graph.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "factors/services.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace headlong;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Out<T> copied(const std::vector<T>& values) {
  auto* data = new T[values.size() + 1];
  std::copy(values.begin(), values.end(), data);
  nb::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
  return Out<T>(data, {values.size()}, owner);
}

template <class Array>
auto view(const Array& array) {
  return std::span(array.data(), array.size());
}

void require(bool holds, const char* message) {
  if (!holds) throw nb::value_error(message);
}

void require_scores(std::span<const double> scores) {
  for (double score : scores) require(score < 1e300 && score == score, "a score is NaN, +inf or larger than 1e300");
}

const std::map<std::string, Logic> KINDS = {{"xor", Logic::Xor},        {"at_most_one", Logic::AtMostOne},
                                            {"or", Logic::Or},          {"or_out", Logic::OrOut},
                                            {"at_most", Logic::AtMost}, {"exactly", Logic::Exactly}};

// Links a new factor of the given type, whose payload was appended just before.
void link(Graph& graph, FactorType type, std::size_t place, const In<Index>& variables,
          const In<std::uint8_t>& negated) {
  graph.types.push_back(type);
  graph.places.push_back(static_cast<Index>(place));
  graph.link_variables.insert(graph.link_variables.end(), view(variables).begin(), view(variables).end());
  graph.link_negated.insert(graph.link_negated.end(), view(negated).begin(), view(negated).end());
  graph.link_begins.push_back(static_cast<Index>(graph.link_variables.size()));
}

void check_links(const Graph& graph, const In<Index>& variables, const In<std::uint8_t>& negated) {
  require(variables.size() > 0, "a factor must have at least one variable");
  require(variables.size() == negated.size(), "variables and negated differ in length");
  for (Index variable : view(variables))
    require(variable >= 0 && variable < graph.variables(), "a factor names a variable that the graph does not have");
}

void check_factor(const Graph& graph, Index factor, std::size_t links) {
  require(factor >= 0 && factor < graph.factors(), "the graph has no such factor");
  require(links == static_cast<std::size_t>(graph.links(factor)), "one number a link of the factor is needed");
}

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<Graph>(m, "Graph", "A factor graph over binary variables, as the solvers see it.")
      .def(nb::init<>())
      .def_prop_ro("variables", &Graph::variables)
      .def_prop_ro("factors", &Graph::factors)
      .def(
          "add_variables",
          [](Graph& graph, const In<double>& scores) {
            require_scores(view(scores));
            graph.scores.insert(graph.scores.end(), view(scores).begin(), view(scores).end());
          },
          "scores"_a, "Appends variables with these scores.")
      .def(
          "add_logic",
          [](Graph& graph, const std::string& kind, const In<Index>& variables, const In<std::uint8_t>& negated,
             Index budget) {
            require(KINDS.contains(kind), "no logic factor has this name");
            check_links(graph, variables, negated);
            require(budget >= 0, "a budget must not be negative");
            graph.logic.push_back({KINDS.at(kind), budget});
            link(graph, FactorType::Logic, graph.logic.size() - 1, variables, negated);
          },
          "kind"_a, "variables"_a, "negated"_a, "budget"_a = 0)
      .def(
          "add_pair",
          [](Graph& graph, const In<Index>& variables, const In<std::uint8_t>& negated, Score score) {
            check_links(graph, variables, negated);
            require(variables.size() == 2, "a pair has two variables");
            require_scores(std::span(&score, 1));
            require(std::isfinite(score), "the score of a pair must be finite");
            graph.pairs.push_back({score});
            link(graph, FactorType::Pair, graph.pairs.size() - 1, variables, negated);
          },
          "variables"_a, "negated"_a, "score"_a)
      .def(
          "add_dense",
          [](Graph& graph, const In<Index>& variables, const In<std::uint8_t>& negated, const In<double>& scores) {
            check_links(graph, variables, negated);
            require(variables.size() <= 16 && scores.size() == std::size_t{1} << variables.size(),
                    "a dense factor has at most 16 variables and 2^variables scores");
            require_scores(view(scores));
            graph.dense.push_back({{view(scores).begin(), view(scores).end()}});
            link(graph, FactorType::Dense, graph.dense.size() - 1, variables, negated);
          },
          "variables"_a, "negated"_a, "scores"_a)
      .def(
          "maximize",
          [](const Graph& graph, Index factor, const In<double>& scores) {
            check_factor(graph, factor, scores.size());
            GraphWorkspace workspace(graph);
            Configuration best;
            const Score value = maximize(graph, factor, view(scores), workspace, best);
            return std::make_tuple(copied(best.on), value, best.own);
          },
          "factor"_a, "scores"_a, "The best configuration under link scores: (on [links], value, own score).")
      .def(
          "own_score",
          [](const Graph& graph, Index factor, const In<std::uint8_t>& on) {
            check_factor(graph, factor, on.size());
            GraphWorkspace workspace(graph);
            return own_score(graph, factor, view(on), workspace);
          },
          "factor"_a, "on"_a, "The factor's own score of a configuration, -inf if it is not allowed.")
      .def(
          "marginals",
          [](const Graph& graph, Index factor, const In<double>& scores) {
            check_factor(graph, factor, scores.size());
            require(has_marginals(graph, factor), "this factor has no marginals");
            GraphWorkspace workspace(graph);
            std::vector<double> out(scores.size());
            const Score log_partition = marginals(graph, factor, view(scores), workspace, out);
            return std::make_tuple(copied(out), log_partition);
          },
          "factor"_a, "scores"_a, "Link marginals under exp(score), and the log-partition.")
      .def(
          "expected_own",
          [](const Graph& graph, Index factor, const In<double>& scores) {
            check_factor(graph, factor, scores.size());
            require(graph.types[factor] != FactorType::Structured, "a structured factor has no expected own score");
            GraphWorkspace workspace(graph);
            return expected_own(graph, factor, view(scores), workspace);
          },
          "factor"_a, "scores"_a, "The mean of the factor's own score under the distribution of its marginals.")
      .def(
          "max_marginals",
          [](const Graph& graph, Index factor, const In<double>& scores) {
            check_factor(graph, factor, scores.size());
            require(has_max_marginals(graph, factor), "this factor has no max-marginals");
            GraphWorkspace workspace(graph);
            std::vector<Score> on(scores.size()), off(scores.size());
            const Score best = max_marginals(graph, factor, view(scores), workspace, on, off);
            return std::make_tuple(copied(on), copied(off), best);
          },
          "factor"_a, "scores"_a, "The best value with each link on, and off, and the best of all.")
      .def(
          "project",
          [](const Graph& graph, Index factor, const In<double>& values, double own_scale) {
            check_factor(graph, factor, values.size());
            GraphWorkspace workspace(graph);
            std::vector<double> out(values.size());
            project(graph, factor, view(values), own_scale, workspace, out);
            return copied(out);
          },
          "factor"_a, "values"_a, "own_scale"_a = 1.0,
          "The maximizer of own_scale * own(z) - |z - values|^2 / 2 over the factor's polytope.");
}
