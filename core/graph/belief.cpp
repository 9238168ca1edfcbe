#include "graph/belief.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/semiring.hpp"
#include "base/stopwatch.hpp"
#include "graph/components.hpp"

namespace headlong {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
// Log-odds of a marginal closer to 1 than this would have fewer than ten digits.
constexpr double NEARLY_ONE = 1e-6;
// Marginals below this have lost digits to underflow.
constexpr double NEARLY_ZERO = 1e-290;
// Allowance for a Python factor that does not report its lowest own score, beyond its best value.
constexpr double UNSEEN = 1e4;

// Returns log(1 + exp(x)), or max(0, x).
double soft_positive(double x, bool hard) { return hard ? std::max(0.0, x) : log_add(0.0, x); }

double probability(double log_odds) {
  if (log_odds >= 0.0) return 1.0 / (1.0 + std::exp(-log_odds));
  const double odds = std::exp(log_odds);
  return odds / (1.0 + odds);
}

// Returns an upper bound on the difference between two own scores of a factor.
double own_range(const Graph& graph, Index factor, GraphWorkspace& workspace) {
  const Index place = graph.places[factor];
  switch (graph.types[factor]) {
    case FactorType::Logic:
      return 0.0;
    case FactorType::Pair:
      return std::abs(graph.pairs[place].score);
    case FactorType::Dense: {
      double low = INFINITE, high = -INFINITE;
      for (double score : graph.dense[place].scores)
        if (score > NEGATIVE_INFINITY) low = std::min(low, score), high = std::max(high, score);
      return low <= high ? std::max(std::abs(low), std::abs(high)) + (high - low) : 0.0;
    }
    default: {
      const std::vector<Score> scores(graph.links(factor), 0.0);
      Configuration best;
      const Score found = maximize(graph, factor, scores, workspace, best);
      if (found == NEGATIVE_INFINITY) return 0.0;
      const std::optional<Score> lowest = lowest_own(graph, factor);
      return lowest ? std::max(std::abs(*lowest), std::abs(found)) + (found - *lowest)
                    : UNSEEN + 10.0 * std::abs(found);
    }
  }
}

// Returns whether the graph has no cycle: union-find over factors and variables.
bool is_acyclic(const Graph& graph) {
  std::vector<Index> parents(graph.variables() + graph.factors());
  std::iota(parents.begin(), parents.end(), 0);
  const auto find = [&](Index node) {
    while (parents[node] != node) node = parents[node] = parents[parents[node]];
    return node;
  };
  for (Index f = 0; f < graph.factors(); ++f) {
    for (Index l = graph.link_begins[f]; l < graph.link_begins[f + 1]; ++l) {
      const Index a = find(graph.link_variables[l]), b = find(graph.variables() + f);
      if (a == b) return false;
      parents[a] = b;
    }
  }
  return true;
}

enum class Certain : std::uint8_t { Free, Off, On };

class Propagation {
 public:
  Propagation(const Graph& graph, const BeliefOptions& options, GraphWorkspace& workspace)
      : graph(graph),
        options(options),
        workspace(workspace),
        degrees(graph.degrees()),
        certain(graph.variables(), Certain::Free),
        messages(graph.link_variables.size(), 0.0),
        beliefs(graph.scores) {
    double range = 1e4 + graph.variables() * std::log(2.0);
    for (Index v = 0; v < graph.variables(); ++v) {
      if (graph.scores[v] > NEGATIVE_INFINITY)
        range += std::abs(graph.scores[v]);
      else
        certain[v] = Certain::Off;
    }
    for (Index f = 0; f < graph.factors(); ++f) range += own_range(graph, f, workspace);
    largest_message = range;
    largest_sum = 4.0 * range;
    force = 16.0 * range;
  }

  // Calls every factor once. Returns the largest change of a message that another factor receives, or +inf if a
  // variable has become certain.
  double sweep(bool backwards) {
    sum_messages();
    double change = 0.0;
    for (Index k = 0; k < graph.factors() && !infeasible; ++k)
      change = std::max(change, update(backwards ? graph.factors() - 1 - k : k));
    return change;
  }

  bool infeasible = false;

