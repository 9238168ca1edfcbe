#include "graph/qp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headlong {

namespace {

// Over the weights w of the active configurations y_i, the columns of Y, the problem is
//   max  b.w - |Y w|^2 / 2   with  sum w = 1,   where  b_i = values.y_i + own_scale * own_i.
// Since the sum is fixed, w'Kw with K = Y'Y + 11' can replace |Y w|^2. K is positive definite as long as the
// configurations are affinely independent. Its Cholesky factor grows and shrinks with the set in O(a^2).

// Weights below this count as zero.
constexpr double ZERO_WEIGHT = 1e-13;
// A configuration depends on the others if its squared distance from their affine hull is below this. The entries of K
// are integers, so true distances are never this small for sets of realistic size.
constexpr double DEPENDENT = 1e-7;
// A configuration must gain more than this, relative to the magnitude of the numbers, to be added.
constexpr double GAIN = 1e-12;
// Memory is allocated for this many active configurations per factor. There are never more than its links + 1; a tree
// with 200 links had at most 54, one with 100 links had 56.
constexpr std::size_t RESERVED = 256;
// Factor on link scores if own scores do not count.
constexpr double WITHOUT_OWN = 1e9;

double* row_of(std::vector<double>& cholesky, std::size_t row) { return cholesky.data() + row * (row + 1) / 2; }

std::span<const std::uint64_t> bits_of(const ActiveSet& active, std::size_t place) {
  return std::span(active.bits).subspan(place * active.words, active.words);
}

// Calls visit with each link that is on.
template <class Visit>
void visit_on(std::span<const std::uint64_t> bits, Visit visitor) {
  for (std::size_t word = 0; word < bits.size(); ++word)
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) visitor(64 * word + std::countr_zero(left));
}

void reserve(ActiveSet& active, QpWorkspace& workspace, std::size_t links) {
  const std::size_t most = std::min(links + 2, RESERVED);
  active.words = (links + 63) / 64;
  active.bits.reserve(most * active.words);
  active.owns.reserve(most);
  active.weights.reserve(most);
  active.cholesky.reserve(most * (most + 1) / 2);
  active.ones.reserve(most);
  for (auto* numbers : {&workspace.linear, &workspace.forward, &workspace.solution, &workspace.row, &workspace.kept})
    numbers->reserve(most);
}

// Solves L x = b for the entries of x after those already known.
template <class Right>
void extend_forward(std::vector<double>& cholesky, std::size_t size, std::vector<double>& x, Right right_side) {
  for (std::size_t i = x.size(); i < size; ++i) {
    const double* row = row_of(cholesky, i);
    double sum = right_side(i);
    for (std::size_t j = 0; j < i; ++j) sum -= row[j] * x[j];
    x.push_back(sum / row[i]);
  }
}

