#include "factors/logic.hpp"

#include <cmath>
#include <stdexcept>

#include "semiring.hpp"

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

Score own(const LogicFactor& factor, std::span<const std::uint8_t> on) {
  return allows(factor, on) ? 0.0 : NEGATIVE_INFINITY;
}
Score own(const PairFactor& factor, std::span<const std::uint8_t> on) { return on[0] && on[1] ? factor.score : 0.0; }
Score own(const DenseFactor& factor, std::span<const std::uint8_t> on) {
  std::size_t row = 0;
  for (std::size_t link = 0; link < on.size(); ++link) row |= static_cast<std::size_t>(on[link] != 0) << link;
  return factor.scores[row];
}

// Calls visit(on, value) for every configuration.
template <class Factor, class Visit>
void enumerate(const Factor& factor, std::span<const Score> scores, Visit visit) {
  std::vector<std::uint8_t> on(scores.size());
  for (std::size_t row = 0; row < std::size_t{1} << scores.size(); ++row) {
    Score sum = 0.0;
    for (std::size_t link = 0; link < on.size(); ++link) {
      on[link] = row >> link & 1;
      if (on[link]) sum += scores[link];
    }
    const Score value = own(factor, on) + sum;
    if (value > NEGATIVE_INFINITY) visit(on, value);
  }
}

template <class Factor>
Score best_of(const Factor& factor, std::span<const Score> scores, std::span<std::uint8_t> best) {
  Score found = NEGATIVE_INFINITY;
  enumerate(factor, scores, [&](const auto& on, Score value) {
    if (value > found) found = value, std::copy(on.begin(), on.end(), best.begin());
  });
  return found;
}

template <class Factor>
Score marginals_of(const Factor& factor, std::span<const Score> scores, std::span<double> out) {
  Score log_partition = NEGATIVE_INFINITY;
  enumerate(factor, scores, [&](const auto&, Score value) { log_partition = log_add(log_partition, value); });
  for (double& marginal : out) marginal = 0.0;
  enumerate(factor, scores, [&](const auto& on, Score value) {
    for (std::size_t link = 0; link < on.size(); ++link)
      if (on[link]) out[link] += std::exp(value - log_partition);
  });
  return log_partition;
}

template <class Factor>
Score max_marginals_of(const Factor& factor, std::span<const Score> scores, std::span<Score> on_best,
                       std::span<Score> off_best) {
  Score best = NEGATIVE_INFINITY;
  for (std::size_t link = 0; link < scores.size(); ++link) on_best[link] = off_best[link] = NEGATIVE_INFINITY;
  enumerate(factor, scores, [&](const auto& on, Score value) {
    best = std::max(best, value);
    for (std::size_t link = 0; link < on.size(); ++link) {
      Score& place = on[link] ? on_best[link] : off_best[link];
      place = std::max(place, value);
    }
  });
  return best;
}

}  // namespace

Score maximize(const LogicFactor& f, std::span<const Score> s, std::span<std::uint8_t> on) { return best_of(f, s, on); }
Score maximize(const PairFactor& f, std::span<const Score> s, std::span<std::uint8_t> on) { return best_of(f, s, on); }
Score maximize(const DenseFactor& f, std::span<const Score> s, std::span<std::uint8_t> on) { return best_of(f, s, on); }

Score marginals(const LogicFactor& f, std::span<const Score> s, std::span<double> out) {
  return marginals_of(f, s, out);
}
Score marginals(const PairFactor& f, std::span<const Score> s, std::span<double> out) {
  return marginals_of(f, s, out);
}
Score marginals(const DenseFactor& f, std::span<const Score> s, std::span<double> out) {
  return marginals_of(f, s, out);
}

Score max_marginals(const LogicFactor& f, std::span<const Score> s, std::span<Score> on, std::span<Score> off) {
  return max_marginals_of(f, s, on, off);
}
Score max_marginals(const PairFactor& f, std::span<const Score> s, std::span<Score> on, std::span<Score> off) {
  return max_marginals_of(f, s, on, off);
}
Score max_marginals(const DenseFactor& f, std::span<const Score> s, std::span<Score> on, std::span<Score> off) {
  return max_marginals_of(f, s, on, off);
}

void project(const LogicFactor&, std::span<const double>, ProjectionWorkspace&, std::span<double>) {
  throw std::logic_error("not written yet");
}
void project(const PairFactor&, std::span<const double>, double, std::span<double>) {
  throw std::logic_error("not written yet");
}

}  // namespace headlong
