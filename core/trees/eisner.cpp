// Eisner (1996), "Three new probabilistic models for dependency parsing": one recursion for both semirings.
//
// A span is identified by its head and its other end, in either direction, so left and right share the charts:
//   incomplete[h][m] = score(h, m) * sum_k complete[left][k] * complete[right][k + 1],  left <= k < right,
//   complete[h][e]   = sum_k incomplete[h][k] * complete[k][e],                         k from beside h to e.
// With any number of root arcs, the root is word 0 of the recursion. With a single root arc, the recursion runs over
// the words alone and the root is attached to one of them at the end. This is exact and costs no more.
#include "trees/eisner.hpp"

#include <algorithm>
#include <cmath>

#include "base/semiring.hpp"
#include "base/stop.hpp"
#include "trees/mst.hpp"

namespace headlong {
namespace {

// The recursion over the words [first, size). The charts are views of the workspace.
struct Charts {
  std::size_t size;
  std::size_t first;
  std::span<const Score> scores;
  std::span<Score> between;
  std::span<Score> incomplete;
  std::span<Score> complete;
  std::span<Score> complete_from_end;
  std::span<Score> root_left;
};

Charts make_charts(std::span<const Score> scores, Index size, RootRule rule, EisnerWorkspace& workspace) {
  const std::size_t count = size;
  workspace.between.resize(count * count);
  workspace.incomplete.resize(count * count);
  workspace.complete.resize(count * count);
  workspace.complete_from_end.resize(count * count);
  workspace.root_left.resize(count);
  return {count,
          rule == RootRule::Single ? std::size_t{1} : std::size_t{0},
          scores,
          workspace.between,
          workspace.incomplete,
          workspace.complete,
          workspace.complete_from_end,
          workspace.root_left};
}

// Fills the charts and returns the sum over all trees.
template <class Semiring>
Score inside(const Charts& charts) {
  const auto& [size, first, scores, between, incomplete, complete, complete_from_end, root_left] = charts;
  const auto set_complete = [&charts](std::size_t head, std::size_t end, Score value) {
    charts.complete[head * charts.size + end] = charts.complete_from_end[end * charts.size + head] = value;
  };
  for (std::size_t word = first; word < size; ++word) set_complete(word, word, Semiring::one());
  WorkCounter work;
  for (std::size_t width = 1; width < size - first; ++width) {
    work.add(width * size);
    for (std::size_t left = first; left + width < size; ++left) {
      const std::size_t right = left + width;
      const Score* of_left = &complete[left * size];
      const Score* of_right = &complete[right * size];
      const Score middle = Semiring::dot(of_left + left, of_right + left + 1, width);
      between[left * size + right] = middle;
      incomplete[left * size + right] = Semiring::times(middle, scores[left * size + right]);
      // The root is never a modifier, so its column is not read.
      incomplete[right * size + left] =
          left == 0 ? Semiring::zero() : Semiring::times(middle, scores[right * size + left]);
      set_complete(
          left, right,
          Semiring::dot(&incomplete[left * size + left + 1], &complete_from_end[right * size + left + 1], width));
      set_complete(right, left,
                   Semiring::dot(&incomplete[right * size + left], &complete_from_end[left * size + left], width));
    }
  }
  if (first == 0) return complete[size - 1];
  for (std::size_t word = 1; word < size; ++word)
    root_left[word] = Semiring::times(scores[word], complete_from_end[size + word]);
  return Semiring::dot(&root_left[1], &complete_from_end[(size - 1) * size + 1], size - 1);
}

// Returns the first k that maximizes a[k] + b[k]. Searching again is cheaper than back-pointers: the n spans of one
// tree cost O(n^2) here, whereas back-pointers would cost a store for every span of the chart.
std::size_t argmax(const Score* a, const Score* b, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < count; ++k) {
    if (a[k] + b[k] > a[best] + b[best]) best = k;
  }
  return best;
}

// Splits the complete spans in `open`, whose values are finite, down to single words.
void split_spans(const Charts& charts, std::vector<std::pair<Index, Index>>& open, std::span<Index> heads) {
  const std::size_t size = charts.size;
  const auto push = [&](std::size_t head, std::size_t end) {
    if (head != end) open.emplace_back(static_cast<Index>(head), static_cast<Index>(end));
  };
  while (!open.empty()) {
    const std::size_t head = open.back().first;
    const std::size_t end = open.back().second;
    open.pop_back();
    // The candidates for the last dependent of head: all words of the span except head itself.
    const std::size_t from = head < end ? head + 1 : end;
    const std::size_t count = head < end ? end - head : head - end;
    const std::size_t modifier =
        from + argmax(&charts.incomplete[head * size + from], &charts.complete_from_end[end * size + from], count);
    heads[modifier] = static_cast<Index>(head);
    const std::size_t left = std::min(head, modifier);
    const std::size_t right = std::max(head, modifier);
    const std::size_t split =
        left + argmax(&charts.complete[left * size + left], &charts.complete[right * size + left + 1], right - left);
    push(modifier, end);
    push(left, split);
    push(right, split + 1);
  }
}

// Reverse-mode differentiation of `inside` in log-sum-exp. A span passes its derivative on to each pair of subspans, in
// proportion to the pair's share of the sum. All terms are probabilities, so nothing overflows or cancels. The
// derivative with respect to incomplete[h][m] is the marginal of the arc.
void pass_on(double share, Score total, const Score* a, const Score* b, std::size_t count, double* a_share,
             double* b_share) {
  if (share == 0.0) return;  // covers every span without a value
  for (std::size_t k = 0; k < count; ++k) {
    const double part = share * std::exp(a[k] + b[k] - total);
    a_share[k] += part;
    b_share[k] += part;
  }
}

void outside(const Charts& charts, Score total, EisnerWorkspace& workspace, std::span<double> marginals) {
  const auto& [size, first, scores, between, incomplete, complete, complete_from_end, root_left] = charts;
  const std::span<double> share = workspace.complete_share;
  const std::span<double> end_share = workspace.complete_from_end_share;
  if (first == 0) {
    share[size - 1] = 1.0;
  } else {
    const Score* right_parts = &complete_from_end[(size - 1) * size + 1];
    pass_on(1.0, total, &root_left[1], right_parts, size - 1, &marginals[1], &end_share[(size - 1) * size + 1]);
    for (std::size_t word = 1; word < size; ++word) end_share[size + word] += marginals[word];
  }
  WorkCounter work;
  for (std::size_t width = size - first - 1; width >= 1; --width) {
    work.add(width * size);
    for (std::size_t left = first; left + width < size; ++left) {
      const std::size_t right = left + width;
      const std::size_t rightward = left * size + right;
      const std::size_t leftward = right * size + left;
      const std::size_t beside = left * size + left;  // where the span begins in row `left`
      pass_on(share[rightward] + end_share[leftward], complete[rightward], &incomplete[beside + 1],
              &complete_from_end[leftward + 1], width, &marginals[beside + 1], &end_share[leftward + 1]);
      pass_on(share[leftward] + end_share[rightward], complete[leftward], &incomplete[leftward],
              &complete_from_end[beside], width, &marginals[leftward], &end_share[beside]);
      pass_on(marginals[rightward] + marginals[leftward], between[rightward], &complete[beside],
              &complete[leftward + 1], width, &share[beside], &share[leftward + 1]);
    }
  }
}

// The same pass in max-plus: the score of the best tree around a span, without the span itself. What is around one
// subspan of a pair is what is around the span plus the other subspan. Writes to `around` what is around
// incomplete[h][m].
void pass_on_best(Score above, const Score* a, const Score* b, std::size_t count, Score* around_a, Score* around_b) {
  if (above == NEGATIVE_INFINITY) return;
  for (std::size_t k = 0; k < count; ++k) {
    around_a[k] = std::max(around_a[k], above + b[k]);
    around_b[k] = std::max(around_b[k], above + a[k]);
  }
}

void best_outside(const Charts& charts, EisnerWorkspace& workspace, std::span<Score> around) {
  const auto& [size, first, scores, between, incomplete, complete, complete_from_end, root_left] = charts;
  const std::span<Score> around_complete = workspace.complete_share;
  const std::span<Score> around_end = workspace.complete_from_end_share;
  if (first == 0) {
    around_complete[size - 1] = 0.0;
  } else {
    const Score* right_parts = &complete_from_end[(size - 1) * size + 1];
    pass_on_best(0.0, &root_left[1], right_parts, size - 1, &around[1], &around_end[(size - 1) * size + 1]);
    for (std::size_t word = 1; word < size; ++word)
      around_end[size + word] = std::max(around_end[size + word], around[word] + scores[word]);
  }
  WorkCounter work;
  for (std::size_t width = size - first - 1; width >= 1; --width) {
    work.add(width * size);
    for (std::size_t left = first; left + width < size; ++left) {
      const std::size_t right = left + width;
      const std::size_t rightward = left * size + right;
      const std::size_t leftward = right * size + left;
      const std::size_t beside = left * size + left;
      pass_on_best(std::max(around_complete[rightward], around_end[leftward]), &incomplete[beside + 1],
                   &complete_from_end[leftward + 1], width, &around[beside + 1], &around_end[leftward + 1]);
      pass_on_best(std::max(around_complete[leftward], around_end[rightward]), &incomplete[leftward],
                   &complete_from_end[beside], width, &around[leftward], &around_end[beside]);
      Score above = around[rightward] + scores[rightward];
      if (left != 0) above = std::max(above, around[leftward] + scores[leftward]);
      pass_on_best(above, &complete[beside], &complete[leftward + 1], width, &around_complete[beside],
                   &around_complete[leftward + 1]);
    }
  }
}

}  // namespace