// Solves L' x = x in place.
void solve_backward(std::vector<double>& cholesky, std::span<double> x) {
  for (std::size_t i = x.size(); i-- > 0;) {
    const double* row = row_of(cholesky, i);
    const double value = x[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * value;
  }
}

// Returns the linear term of a configuration.
double linear_term(std::span<const std::uint64_t> bits, Score own, std::span<const double> values, double own_scale) {
  double sum = own_scale == 0.0 ? 0.0 : own_scale * own;
  visit_on(bits, [&](std::size_t link) { sum += values[link]; });
  return sum;
}

double overlap(std::span<const std::uint64_t> left, std::span<const std::uint64_t> right) {
  int count = 0;
  for (std::size_t word = 0; word < left.size(); ++word) count += std::popcount(left[word] & right[word]);
  return count;
}

// Removes a configuration: Givens rotations take a column out of the rows below it.
void remove(ActiveSet& active, QpWorkspace& workspace, std::size_t place) {
  const std::size_t size = active.weights.size();
  for (std::size_t j = place; j + 1 < size; ++j) {
    const double* pivot = row_of(active.cholesky, j + 1);
    const double length = std::sqrt(pivot[j] * pivot[j] + pivot[j + 1] * pivot[j + 1]);
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
  const auto first = active.bits.begin() + place * active.words;
  active.bits.erase(first, first + active.words);
  active.owns.erase(active.owns.begin() + place);
  active.weights.erase(active.weights.begin() + place);
  workspace.linear.erase(workspace.linear.begin() + place);
  // Known entries of forward solutions depend only on the rows above.
  active.ones.resize(std::min(active.ones.size(), place));
  workspace.forward.resize(std::min(workspace.forward.size(), place));
}

// Computes the row of the Cholesky factor for a configuration. Returns the square of its diagonal entry.
double prepare_row(ActiveSet& active, std::span<const std::uint64_t> bits, std::vector<double>& row) {
  row.clear();
  extend_forward(active.cholesky, active.weights.size(), row,
                 [&](std::size_t i) { return overlap(bits_of(active, i), bits) + 1.0; });
  double diagonal = overlap(bits, bits) + 1.0;
  for (double entry : row) diagonal -= entry * entry;
  return diagonal;
}

// Appends the configuration whose row was prepared.
void append(ActiveSet& active, QpWorkspace& workspace, std::span<const std::uint64_t> bits, Score own, double diagonal,
            double weight, double term) {
  active.cholesky.insert(active.cholesky.end(), workspace.row.begin(), workspace.row.end());
  active.cholesky.push_back(std::sqrt(diagonal));
  active.bits.insert(active.bits.end(), bits.begin(), bits.end());
  active.owns.push_back(own);
  active.weights.push_back(weight);
  workspace.linear.push_back(term);
}

// Adds the candidate. If it is an affine combination a of the others, shifts weight from them to it until one of them
// has none left and makes room. This leaves the point unchanged and gains on own scores.
void add(ActiveSet& active, QpWorkspace& workspace, double term) {
  const Score own = workspace.candidate.own;
  double diagonal = prepare_row(active, workspace.bits, workspace.row);
  if (diagonal > DEPENDENT) return append(active, workspace, workspace.bits, own, diagonal, 0.0, term);

  solve_backward(active.cholesky, workspace.row);
  std::size_t leaving = 0;
  double shift = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < workspace.row.size(); ++i)
    if (workspace.row[i] > 1e-9 && active.weights[i] / workspace.row[i] < shift)
      shift = active.weights[i] / workspace.row[i], leaving = i;
  for (std::size_t i = 0; i < workspace.row.size(); ++i)
    active.weights[i] = std::max(0.0, active.weights[i] - shift * workspace.row[i]);
  remove(active, workspace, leaving);
  diagonal = std::max(prepare_row(active, workspace.bits, workspace.row), DEPENDENT);
  append(active, workspace, workspace.bits, own, diagonal, shift, term);
}

// Finds the best weights of the active configurations if weights could be negative: K w = b + t 1 with the t that makes
// their sum 1. With x = L^-1 b and e = L^-1 1, both of which grow with the set, 1'K^-1 b = e.x.
void solve_equalities(ActiveSet& active, QpWorkspace& workspace) {
  const std::size_t size = active.weights.size();
  // Adding a constant to b changes nothing. Subtracting the first entry keeps the numbers small.
  extend_forward(active.cholesky, size, workspace.forward,
                 [&](std::size_t i) { return workspace.linear[i] - workspace.linear[0]; });
  extend_forward(active.cholesky, size, active.ones, [](std::size_t) { return 1.0; });
  double missing = 1.0, ones = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    missing -= active.ones[i] * workspace.forward[i];
    ones += active.ones[i] * active.ones[i];
  }
  workspace.solution.resize(size);
  for (std::size_t i = 0; i < size; ++i) workspace.solution[i] = workspace.forward[i] + missing / ones * active.ones[i];
  solve_backward(active.cholesky, workspace.solution);
}

// Moves to the best weights and drops each configuration whose weight reaches zero on the way. Every round keeps the
// weights a convex combination and does not lower the objective.
void minimize_weights(ActiveSet& active, QpWorkspace& workspace) {
  while (active.weights.size() > 1) {
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
    if (leaving == none) return;
    remove(active, workspace, leaving);
  }
  active.weights[0] = 1.0;
}

void set_point(const ActiveSet& active, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < active.weights.size(); ++i) {
    const double weight = active.weights[i];
    visit_on(bits_of(active, i), [&](std::size_t link) { out[link] += weight; });
  }
  for (double& value : out) value = std::min(value, 1.0);
}

// Returns the objective up to a constant.
double objective_of(const ActiveSet& active, std::span<const double> linear, std::span<const double> point) {
  double sum = 0.0;
  for (std::size_t i = 0; i < linear.size(); ++i) sum += active.weights[i] * linear[i];
  for (double value : point) sum -= value * value / 2.0;
  return sum;
}

// Sets the workspace's candidate to the best configuration for the gradient at the point.
Score find_candidate(const Maximizer& maximize, std::span<const double> values, std::span<const double> point,
                     double scale, QpWorkspace& workspace) {
  workspace.scores.resize(values.size());
  for (std::size_t link = 0; link < values.size(); ++link)
    workspace.scores[link] = (values[link] - point[link]) * scale;
  workspace.candidate.on.resize(values.size());
  const Score value = maximize(workspace.scores, workspace.candidate);
  workspace.bits.assign((values.size() + 63) / 64, 0);
  for (std::size_t link = 0; link < values.size(); ++link)
    workspace.bits[link / 64] |= static_cast<std::uint64_t>(workspace.candidate.on[link] != 0) << link % 64;
  return value;
}

