// Projections onto the polytopes of logic factors (Martins et al. 2011a, section 4; Martins et al. 2015, "AD3", section
// 5). Each is exact after one sort.
//
// They rest on a fact about convex sets: if the projection without some constraint violates it, the constraint holds
// with equality at the projection with it.
#include <algorithm>
#include <functional>

#include "graph/logic.hpp"

namespace headlong {

namespace {

// Copies `values` to `sorted` in descending order.
void sort(std::span<const double> values, std::vector<double>& sorted) {
  sorted.assign(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
}

double clip(double value) { return std::clamp(value, 0.0, 1.0); }

// In place: the nearest point of {z >= 0, sum z = 1}. It is max(value - threshold, 0) for the threshold that makes the
// sum 1. Values are taken relative to the largest, so no digits are lost if all are far from 0.
void project_simplex(std::span<double> values, std::vector<double>& sorted) {
  sort(values, sorted);
  const double high = sorted[0];
  double sum = 0.0;
  double threshold = -1.0;
  for (std::size_t count = 1; count <= sorted.size(); ++count) {
    const double value = sorted[count - 1] - high;
    if (value <= threshold) break;
    sum += value;
    threshold = (sum - 1.0) / static_cast<double>(count);
  }
  for (double& value : values) value = std::max(value - high - threshold, 0.0);
}

// In place: the nearest point of {0 <= z <= 1, sum z = budget} for 0 <= budget <= links. It is clip(value - threshold),
// whose sum falls from `links` to 0 as the threshold rises. The threshold moves down through the points where a link
// leaves 0 (at its value) or reaches 1 (at its value - 1), both in sorted order, until the sum is reached. In the piece
// before, the links from `full` to `started` are between 0 and 1, and the sum is linear.
void project_budget(std::span<double> values, std::size_t budget, std::vector<double>& sorted) {
  sort(values, sorted);
  const std::size_t links = values.size();
  std::size_t full = 0, started = 0;
  double sum = 0.0;  // of the values of links between 0 and 1
  double threshold = sorted[0];
  while (full < links) {
    const bool starts = started < links && sorted[started] >= sorted[full] - 1.0;
    threshold = starts ? sorted[started] : sorted[full] - 1.0;
    const double reached =
        static_cast<double>(full) + sum - static_cast<double>(started - full) * threshold;  // the sum of z there
    if (reached >= static_cast<double>(budget)) break;
    if (starts)
      sum += sorted[started++];
    else
      sum -= sorted[full++];
  }
  if (started > full) {
    // Compute the sum again, relative to one of the values: the running sum may have lost digits.
    const double middle = sorted[full];
    double rest = 0.0;
    for (std::size_t place = full; place < started; ++place) rest += sorted[place] - middle;
    rest -= static_cast<double>(budget) - static_cast<double>(full);
    const double shift = rest / static_cast<double>(started - full);
    for (double& value : values) value = clip(value - middle - shift);
  } else {
    for (double& value : values) value = clip(value - threshold);
  }
}

// In place: the nearest point of {0 <= z <= 1, every input <= output}. Without the bounds, the output is the mean of
// itself and the highest inputs, taking in inputs as long as the next one is above the mean; these inputs equal the
// output. Clipping then enforces the bounds, as in isotonic regression.
void project_below_output(std::span<double> values, std::vector<double>& sorted) {
  const std::size_t inputs = values.size() - 1;
  sort(values.first(inputs), sorted);
  double sum = values[inputs];
  double output = sum;
  for (std::size_t count = 0; count < inputs && sorted[count] > output; ++count) {
    sum += sorted[count];
    output = sum / static_cast<double>(count + 2);
  }
  for (double& value : values.first(inputs)) value = clip(std::min(value, output));
  values[inputs] = clip(output);
}

// The hull of OrOut is {0 <= z <= 1, every input <= output, output <= sum of inputs}. If the nearest point without the
// last constraint violates it, the output equals the sum, so the inputs and 1 - output lie in the simplex, where no
// input can exceed the output.
void project_or_out(std::span<const double> values, std::vector<double>& sorted, std::span<double> out) {
  const std::size_t inputs = values.size() - 1;
  project_below_output(out, sorted);
  double sum = 0.0;
  for (double input : out.first(inputs)) sum += input;
  if (out[inputs] <= sum) return;
  for (std::size_t link = 0; link < inputs; ++link) out[link] = std::clamp(values[link], -VALUE_LIMIT, VALUE_LIMIT);
  out[inputs] = 1.0 - std::clamp(values[inputs], -VALUE_LIMIT, VALUE_LIMIT);
  project_simplex(out, sorted);
  out[inputs] = 1.0 - out[inputs];
}

}  // namespace

void project(const LogicFactor& factor, std::span<const double> values, LogicWorkspace& workspace,
             std::span<double> out) {
  std::vector<double>& sorted = workspace.values;
  double sum = 0.0;  // of the values clipped to [0, 1], the nearest point without any constraint
  for (std::size_t link = 0; link < values.size(); ++link) {
    out[link] = std::clamp(values[link], -VALUE_LIMIT, VALUE_LIMIT);
    sum += clip(out[link]);
  }
  const std::size_t budget = std::min(static_cast<std::size_t>(factor.budget), values.size());
  switch (factor.kind) {
    case Logic::Xor:
      return project_simplex(out, sorted);
    case Logic::AtMostOne:
      if (sum > 1.0) return project_simplex(out, sorted);
      break;
    case Logic::Or:
      if (sum < 1.0) return project_simplex(out, sorted);
      break;
    case Logic::OrOut:
      return project_or_out(values, sorted, out);
    case Logic::AtMost:
      if (sum > static_cast<double>(budget)) return project_budget(out, budget, sorted);
      break;
    default:
      return project_budget(out, budget, sorted);
  }
  for (double& value : out) value = clip(value);
}

}  // namespace headlong