Score eisner(std::span<const Score> scores, Index size, RootRule rule, std::span<Index> heads,
             EisnerWorkspace& workspace) {
  heads[0] = NO_HEAD;
  if (size == 1) return 0.0;
  const Charts charts = make_charts(scores, size, rule, workspace);
  if (inside<MaxPlus>(charts) == NEGATIVE_INFINITY) {
    for (Index word = 1; word < size; ++word) heads[word] = word - 1;
    return NEGATIVE_INFINITY;
  }
  const Index last = size - 1;
  if (rule == RootRule::Multi) {
    workspace.open.assign(1, {0, last});
  } else {
    const Score* right_parts = &charts.complete_from_end[static_cast<std::size_t>(last) * size + 1];
    const Index top = 1 + static_cast<Index>(argmax(&charts.root_left[1], right_parts, last));
    heads[top] = 0;
    workspace.open.clear();
    if (top != 1) workspace.open.emplace_back(top, 1);
    if (top != last) workspace.open.emplace_back(top, last);
  }
  split_spans(charts, workspace.open, heads);
  return tree_score(scores, size, heads);
}

Score eisner_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<double> marginals,
                       EisnerWorkspace& workspace) {
  std::fill(marginals.begin(), marginals.end(), 0.0);
  if (size == 1) return 0.0;
  const Charts charts = make_charts(scores, size, rule, workspace);
  const Score total = inside<LogSumExp>(charts);
  if (total == NEGATIVE_INFINITY) return total;
  workspace.complete_share.assign(marginals.size(), 0.0);
  workspace.complete_from_end_share.assign(marginals.size(), 0.0);
  outside(charts, total, workspace, marginals);
  return total;
}

Score eisner_max_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<Score> best,
                           EisnerWorkspace& workspace) {
  std::fill(best.begin(), best.end(), NEGATIVE_INFINITY);
  if (size == 1) return 0.0;
  const Charts charts = make_charts(scores, size, rule, workspace);
  const Score total = inside<MaxPlus>(charts);
  if (total == NEGATIVE_INFINITY) return total;
  workspace.complete_share.assign(best.size(), NEGATIVE_INFINITY);
  workspace.complete_from_end_share.assign(best.size(), NEGATIVE_INFINITY);
  best_outside(charts, workspace, best);
  const std::size_t count = size;
  for (std::size_t head = 0; head < count; ++head) {
    for (std::size_t modifier = 1; modifier < count; ++modifier) {
      const std::size_t arc = head * count + modifier;
      // The diagonal stays -inf, and so do the root's arcs in charts without the root.
      if (head != modifier) best[arc] += head < charts.first ? charts.root_left[modifier] : charts.incomplete[arc];
    }
  }
  return total;
}

}  // namespace headlong
