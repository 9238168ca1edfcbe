#include "graph/tree.hpp"

#include <algorithm>

#include "base/require.hpp"
#include "trees/eisner.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/mst.hpp"
#include "trees/rules.hpp"

namespace headlong {

struct TreeFactor::Workspace final : FactorWorkspace {
  std::vector<Score> scores;   // [head][modifier]
  std::vector<double> by_arc;  // [head][modifier]: marginals or max-marginals
  std::vector<Index> heads;    // [size]
  std::vector<Index> mark;     // [size]
  std::vector<Score> best;     // [size]: the best value with an arc into each word
  std::vector<Score> second;   // [size]: the best value with any other arc into it
  MstWorkspace mst;
  EisnerWorkspace eisner;
  MatrixTreeWorkspace matrix_tree;
};

TreeFactor::TreeFactor(Index size, std::vector<Arc> arcs, RootRule rule, TreeShape shape)
    : size_(size), arcs_(std::move(arcs)), rule_(rule), shape_(shape) {
  require(size >= 2 && size < 46341, "a tree factor must have 2 to 46340 words, including the root");
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(size) * size, 0);
  for (const auto& [head, modifier] : arcs_) {
    require(head >= 0 && head < size, "the head of an arc is out of range");
    require(modifier >= 1 && modifier < size, "the modifier of an arc is the root or out of range");
    require(head != modifier, "an arc connects a word to itself");
    std::uint8_t& place = seen[static_cast<std::size_t>(head) * size + modifier];
    require(place == 0, "a tree factor has the same arc twice");
    place = 1;
  }
}

std::unique_ptr<FactorWorkspace> TreeFactor::make_workspace() const { return std::make_unique<Workspace>(); }

// Writes the link scores to the dense matrix of the kernels. Arcs that are not links stay -inf after the first call.
std::span<const Score> TreeFactor::spread(std::span<const Score> scores, Workspace& workspace) const {
  if (workspace.scores.empty()) workspace.scores.assign(static_cast<std::size_t>(size_) * size_, NEGATIVE_INFINITY);
  for (std::size_t link = 0; link < arcs_.size(); ++link)
    workspace.scores[arcs_[link].head * size_ + arcs_[link].modifier] = scores[link];
  return workspace.scores;
}

Score TreeFactor::maximize(std::span<const Score> scores, FactorWorkspace& memory, Configuration& best) const {
  auto& workspace = static_cast<Workspace&>(memory);
  const auto spread_scores = spread(scores, workspace);
  workspace.heads.resize(size_);
  const Score value = shape_ == TreeShape::Projective
                          ? eisner(spread_scores, size_, rule_, workspace.heads, workspace.eisner)
                          : maximum_spanning_tree(spread_scores, size_, rule_, workspace.heads, workspace.mst);
  best.on.assign(arcs_.size(), 0);
  best.own = NEGATIVE_INFINITY;
  if (value == NEGATIVE_INFINITY) return value;
  best.own = 0.0;
  for (std::size_t link = 0; link < arcs_.size(); ++link)
    best.on[link] = workspace.heads[arcs_[link].modifier] == arcs_[link].head;
  return value;
}

Score TreeFactor::own_score(std::span<const std::uint8_t> on, FactorWorkspace& memory) const {
  auto& workspace = static_cast<Workspace&>(memory);
  workspace.heads.assign(size_, NO_HEAD);
  workspace.mark.resize(size_);
  Index found = 0;
  for (std::size_t link = 0; link < arcs_.size(); ++link) {
    if (!on[link]) continue;
    const auto& [head, modifier] = arcs_[link];
    if (workspace.heads[modifier] != NO_HEAD) return NEGATIVE_INFINITY;
    workspace.heads[modifier] = head;
    ++found;
  }
  const bool is_tree =
      found == size_ - 1 && keeps_rules(workspace.heads, rule_, shape_ == TreeShape::Projective, workspace.mark);
  return is_tree ? 0.0 : NEGATIVE_INFINITY;
}

Score TreeFactor::marginals(std::span<const Score> scores, FactorWorkspace& memory, std::span<double> marginals) const {
  auto& workspace = static_cast<Workspace&>(memory);
  const auto spread_scores = spread(scores, workspace);
  workspace.by_arc.resize(workspace.scores.size());
  const Score log_partition =
      shape_ == TreeShape::Projective
          ? eisner_marginals(spread_scores, size_, rule_, workspace.by_arc, workspace.eisner)
          : tree_marginals(spread_scores, size_, rule_, workspace.by_arc, workspace.matrix_tree);
  for (std::size_t link = 0; link < arcs_.size(); ++link)
    marginals[link] = workspace.by_arc[arcs_[link].head * size_ + arcs_[link].modifier];
  return log_partition;
}

// A word has exactly one head, so the best tree without an arc is the best tree with another arc into the same word.
Score TreeFactor::max_marginals(std::span<const Score> scores, FactorWorkspace& memory, std::span<Score> on,
                                std::span<Score> off) const {
  auto& workspace = static_cast<Workspace&>(memory);
  const auto spread_scores = spread(scores, workspace);
  workspace.by_arc.resize(workspace.scores.size());
  workspace.best.assign(size_, NEGATIVE_INFINITY);
  workspace.second.assign(size_, NEGATIVE_INFINITY);
  workspace.heads.assign(size_, NO_HEAD);  // heads of the arcs with the best value
  const Score value = shape_ == TreeShape::Projective
                          ? eisner_max_marginals(spread_scores, size_, rule_, workspace.by_arc, workspace.eisner)
                          : tree_max_marginals(spread_scores, size_, rule_, workspace.by_arc, workspace.mst);
  for (std::size_t link = 0; link < arcs_.size(); ++link) {
    const auto& [head, modifier] = arcs_[link];
    on[link] = workspace.by_arc[head * size_ + modifier];
    if (on[link] > workspace.best[modifier]) {
      workspace.second[modifier] = workspace.best[modifier];
      workspace.best[modifier] = on[link];
      workspace.heads[modifier] = head;
    } else {
      workspace.second[modifier] = std::max(workspace.second[modifier], on[link]);
    }
  }
  for (std::size_t link = 0; link < arcs_.size(); ++link) {
    const auto& [head, modifier] = arcs_[link];
    off[link] = workspace.heads[modifier] == head ? workspace.second[modifier] : workspace.best[modifier];
  }
  return value;
}

}  // namespace headlong
