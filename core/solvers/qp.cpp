#include "solvers/qp.hpp"

#include <algorithm>
#include <cmath>

namespace headlong {

namespace {

// Over the weights w of the active configurations y_i, the columns of Y, the problem is
//   max  b.w - |Y w|^2 / 2   with  sum w = 1,   where  b_i = values.y_i + own_scale * own_i.
// Since the sum is fixed, |Y w|^2 may be replaced by w'Kw with K = Y'Y + 11', which is positive definite as long as the
// configurations are affinely independent. Its Cholesky factor grows and shrinks with the set, in O(a^2).

// Weights below this are taken for zero.
constexpr double ZERO_WEIGHT = 1e-13;
// A configuration whose squared distance from the affine hull of the others is below this is dependent on them. The
// entries of K are whole numbers, so that true distances are not this small for sets of sensible size.
constexpr double DEPENDENT = 1e-7;
// A configuration must be better by this much, relative to the size of the numbers, to be added.
constexpr double GAIN = 1e-12;
// How far link scores are blown up where own scores do not count.
constexpr double WITHOUT_OWN = 1e9;

double* row_of(std::vector<double>& cholesky, std::size_t row) { return cholesky.data() + row * (row + 1) / 2; }

// Solves L x = x in place.
void solve_forward(std::vector<double>& cholesky, std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double* row = row_of(cholesky, i);
    double sum = x[i];
    for (std::size_t j = 0; j < i; ++j) sum -= row[j] * x[j];
    x[i] = sum / row[i];
  }
}

// Solves L' x = x in place.
void solve_backward(std::vector<double>& cholesky, std::span<double> x) {
  for (std::size_t i = x.size(); i-- > 0;) {
    const double* row = row_of(cholesky, i);
    x[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
  }
}

// What a configuration contributes to the linear term.
double linear_term(const Configuration& configuration, std::span<const double> values, double own_scale) {
  double sum = own_scale == 0.0 ? 0.0 : own_scale * configuration.own;
  for (std::size_t link = 0; link < values.size(); ++link)
    if (configuration.on[link]) sum += values[link];
  return sum;
}

double overlap(const Configuration& left, const Configuration& right) {
  Index count = 0;
  for (std::size_t link = 0; link < left.on.size(); ++link) count += left.on[link] & right.on[link];
  return count;
}

// Takes a configuration out: the rows below it lose a column by Givens rotations.
void remove(ActiveSet& active, std::vector<double>& linear, std::size_t place) {
  const std::size_t size = active.weights.size();
  for (std::size_t j = place; j + 1 < size; ++j) {
    const double* pivot = row_of(active.cholesky, j + 1);
    const double length = std::hypot(pivot[j], pivot[j + 1]);
    const double cosine = pivot[j] / length, sine = pivot[j + 1] / length;
    for (std::size_t i = j + 1; i < size; ++i) {
      double* row = row_of(active.cholesky, i);
      const double left = row[j], right = row[j + 1];
      row[j] = cosine * left + sine * right;
      row[j + 1] = cosine * right - sine * left;
    }
  }
  for (std::size_t i = place + 1; i < size; ++i)
    std::copy_n(row_of(active.cholesky, i), i, row_of(active.cholesky, i - 1));
  active.cholesky.resize(size * (size - 1) / 2);
  const auto first = active.configurations.begin() + place;
  std::rotate(first, first + 1, active.configurations.begin() + size);
  active.weights.erase(active.weights.begin() + place);
  linear.erase(linear.begin() + place);
}

// Prepares the row of the Cholesky factor that the candidate, the first configuration behind the active ones, would
// get; returns the square of its diagonal.
double prepare_row(ActiveSet& active, std::vector<double>& row) {
  const std::size_t size = active.weights.size();
  const Configuration& candidate = active.configurations[size];
  row.resize(size);
  for (std::size_t i = 0; i < size; ++i) row[i] = overlap(active.configurations[i], candidate) + 1.0;
  solve_forward(active.cholesky, row);
  double diagonal = overlap(candidate, candidate) + 1.0;
  for (double entry : row) diagonal -= entry * entry;
  return diagonal;
}

void append(ActiveSet& active, std::vector<double>& linear, const std::vector<double>& row, double diagonal,
            double weight, double term) {
  active.cholesky.insert(active.cholesky.end(), row.begin(), row.end());
  active.cholesky.push_back(std::sqrt(diagonal));
  active.weights.push_back(weight);
  linear.push_back(term);
}

// Adds the candidate. Where it is an affine combination a of the others, weight is shifted to it from them, which
// leaves the point where it is and gains on own scores, until one of them has none left and makes room.
void add(ActiveSet& active, QpWorkspace& workspace, double term) {
  const double diagonal = prepare_row(active, workspace.row);
  if (diagonal > DEPENDENT) return append(active, workspace.linear, workspace.row, diagonal, 0.0, term);

  solve_backward(active.cholesky, workspace.row);
  std::size_t leaving = 0;
  double shift = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < workspace.row.size(); ++i)
    if (workspace.row[i] > 1e-9 && active.weights[i] / workspace.row[i] < shift)
      shift = active.weights[i] / workspace.row[i], leaving = i;
  for (std::size_t i = 0; i < workspace.row.size(); ++i)
    active.weights[i] = std::max(0.0, active.weights[i] - shift * workspace.row[i]);
  const std::size_t size = active.weights.size();
  remove(active, workspace.linear, leaving);
  // `remove` left the candidate in its place and the leaving configuration before it.
  std::swap(active.configurations[size - 1], active.configurations[size]);
  append(active, workspace.linear, workspace.row, std::max(prepare_row(active, workspace.row), DEPENDENT), shift, term);
}

// The best weights of the active configurations if they were allowed to be negative.
void solve_equalities(ActiveSet& active, QpWorkspace& workspace) {
  const std::size_t size = active.weights.size();
  workspace.solution.resize(size);
  workspace.ones.assign(size, 1.0);
  // A constant added to b changes nothing; taking the first entry off keeps the numbers small.
  for (std::size_t i = 0; i < size; ++i) workspace.solution[i] = workspace.linear[i] - workspace.linear[0];
  for (auto* right_side : {&workspace.solution, &workspace.ones}) {
    solve_forward(active.cholesky, *right_side);
    solve_backward(active.cholesky, *right_side);
  }
  double missing = 1.0, ones = 0.0;
  for (std::size_t i = 0; i < size; ++i) missing -= workspace.solution[i], ones += workspace.ones[i];
  for (std::size_t i = 0; i < size; ++i) workspace.solution[i] += missing / ones * workspace.ones[i];
}

// Moves to the best weights, dropping on the way one configuration after the other whose weight becomes zero. Each
// round keeps the weights a convex combination and does not lower the objective.
void minimize_weights(ActiveSet& active, QpWorkspace& workspace) {
  while (true) {
    solve_equalities(active, workspace);
    const std::size_t none = active.weights.size();
    std::size_t leaving = none;
    double step = 1.0;
    for (std::size_t i = 0; i < none; ++i) {
      if (workspace.solution[i] > ZERO_WEIGHT) continue;
      const double fall = active.weights[i] - workspace.solution[i];
      const double limit = fall > 0.0 ? std::min(1.0, active.weights[i] / fall) : 0.0;
      if (leaving == none || limit < step) step = limit, leaving = i;
    }
    for (std::size_t i = 0; i < none; ++i)
      active.weights[i] = std::max(0.0, active.weights[i] + step * (workspace.solution[i] - active.weights[i]));
    if (leaving == none || none == 1) return;
    remove(active, workspace.linear, leaving);
  }
}

void set_point(const ActiveSet& active, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < active.weights.size(); ++i)
    for (std::size_t link = 0; link < out.size(); ++link)
      if (active.configurations[i].on[link]) out[link] += active.weights[i];
  for (double& value : out) value = std::min(value, 1.0);
}