  void finish(BeliefResult& result);
  // Max-product on an acyclic graph: returns link scores [links] whose bound is the value of the best assignment.
  std::vector<double> link_scores() const;

 private:
  // Recomputes beliefs from messages in every sweep, so rounding errors of differences do not accumulate.
  void sum_messages() {
    std::copy(graph.scores.begin(), graph.scores.end(), beliefs.begin());
    for (std::size_t l = 0; l < messages.size(); ++l) beliefs[graph.link_variables[l]] += messages[l];
  }

  // Collects the incoming messages of a factor as link scores. All factors of a certain variable are told, including
  // the one that made it certain, which has no other configurations anyway. On an acyclic graph, the incoming messages
  // come from disjoint parts, so their sum is at most the sum of all scores. Messages around a cycle can grow. They are
  // clipped, so they never look like a certainty.
  void gather(Index factor) {
    const Index begin = graph.link_begins[factor], links = graph.links(factor);
    scores.resize(links), on.resize(links), off.resize(links), before.resize(links), again.resize(links);
    forced = 0;
    double sum = 0.0;
    for (Index k = 0; k < links; ++k) {
      const Index v = graph.link_variables[begin + k];
      const bool negated = graph.link_negated[begin + k];
      if (certain[v] == Certain::Free) {
        const double incoming = degrees[v] > 1 ? beliefs[v] - messages[begin + k] : graph.scores[v];
        scores[k] = negated ? -incoming : incoming;
        sum += std::abs(incoming);
      } else {
        const bool is_on = (certain[v] == Certain::On) != negated;
        scores[k] = is_on ? force : NEGATIVE_INFINITY;
        forced += is_on;
      }
    }
    if (sum <= largest_sum) return;
    for (Index k = 0; k < links; ++k)
      if (certain[graph.link_variables[begin + k]] == Certain::Free)
        scores[k] = std::clamp(scores[k], -largest_sum / links, largest_sum / links);
  }

  // Subtracts the scores of forced links from a value. A value that lacks any of them comes from no configuration that
  // has all of them.
  double without_force(double value) const {
    if (forced == 0) return value;
    const double rest = value - forced * force;
    return rest > -force / 2.0 ? rest : NEGATIVE_INFINITY;
  }

  // Computes the factor's value (maximum or log-sum) over all configurations, and over those with each link on and off.
  double evaluate(Index factor) {
    if (options.max_product) {
      const double best = without_force(max_marginals(graph, factor, scores, workspace, on, off));
      for (double& value : on) value = without_force(value);
      for (double& value : off) value = without_force(value);
      return best;
    }
    const double all = marginals(graph, factor, scores, workspace, on);
    // Marginals of structured factors can exceed 1 by a rounding error.
    for (std::size_t k = 0; k < scores.size(); ++k) before[k] = std::clamp(on[k], 0.0, 1.0);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      on[k] = without_force(all + std::log(before[k]));
      off[k] = without_force(all + std::log1p(-before[k]));
    }
    return without_force(all);
  }

  // Sum-product only: recovers the log-odds of a link whose marginal is too close to 0 or 1. Not needed for a variable
  // with a single factor: that marginal is the variable's, and no other factor receives the log-odds (which are
  // clipped, not certain).
  void refine(Index factor, std::size_t link) {
    const double score = scores[link], marginal = before[link];
    if (marginal > 1.0 - NEARLY_ONE) {
      scores[link] = NEGATIVE_INFINITY;
      off[link] = without_force(marginals(graph, factor, scores, workspace, again));
    } else if (marginal < NEARLY_ZERO) {
      scores[link] = score + force;
      const double all = marginals(graph, factor, scores, workspace, again);
      on[link] = without_force(all + std::log(again[link]) - force);
    }
    scores[link] = score;
  }

