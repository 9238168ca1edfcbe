// The tree factor: its links are the arcs of a sentence, and the arcs that are on must form a dependency tree (Smith
// and Eisner 2008; Martins 2010). A thin layer over the kernels in trees/.
#pragma once

#include "graph/graph.hpp"

namespace headlong {

struct Arc {
  Index head;
  Index modifier;
};

enum class TreeShape : std::uint8_t { Any, Projective };

// Arcs that are not among the links do not exist. The own score of a tree is 0.
class TreeFactor final : public StructuredFactor {
 public:
  // `size` includes the root, word 0. Throws std::invalid_argument, with a message, if an arc is invalid.
  TreeFactor(Index size, std::vector<Arc> arcs, RootRule rule, TreeShape shape);

  Index links() const override { return static_cast<Index>(arcs_.size()); }
  std::unique_ptr<FactorWorkspace> make_workspace() const override;
  // O(size^2); projective O(size^3).
  Score maximize(std::span<const Score> scores, FactorWorkspace& workspace, Configuration& best) const override;
  // O(links + size); projective O(links + size^2).
  Score own_score(std::span<const std::uint8_t> on, FactorWorkspace& workspace) const override;
  // Contracting cycles changes an arc score at most once per word.
  std::optional<OwnSize> own_size() const override { return OwnSize{0.0, size_}; }
  std::optional<Score> lowest_own() const override { return 0.0; }
  bool has_marginals() const override { return true; }
  // O(size^3): the matrix-tree theorem or Eisner's recursion.
  Score marginals(std::span<const Score> scores, FactorWorkspace& workspace,
                  std::span<double> marginals) const override;
  double expected_own(std::span<const Score>, FactorWorkspace&) const override { return 0.0; }
  bool has_max_marginals() const override { return true; }
  // O(links * size^2): one spanning tree per arc outside the best one; projective O(size^3).
  Score max_marginals(std::span<const Score> scores, FactorWorkspace& workspace, std::span<Score> on,
                      std::span<Score> off) const override;

 private:
  struct Workspace;

  std::span<const Score> spread(std::span<const Score> scores, Workspace& workspace) const;

  Index size_;
  std::vector<Arc> arcs_;  // [links]
  RootRule rule_;
  TreeShape shape_;
};

}  // namespace headlong