// The objective, but for a constant.
double objective_of(const ActiveSet& active, std::span<const double> linear, std::span<const double> point) {
  double sum = 0.0;
  for (std::size_t i = 0; i < linear.size(); ++i) sum += active.weights[i] * linear[i];
  for (double value : point) sum -= value * value / 2.0;
  return sum;
}

// Lets the maximizer write the configuration behind the active ones.
Score find_candidate(const Maximizer& maximize, std::span<const double> values, std::span<const double> point,
                     double scale, ActiveSet& active, QpWorkspace& workspace) {
  workspace.scores.resize(values.size());
  for (std::size_t link = 0; link < values.size(); ++link)
    workspace.scores[link] = (values[link] - point[link]) * scale;
  if (active.configurations.size() == active.weights.size()) active.configurations.emplace_back();
  Configuration& candidate = active.configurations[active.weights.size()];
  candidate.on.resize(values.size());
  return maximize(workspace.scores, candidate);
}

// Computes the Cholesky factor anew, without the rounding errors of many additions and removals; what turns out to
// be dependent goes, and the weights that stay are made a convex combination again.
void refactor(ActiveSet& active, QpWorkspace& workspace) {
  const std::size_t size = active.weights.size();
  workspace.solution.assign(active.weights.begin(), active.weights.end());
  workspace.ones.assign(workspace.linear.begin(), workspace.linear.end());
  active.weights.clear();
  active.cholesky.clear();
  workspace.linear.clear();
  double sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    std::swap(active.configurations[active.weights.size()], active.configurations[i]);
    const double diagonal = prepare_row(active, workspace.row);
    if (diagonal <= DEPENDENT) continue;
    append(active, workspace.linear, workspace.row, diagonal, workspace.solution[i], workspace.ones[i]);
    sum += workspace.solution[i];
  }
  for (double& weight : active.weights) weight = sum > 0.0 ? weight / sum : 1.0 / active.weights.size();
}