  double update(Index factor) {
    gather(factor);
    if (evaluate(factor) == NEGATIVE_INFINITY) {
      infeasible = true;
      return 0.0;
    }
    const Index begin = graph.link_begins[factor];
    double change = 0.0;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const Index l = begin + static_cast<Index>(k), v = graph.link_variables[l];
      if (certain[v] != Certain::Free) continue;
      if (!options.max_product && degrees[v] > 1) refine(factor, k);
      if (degrees[v] > 1 && (on[k] == NEGATIVE_INFINITY || off[k] == NEGATIVE_INFINITY)) {
        const bool is_on = (off[k] == NEGATIVE_INFINITY) != static_cast<bool>(graph.link_negated[l]);
        certain[v] = is_on ? Certain::On : Certain::Off;
        change = INFINITE;
        continue;
      }
      const double answer = on[k] - off[k] - scores[k];
      const double target = std::clamp(graph.link_negated[l] ? -answer : answer, -largest_message, largest_message);
      const double damping = degrees[v] > 1 ? options.damping : 0.0;
      const double next = damping * messages[l] + (1.0 - damping) * target;
      if (degrees[v] > 1) change = std::max(change, std::abs(target - messages[l]));
      beliefs[v] += next - messages[l];
      messages[l] = next;
    }
    return change;
  }

  const Graph& graph;
  const BeliefOptions& options;
  GraphWorkspace& workspace;
  std::vector<Index> degrees;
  std::vector<Certain> certain;       // [variables]
  std::vector<double> messages;       // [links] from factors to variables, as log-odds of the variable
  std::vector<double> beliefs;        // [variables] log-odds
  std::vector<double> scores;         // [links of a factor]
  std::vector<double> on, off;        // [links of a factor]
  std::vector<double> before, again;  // [links of a factor] marginals
  double largest_message = 0.0;       // upper bound on messages of an acyclic graph, except certainties
  double largest_sum = 0.0;           // upper bound on the sum of the incoming messages of a factor
  double force = 0.0;                 // the score that forces a link on
  Index forced = 0;                   // how many links of the current factor are forced
};

// With off as the state of weight 1 in all messages, the Bethe approximation is
//   log Z = sum over factors of log Z_f(incoming) - sum over variables of (degree - 1) log(1 + exp(belief)),
// because a link's two messages have the same normalizer as the belief of its variable. A negated link has weight 1
// where its variable is on, so its incoming message is added once more. A certain variable has weight 1 in its only
// state, so only its own score remains. The entropy is log Z minus the mean of all scores.
void Propagation::finish(BeliefResult& result) {
  const bool hard = options.max_product;
  sum_messages();
  result.marginals.assign(graph.variables(), 0.0);
  double log_partition = 0.0, mean = 0.0;
  for (Index v = 0; v < graph.variables(); ++v) {
    const double score = graph.scores[v];
    if (certain[v] == Certain::Free) {
      result.marginals[v] = probability(beliefs[v]);
      log_partition += (1 - degrees[v]) * soft_positive(beliefs[v], hard);
    } else if (certain[v] == Certain::On) {
      result.marginals[v] = 1.0;
      log_partition += score;
    }
    if (result.marginals[v] > 0.0) mean += result.marginals[v] * score;
  }
  for (Index f = 0; f < graph.factors() && !infeasible; ++f) {
    gather(f);
    const double all = evaluate(f);
    if (all == NEGATIVE_INFINITY) infeasible = true;
    log_partition += all;
    if (!hard) mean += expected_own(graph, f, scores, workspace);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const Index l = graph.link_begins[f] + static_cast<Index>(k);
      if (graph.link_negated[l] && certain[graph.link_variables[l]] == Certain::Free) log_partition -= scores[k];
    }
  }
  result.infeasible = infeasible;
  result.log_partition = infeasible ? NEGATIVE_INFINITY : log_partition;
  result.entropy = hard || infeasible ? std::numeric_limits<double>::quiet_NaN() : log_partition - mean;
}

