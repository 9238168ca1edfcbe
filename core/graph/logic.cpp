// Maximization and max-marginals of logic factors.
#include "graph/logic.hpp"

#include <algorithm>
#include <numeric>

namespace headlong {

bool allows(const LogicFactor& factor, std::span<const std::uint8_t> on) {
  Index count = 0;
  for (std::uint8_t link : on) count += link != 0;
  switch (factor.kind) {
    case Logic::Xor:
      return count == 1;
    case Logic::AtMostOne:
      return count <= 1;
    case Logic::Or:
      return count >= 1;
    case Logic::OrOut:
      return (on.back() != 0) == (count - (on.back() != 0) > 0);
    case Logic::AtMost:
      return count <= factor.budget;
    default:
      return count == factor.budget;
  }
}

namespace {

// The highest and the second-highest score. The first one wins ties.
struct TopTwo {
  std::size_t place = 0;  // of the best score; undefined if that is -inf
  Score best = NEGATIVE_INFINITY;
  Score second = NEGATIVE_INFINITY;

  explicit TopTwo(std::span<const Score> scores) {
    for (std::size_t link = 0; link < scores.size(); ++link) {
      if (scores[link] > best) {
        second = best;
        best = scores[link];
        place = link;
      } else {
        second = std::max(second, scores[link]);
      }
    }
  }
  Score without(std::size_t link) const { return link == place ? second : best; }
};

// Turns on every link with a positive score, and at least one link.
Score maximize_or(std::span<const Score> scores, std::span<std::uint8_t> on) {
  Score sum = 0.0;
  bool any = false;
  for (std::size_t link = 0; link < scores.size(); ++link) {
    on[link] = scores[link] > 0.0;
    any = any || on[link];
    if (on[link]) sum += scores[link];
  }
  if (any) return sum;
  const TopTwo top(scores);
  if (top.best > NEGATIVE_INFINITY) on[top.place] = 1;
  return top.best;
}

// Lists all links with the `count` best ones first. O(n).
void select(std::span<const Score> scores, std::size_t count, std::vector<Index>& order) {
  order.resize(scores.size());
  std::iota(order.begin(), order.end(), 0);
  if (count == 0 || count >= order.size()) return;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                   [&](Index a, Index b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
}

Score maximize_budget(const LogicFactor& factor, std::span<const Score> scores, std::vector<Index>& order,
                      std::span<std::uint8_t> on) {
  const bool exactly = factor.kind == Logic::Exactly;
  const std::size_t budget = static_cast<std::size_t>(factor.budget);
  if (exactly && budget > scores.size()) return NEGATIVE_INFINITY;
  const std::size_t count = std::min(budget, scores.size());
  select(scores, count, order);
  for (std::size_t place = 0; place < count; ++place) {
    const Index link = order[place];
    if (exactly || scores[link] > 0.0) on[link] = 1;
  }
  // Sum in link order, so the result does not depend on the order of the selection.
  Score sum = 0.0;
  for (std::size_t link = 0; link < scores.size(); ++link)
    if (on[link]) sum += scores[link];
  if (sum == NEGATIVE_INFINITY) std::fill(on.begin(), on.end(), 0);
  return sum;
}

// Max-marginals of Or. The other links, each on only if that pays, contribute a prefix sum and a suffix sum.
// Subtracting a large score from the total would lose the others.
Score max_marginals_or(std::span<const Score> scores, std::span<Score> on, std::span<Score> off) {
  Score sum = 0.0;
  std::size_t worthy = 0;
  for (std::size_t link = 0; link < scores.size(); ++link) {
    off[link] = sum;
    sum += std::max(scores[link], 0.0);
    worthy += scores[link] > 0.0;
  }
  Score after = 0.0;
  const TopTwo top(scores);
  for (std::size_t link = scores.size(); link-- > 0;) {
    off[link] += after;
    after += std::max(scores[link], 0.0);
    on[link] = scores[link] + off[link];
    if (worthy == static_cast<std::size_t>(scores[link] > 0.0)) off[link] = top.without(link);
  }
  return worthy > 0 ? sum : top.best;
}

// Max-marginals of budgets. Sort the links by descending score. The worth of a link is its score, or at least 0 if the
// budget need not be spent. The best of the other links are the first ones without the link itself, so a prefix sum and
// a suffix sum suffice.
Score max_marginals_budget(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                           std::span<Score> on, std::span<Score> off) {
  const bool exactly = factor.kind == Logic::Exactly;
  const std::size_t links = scores.size();
  std::fill(on.begin(), on.end(), NEGATIVE_INFINITY);
  std::fill(off.begin(), off.end(), NEGATIVE_INFINITY);
  if (exactly && static_cast<std::size_t>(factor.budget) > links) return NEGATIVE_INFINITY;
  const std::size_t budget = std::min(static_cast<std::size_t>(factor.budget), links);

  std::vector<Index>& order = workspace.order;
  order.resize(links);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  const auto worth = [&](std::size_t place) {
    if (place >= links) return exactly ? NEGATIVE_INFINITY : 0.0;
    return exactly ? scores[order[place]] : std::max(scores[order[place]], 0.0);
  };

  Score best = 0.0;        // sum of the first `budget`
  Score best_fewer = 0.0;  // sum of the first `budget - 1`
  std::vector<double>& before = workspace.values;
  before.resize(budget);
  for (std::size_t place = 0; place < budget; ++place) {
    before[place] = best_fewer = best;
    best += worth(place);
  }
  Score after = 0.0;
  for (std::size_t place = budget; place-- > 0;) {
    const Index link = order[place];
    const Score others = before[place] + after;
    on[link] = scores[link] + others;
    off[link] = others + worth(budget);
    after += worth(place);
  }
  for (std::size_t place = budget; place < links; ++place) {
    const Index link = order[place];
    if (budget > 0) on[link] = scores[link] + best_fewer;
    off[link] = best;
  }
  return best;
}

}  // namespace

Score maximize(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
               std::span<std::uint8_t> on) {
  std::fill(on.begin(), on.end(), 0);
  switch (factor.kind) {
    case Logic::Xor: {
      const TopTwo top(scores);
      if (top.best > NEGATIVE_INFINITY) on[top.place] = 1;
      return top.best;
    }
    case Logic::AtMostOne: {
      const TopTwo top(scores);
      if (!(top.best > 0.0)) return 0.0;
      on[top.place] = 1;
      return top.best;
    }
    case Logic::Or:
      return maximize_or(scores, on);
    case Logic::OrOut: {
      const std::size_t inputs = scores.size() - 1;
      const Score value = scores[inputs] + maximize_or(scores.first(inputs), on.first(inputs));
      if (value > 0.0) {
        on[inputs] = 1;
        return value;
      }
      std::fill(on.begin(), on.end(), 0);
      return 0.0;
    }
    default:
      return maximize_budget(factor, scores, workspace.order, on);
  }
}

Score max_marginals(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                    std::span<Score> on, std::span<Score> off) {
  switch (factor.kind) {
    case Logic::Xor:
    case Logic::AtMostOne: {
      const Score none = factor.kind == Logic::Xor ? NEGATIVE_INFINITY : 0.0;
      const TopTwo top(scores);
      for (std::size_t link = 0; link < scores.size(); ++link) {
        on[link] = scores[link];
        off[link] = std::max(none, top.without(link));
      }
      return std::max(none, top.best);
    }
    case Logic::Or:
      return max_marginals_or(scores, on, off);
    case Logic::OrOut: {
      const std::size_t inputs = scores.size() - 1;
      const Score output = scores[inputs];
      const Score value = output + max_marginals_or(scores.first(inputs), on.first(inputs), off.first(inputs));
      for (std::size_t link = 0; link < inputs; ++link) {
        on[link] += output;
        off[link] = std::max(off[link] + output, 0.0);
      }
      on[inputs] = value;
      off[inputs] = 0.0;
      return std::max(value, 0.0);
    }
    default:
      return max_marginals_budget(factor, scores, workspace, on, off);
  }
}

}  // namespace headlong