// Drops what -inf forbids now, and computes the linear terms of what stays.
void prepare_warm_start(std::span<const double> values, double own_scale, ActiveSet& active, QpWorkspace& workspace) {
  workspace.linear.clear();
  for (std::size_t i = 0; i < active.weights.size(); ++i)
    workspace.linear.push_back(linear_term(active.configurations[i], values, own_scale));
  for (std::size_t i = active.weights.size(); i-- > 0;)
    if (workspace.linear[i] == NEGATIVE_INFINITY) remove(active, workspace.linear, i);
  double sum = 0.0;
  for (double weight : active.weights) sum += weight;
  for (double& weight : active.weights) weight = sum > 0.0 ? weight / sum : 1.0 / active.weights.size();
}

}  // namespace

bool solve_qp(const Maximizer& maximize, std::span<const double> values, double own_scale, ActiveSet& active,
              QpWorkspace& workspace, std::span<double> out) {
  const double scale = own_scale > 0.0 ? 1.0 / own_scale : WITHOUT_OWN;
  prepare_warm_start(values, own_scale, active, workspace);
  if (active.weights.empty()) {
    std::fill(out.begin(), out.end(), 0.0);
    if (find_candidate(maximize, values, out, scale, active, workspace) == NEGATIVE_INFINITY) return false;
    const double diagonal = prepare_row(active, workspace.row);
    append(active, workspace.linear, workspace.row, diagonal, 1.0,
           linear_term(active.configurations[0], values, own_scale));
  }

  // Finite by theory, as every step gains; rounding errors end it when steps do not gain any more, or at the limit. The
  // weights are a convex combination at any time.
  const std::size_t limit = 100 + 4 * values.size();
  double reached = NEGATIVE_INFINITY;
  std::size_t stalled = 0;
  for (std::size_t step = 0;; ++step) {
    minimize_weights(active, workspace);
    set_point(active, out);
    const double objective = objective_of(active, workspace.linear, out);
    stalled = objective > reached + 1e-15 * std::abs(reached) ? 0 : stalled + 1;
    reached = std::max(reached, objective);
    if (stalled == 5) {
      refactor(active, workspace);
      minimize_weights(active, workspace);
      set_point(active, out);
    }
    if (step == limit || stalled == 10 ||
        find_candidate(maximize, values, out, scale, active, workspace) == NEGATIVE_INFINITY)
      break;

    // All active configurations have the same derivative; that of the heaviest is the most exact.
    const auto heaviest = std::max_element(active.weights.begin(), active.weights.end()) - active.weights.begin();
    const Configuration& base = active.configurations[heaviest];
    const Configuration& candidate = active.configurations[active.weights.size()];
    const double own_gain = own_scale == 0.0 ? 0.0 : own_scale * (candidate.own - base.own);
    double gain = own_gain, size = 1.0 + std::abs(own_gain);
    for (std::size_t link = 0; link < values.size(); ++link) {
      if (candidate.on[link] == base.on[link]) continue;
      const double term = values[link] - out[link];
      gain += candidate.on[link] ? term : -term;
      size = std::max(size, std::abs(term));
    }
    const auto last = active.configurations.begin() + active.weights.size();
    if (!(gain > GAIN * size) ||
        std::any_of(active.configurations.begin(), last, [&](const auto& known) { return known.on == candidate.on; }))
      break;
    add(active, workspace, linear_term(candidate, values, own_scale));
  }
  active.own = 0.0;
  for (std::size_t i = 0; i < active.weights.size(); ++i)
    active.own += active.weights[i] * active.configurations[i].own;
  return true;
}

}  // namespace headlong