// Dynamic programming toward a root, from converged messages: each variable passes its score and what its other factors
// have told it to the factor nearer to the root. The other factors, told the opposite of their own message, no longer
// care about the variable.
std::vector<double> Propagation::link_scores() const {
  std::vector<double> found(messages.size(), 0.0);
  std::vector<Index> begins(graph.variables() + 1, 0), links(messages.size()), factor_of(messages.size());
  for (Index v : graph.link_variables) ++begins[v + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Index> next(begins.begin(), begins.end() - 1);
  for (Index f = 0; f < graph.factors(); ++f)
    for (Index l = graph.link_begins[f]; l < graph.link_begins[f + 1]; ++l) {
      links[next[graph.link_variables[l]]++] = l;
      factor_of[l] = f;
    }
  std::vector<std::uint8_t> seen(graph.variables(), 0);
  std::vector<std::pair<Index, Index>> stack;  // variables, each with its link toward the root
  for (Index root = 0; root < graph.variables(); ++root) {
    if (!seen[root]) stack.emplace_back(root, -1);
    while (!stack.empty()) {
      const auto [v, upward] = stack.back();
      stack.pop_back();
      seen[v] = 1;
      double collected = graph.scores[v];
      for (Index i = begins[v]; i < begins[v + 1]; ++i) {
        const Index l = links[i];
        if (l == upward) continue;
        collected += messages[l];
        found[l] = graph.link_negated[l] ? messages[l] : -messages[l];
        for (Index other = graph.link_begins[factor_of[l]]; other < graph.link_begins[factor_of[l] + 1]; ++other)
          if (!seen[graph.link_variables[other]]) stack.emplace_back(graph.link_variables[other], other);
      }
      if (upward >= 0) found[upward] = graph.link_negated[upward] ? -collected : collected;
    }
  }
  return found;
}

// Rounds each belief by itself, then all of them through structured factors. `link_scores` [links] are for a proof.
void round_beliefs(const Graph& graph, const BeliefOptions& options,
                   const std::optional<std::vector<double>>& link_scores, GraphWorkspace& workspace,
                   BeliefResult& result) {
  SolverResult& rounded = result.rounded;
  rounded.relaxed = result.marginals;
  rounded.iterations = result.iterations;
  rounded.dual_residual = result.change;
  if (result.infeasible) {
    rounded.status = Status::Infeasible;
    rounded.bound = NEGATIVE_INFINITY;
    return;
  }
  std::vector<std::uint8_t> assignment(graph.variables());
  for (Index v = 0; v < graph.variables(); ++v) assignment[v] = result.marginals[v] > 0.5;
  const Score found = value(graph, assignment, workspace);
  if (found > rounded.value) {
    rounded.value = found;
    rounded.assignment = std::move(assignment);
  }
  round(graph, result.marginals, workspace, rounded);
  // Without a cycle the assignment is the best one, unless ties between beliefs have spoiled the rounding.
  if (!link_scores || rounded.value == NEGATIVE_INFINITY) return;
  SolverResult certified = certify(graph, rounded.assignment, *link_scores);
  rounded.assignment = std::move(certified.assignment);
  rounded.value = certified.value;
  rounded.bound = certified.bound;
  if (certified.status == Status::Optimal)
    rounded.status = Status::Optimal;
  else if (closes(rounded.value, rounded.bound, options.tolerance))
    rounded.status = Status::Tolerance;
}

}  // namespace

BeliefResult belief_propagation(const Graph& graph, const BeliefOptions& options, GraphWorkspace& workspace) {
  if (!(options.damping >= 0.0 && options.damping < 1.0)) throw std::invalid_argument("damping must be in [0, 1)");
  for (Index f = 0; f < graph.factors(); ++f) {
    if (!(options.max_product ? has_max_marginals(graph, f) : has_marginals(graph, f)))
      throw std::invalid_argument("factor " + std::to_string(f) + " has no " +
                                  (options.max_product ? "max-marginals" : "marginals") +
                                  ", which belief propagation needs");
  }
  const Stopwatch stopwatch;
  BeliefResult result;
  result.acyclic = is_acyclic(graph);
  Propagation propagation(graph, options, workspace);
  while (result.iterations < options.max_iterations && !result.converged) {
    result.change = propagation.sweep(result.iterations % 2 == 1);
    ++result.iterations;
    result.converged = propagation.infeasible || result.change <= options.tolerance;
    if (stopwatch.is_past(options.time_limit)) break;
  }
  propagation.finish(result);
  const bool may_prove = options.max_product && result.converged && result.acyclic && !result.infeasible;
  std::optional<std::vector<double>> link_scores;
  if (may_prove) link_scores = propagation.link_scores();
  round_beliefs(graph, options, link_scores, workspace, result);
  return result;
}

}  // namespace headlong