// Recomputes the Cholesky factor, without the rounding errors of many additions and removals. Drops configurations that
// turn out to be dependent and normalizes the remaining weights.
void refactor(ActiveSet& active, QpWorkspace& workspace) {
  const std::size_t size = active.weights.size();
  workspace.solution.assign(active.weights.begin(), active.weights.end());
  workspace.kept.assign(workspace.linear.begin(), workspace.linear.end());
  for (auto* numbers : {&active.weights, &active.cholesky, &active.ones, &workspace.linear, &workspace.forward})
    numbers->clear();
  double sum = 0.0;
  // Reads configurations that come after the ones it writes.
  const std::size_t words = active.words;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = active.weights.size();
    const double diagonal = prepare_row(active, bits_of(active, i), workspace.row);
    if (diagonal <= DEPENDENT) continue;
    std::copy_n(active.bits.begin() + i * words, words, active.bits.begin() + place * words);
    active.owns[place] = active.owns[i];
    active.cholesky.insert(active.cholesky.end(), workspace.row.begin(), workspace.row.end());
    active.cholesky.push_back(std::sqrt(diagonal));
    active.weights.push_back(workspace.solution[i]);
    workspace.linear.push_back(workspace.kept[i]);
    sum += workspace.solution[i];
  }
  active.bits.resize(active.weights.size() * words);
  active.owns.resize(active.weights.size());
  for (double& weight : active.weights) weight = sum > 0.0 ? weight / sum : 1.0 / active.weights.size();
}

// Drops configurations that -inf now forbids and computes the linear terms of the others.
void prepare_warm_start(std::span<const double> values, double own_scale, ActiveSet& active, QpWorkspace& workspace) {
  workspace.linear.clear();
  workspace.forward.clear();
  for (std::size_t i = 0; i < active.weights.size(); ++i)
    workspace.linear.push_back(linear_term(bits_of(active, i), active.owns[i], values, own_scale));
  for (std::size_t i = active.weights.size(); i-- > 0;)
    if (workspace.linear[i] == NEGATIVE_INFINITY) remove(active, workspace, i);
  double sum = 0.0;
  for (double weight : active.weights) sum += weight;
  for (double& weight : active.weights) weight = sum > 0.0 ? weight / sum : 1.0 / active.weights.size();
}

// Returns whether the candidate gains on the active configurations. They all have the same derivative; that of the
// heaviest is the most accurate.
bool gains(std::span<const double> values, std::span<const double> point, double own_scale, const ActiveSet& active,
           const QpWorkspace& workspace) {
  const auto heaviest = std::max_element(active.weights.begin(), active.weights.end()) - active.weights.begin();
  const auto base = bits_of(active, heaviest);
  const double own_gain = own_scale == 0.0 ? 0.0 : own_scale * (workspace.candidate.own - active.owns[heaviest]);
  double gain = own_gain, size = 1.0 + std::abs(own_gain);
  for (std::size_t word = 0; word < base.size(); ++word)
    for (std::uint64_t left = base[word] ^ workspace.bits[word]; left != 0; left &= left - 1) {
      const std::size_t link = 64 * word + std::countr_zero(left);
      const double term = values[link] - point[link];
      gain += workspace.candidate.on[link] ? term : -term;
      size = std::max(size, std::abs(term));
    }
  if (!(gain > GAIN * size)) return false;
  for (std::size_t i = 0; i < active.weights.size(); ++i)
    if (std::ranges::equal(bits_of(active, i), workspace.bits)) return false;
  return true;
}

}  // namespace

bool solve_qp(const Maximizer& maximize, std::span<const double> values, double own_scale, ActiveSet& active,
              QpWorkspace& workspace, std::span<double> out) {
  const double scale = own_scale > 0.0 ? 1.0 / own_scale : WITHOUT_OWN;
  if (active.words == 0) reserve(active, workspace, values.size());
  prepare_warm_start(values, own_scale, active, workspace);
  if (active.weights.empty()) {
    std::fill(out.begin(), out.end(), 0.0);
    if (find_candidate(maximize, values, out, scale, workspace) == NEGATIVE_INFINITY) return false;
    const double diagonal = prepare_row(active, workspace.bits, workspace.row);
    append(active, workspace, workspace.bits, workspace.candidate.own, diagonal, 1.0,
           linear_term(workspace.bits, workspace.candidate.own, values, own_scale));
  }

  // In theory finite, because every step gains. Rounding errors end the loop when steps no longer gain, or the limit
  // does. The weights are a convex combination at all times.
  const std::size_t limit = std::min(workspace.max_steps, 100 + 4 * values.size());
  double reached = NEGATIVE_INFINITY;
  std::size_t stalled = 0;
  workspace.finished = true;
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
    if (step == limit) workspace.finished = step != workspace.max_steps;
    if (step == limit || stalled == 10 ||
        find_candidate(maximize, values, out, scale, workspace) == NEGATIVE_INFINITY ||
        !gains(values, out, own_scale, active, workspace))
      break;
    add(active, workspace, linear_term(workspace.bits, workspace.candidate.own, values, own_scale));
  }
  active.own = 0.0;
  for (std::size_t i = 0; i < active.weights.size(); ++i) active.own += active.weights[i] * active.owns[i];
  return true;
}

}  // namespace headlong
