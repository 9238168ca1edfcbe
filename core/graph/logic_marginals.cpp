// Sum-product of logic factors. Everything stays in log space and only positive terms are added, so scores in the
// hundreds neither overflow nor lose small marginals.
#include <algorithm>
#include <cmath>

#include "base/semiring.hpp"
#include "graph/logic.hpp"

namespace headlong {

namespace {

// Returns log(1 + exp(score)).
Score softplus(Score score) { return score > 0.0 ? score + std::log1p(std::exp(-score)) : std::log1p(std::exp(score)); }

// Returns log(sum of exp(score)).
Score log_sum(std::span<const Score> scores) {
  Score high = NEGATIVE_INFINITY;
  for (Score score : scores) high = std::max(high, score);
  if (high == NEGATIVE_INFINITY) return high;
  double sum = 0.0;
  for (Score score : scores) sum += std::exp(score - high);
  return high + std::log(sum);
}

// At most one link on, or none with weight exp(none). Divides by the sum, not by exp(log-partition), which has lost
// digits if scores are very large.
Score marginals_one(std::span<const Score> scores, Score none, std::span<double> out) {
  Score high = none;
  for (Score score : scores) high = std::max(high, score);
  std::fill(out.begin(), out.end(), 0.0);
  if (high == NEGATIVE_INFINITY) return high;
  double sum = std::exp(none - high);
  for (std::size_t link = 0; link < scores.size(); ++link) sum += out[link] = std::exp(scores[link] - high);
  for (double& marginal : out) marginal /= sum;
  return high + std::log(sum);
}

// Unconstrained links: the log-partition is the sum of softplus.
Score marginals_free(std::span<const Score> scores, std::span<double> out) {
  Score log_partition = 0.0;
  for (std::size_t link = 0; link < scores.size(); ++link) {
    log_partition += softplus(scores[link]);
    out[link] = scores[link] == NEGATIVE_INFINITY ? 0.0 : std::exp(scores[link] - softplus(scores[link]));
  }
  return log_partition;
}

// If F is the partition function of free links, that of Or is F - 1, and the marginal of a link is its free marginal
// times F / (F - 1). log(F - 1) = log F + log(1 - 1 / F) keeps all digits. If F - 1 itself is about to underflow, its
// first term, the sum of exp(score), replaces it; it is then exact.
Score marginals_or(std::span<const Score> scores, std::span<double> out) {
  Score free = 0.0;
  for (Score score : scores) free += softplus(score);
  const Score growth = free > 1e-200 ? -std::log(-std::expm1(-free)) : free - log_sum(scores);
  if (growth == -NEGATIVE_INFINITY) {
    std::fill(out.begin(), out.end(), 0.0);
    return NEGATIVE_INFINITY;
  }
  for (std::size_t link = 0; link < scores.size(); ++link) {
    const Score score = scores[link];
    out[link] = score == NEGATIVE_INFINITY ? 0.0 : std::min(1.0, std::exp(score - softplus(score) + growth));
  }
  return free - growth;
}

// Budgets by dynamic programming over the links. For each number of links that are on before link i, row i of the
// backward chart holds what links i and later can add, and the forward row holds what the links before i give. Both
// range over that number from 0 to the budget, so the marginal of a link is one dot product. O(links * budget).
Score marginals_budget(const LogicFactor& factor, std::span<const Score> scores, std::vector<double>& chart,
                       std::span<double> out) {
  const bool exactly = factor.kind == Logic::Exactly;
  const std::size_t links = scores.size();
  std::fill(out.begin(), out.end(), 0.0);
  if (static_cast<std::size_t>(factor.budget) > links && exactly) return NEGATIVE_INFINITY;
  if (static_cast<std::size_t>(factor.budget) >= links && !exactly) return marginals_free(scores, out);
  const std::size_t budget = static_cast<std::size_t>(factor.budget);
  const std::size_t width = budget + 1;

  chart.resize((links + 2) * width);
  const auto backward = [&](std::size_t link) { return chart.data() + link * width; };
  std::fill_n(backward(links), width, exactly ? NEGATIVE_INFINITY : 0.0);
  backward(links)[budget] = 0.0;
  for (std::size_t link = links; link-- > 0;) {
    const Score* next = backward(link + 1);
    Score* row = backward(link);
    for (std::size_t count = 0; count < budget; ++count)
      row[count] = log_add(next[count], scores[link] + next[count + 1]);
    row[budget] = next[budget];
  }
  const Score log_partition = backward(0)[0];
  if (log_partition == NEGATIVE_INFINITY) return log_partition;

  Score* forward = backward(links + 1);
  std::fill_n(forward, width, NEGATIVE_INFINITY);
  forward[0] = 0.0;
  for (std::size_t link = 0; link < links; ++link) {
    const Score through = LogSumExp::dot(forward, backward(link + 1) + 1, budget);
    out[link] = std::min(1.0, std::exp(scores[link] + through - log_partition));
    for (std::size_t count = budget; count > 0; --count)
      forward[count] = log_add(forward[count], scores[link] + forward[count - 1]);
  }
  return log_partition;
}

}  // namespace

Score marginals(const LogicFactor& factor, std::span<const Score> scores, LogicWorkspace& workspace,
                std::span<double> out) {
  switch (factor.kind) {
    case Logic::Xor:
      return marginals_one(scores, NEGATIVE_INFINITY, out);
    case Logic::AtMostOne:
      return marginals_one(scores, 0.0, out);
    case Logic::Or:
      return marginals_or(scores, out);
    case Logic::OrOut: {
      const std::size_t inputs = scores.size() - 1;
      const Score on = scores[inputs] + marginals_or(scores.first(inputs), out.first(inputs));
      const Score log_partition = log_add(on, 0.0);
      out[inputs] = std::exp(on - log_partition);
      for (std::size_t link = 0; link < inputs; ++link) out[link] *= out[inputs];
      return log_partition;
    }
    default:
      return marginals_budget(factor, scores, workspace.values, out);
  }
}

double expected_own(const LogicFactor&, std::span<const Score>, LogicWorkspace&) { return 0.0; }

}  // namespace headlong
