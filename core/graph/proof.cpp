// Proofs of optimality. Solvers stop with a small gap between bound and value; here it is closed up to rounding errors.
#include <algorithm>
#include <cmath>

#include "graph/solver.hpp"

namespace headlong {

namespace {

// Sweeps at most, and how often the gap must have halved.
constexpr int MOST_SWEEPS = 400, PATIENCE = 16;
// Relative gaps up to this are worth a try.
constexpr double WORTH_TRYING = 1e-3;
// How far to go beyond the boundary of a violated inequality, relative to the distance.
constexpr double OVERSHOOT = 1.5;

// The assignment is optimal for the relaxation if and only if some multipliers make its configuration a best one of
// every factor: a system of linear inequalities, one per configuration. The method of Agmon (1954) and Motzkin and
// Schoenberg (1954) projects the multipliers to violated ones in turn, here to that of the best configuration of each
// factor. Near a solution, where solvers stop, a few projections satisfy all of them, unless there are ties.
class Proof {
 public:
  Proof(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace,
        std::span<const std::uint8_t> assignment)
      : graph_(graph), split_(split), multipliers_(multipliers), workspace_(workspace) {
    begins_.assign(graph.scores.size() + 1, 0);
    for (Index variable : graph.link_variables) ++begins_[variable + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    links_.resize(graph.link_variables.size());
    std::vector<Index> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t link = 0; link < links_.size(); ++link)
      links_[next[graph.link_variables[link]]++] = static_cast<Index>(link);
    on_.resize(links_.size());
    for (std::size_t link = 0; link < on_.size(); ++link)
      on_[link] = (assignment[graph.link_variables[link]] != 0) != (graph.link_negated[link] != 0);
    own_.resize(graph.types.size());
    for (Index f = 0; f < graph.factors(); ++f)
      own_[f] = own_score(graph, f, std::span(on_).subspan(graph.link_begins[f], graph.links(f)), workspace);
  }

  void sweep() {
    for (Index f = 0; f < graph_.factors(); ++f) project_on(f);
  }

 private:
  // How much a link can change on its own: its other links take the opposite change, in equal parts.
  double freedom(Index link) const {
    const Index variable = graph_.link_variables[link];
    return split_.fixed[variable] >= 0 ? 1.0 : 1.0 - 1.0 / split_.degrees[variable];
  }

  // Changes the multipliers least such that the best configuration of a factor is no better than the assignment's.
  void project_on(Index factor) {
    const Index begin = graph_.link_begins[factor], links = graph_.links(factor);
    for (Index link = begin; link < begin + links; ++link)
      split_.link_scores[link] = split_.scores[link] + multipliers_[link];
    const auto scores = std::span<const Score>(split_.link_scores).subspan(begin, links);
    double slack = maximize(graph_, factor, scores, workspace_, split_.best) - own_[factor];
    double squares = 0.0;
    for (Index k = 0; k < links; ++k) {
      if (on_[begin + k]) slack -= scores[k];
      if ((split_.best.on[k] != 0) != (on_[begin + k] != 0)) squares += freedom(begin + k);
    }
    if (!(slack > 0.0) || squares == 0.0) return;
    const double step = OVERSHOOT * slack / squares;
    for (Index k = 0; k < links; ++k) {
      if ((split_.best.on[k] != 0) == (on_[begin + k] != 0)) continue;
      shift(begin + k, split_.best.on[k] ? -step : step);
    }
  }

  // Adds to a multiplier, and subtracts from all of the same free variable such that their sum stays.
  void shift(Index link, double step) {
    const Index variable = graph_.link_variables[link];
    multipliers_[link] += step;
    if (split_.fixed[variable] >= 0) return;
    const double share = (graph_.link_negated[link] ? -step : step) / split_.degrees[variable];
    for (Index i = begins_[variable]; i < begins_[variable + 1]; ++i)
      multipliers_[links_[i]] -= graph_.link_negated[links_[i]] ? -share : share;
  }

  const Graph& graph_;
  Split& split_;
  std::span<double> multipliers_;
  GraphWorkspace& workspace_;
  std::vector<Index> begins_, links_;  // the links of each variable
  std::vector<std::uint8_t> on_;       // [links] of the assignment
  std::vector<Score> own_;             // [factors] of the assignment
};

}  // namespace

bool prove(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace,
           SolverResult& result) {
  if (result.value == NEGATIVE_INFINITY) return false;
  const auto is_done = [&] {
    result.bound = std::min(result.bound, dual_bound(graph, split, multipliers, workspace));
    return is_proved(split, result.value, result.bound);
  };
  if (is_done()) return true;
  Proof proof(graph, split, multipliers, workspace, result.assignment);
  Score before = result.bound - result.value;
  for (int sweep = 1; sweep <= MOST_SWEEPS; ++sweep) {
    proof.sweep();
    if (is_done()) return true;
    if (sweep % PATIENCE != 0) continue;
    if (result.bound - result.value > 0.5 * before) return false;
    before = result.bound - result.value;
  }
  return false;
}

void conclude(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace,
              double tolerance, bool proves, SolverResult& result) {
  if (proves && is_close(split, result, std::max(tolerance, WORTH_TRYING), proves) &&
      prove(graph, split, multipliers, workspace, result))
    result.status = Status::Optimal;
  else if (is_close(split, result, tolerance, proves))
    result.status = Status::Tolerance;
  finish_bound(split, result);
  if (!result.trace.empty()) {
    result.trace.back().value = result.value;
    result.trace.back().bound = result.bound;
  }
}

void conclude_early(const Split& split, double tolerance, SolverResult& result) {
  result.status = is_close(split, result, tolerance, false) ? Status::Tolerance : Status::Unconverged;
  finish_bound(split, result);
}

}  // namespace headlong
