#include "parts/candidates.hpp"

#include <algorithm>

namespace headlong {

void all_arcs(Index size, Candidates& candidates) { near_arcs(size, size, candidates); }

void near_arcs(Index size, Index reach, Candidates& candidates) {
  candidates.heads.clear();
  candidates.begins.assign(static_cast<std::size_t>(size) + 1, 0);
  for (Index modifier = 1; modifier < size; ++modifier) {
    candidates.heads.push_back(0);
    for (Index head = std::max(modifier - reach, 1); head <= std::min(modifier + reach, size - 1); ++head)
      if (head != modifier) candidates.heads.push_back(head);
    candidates.begins[modifier + 1] = static_cast<Index>(candidates.heads.size());
  }
}

void select_heads(std::span<const double> posteriors, Index size, const PruningRule& rule,
                  std::span<const Index> always, std::span<const Index> gold, Candidates& candidates) {
  candidates.heads.clear();
  candidates.begins.assign(static_cast<std::size_t>(size) + 1, 0);
  std::vector<Index> heads;
  for (Index modifier = 1; modifier < size; ++modifier) {
    auto posterior = [&](Index head) { return posteriors[static_cast<std::size_t>(head) * size + modifier]; };
    double best = 0.0;
    for (Index head = 0; head < size; ++head)
      if (head != modifier) best = std::max(best, posterior(head));
    heads.clear();
    for (Index head = 0; head < size; ++head)
      if (head != modifier && posterior(head) >= rule.threshold * best) heads.push_back(head);
    if (rule.max_heads < static_cast<Index>(heads.size())) {
      std::nth_element(heads.begin(), heads.begin() + rule.max_heads, heads.end(), [&](Index a, Index b) {
        return posterior(a) != posterior(b) ? posterior(a) > posterior(b) : a < b;
      });
      heads.resize(rule.max_heads);
    }
    heads.push_back(always[modifier]);
    if (!gold.empty()) heads.push_back(gold[modifier]);
    std::sort(heads.begin(), heads.end());
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    candidates.heads.insert(candidates.heads.end(), heads.begin(), heads.end());
    candidates.begins[modifier + 1] = static_cast<Index>(candidates.heads.size());
  }
}

}  // namespace headlong
