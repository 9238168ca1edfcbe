// Weighted acyclic automata as factors. Head automata, chains and head sequences are all of this kind.
//
// Nodes are numbered in topological order: 0 is the start, the last one is the end. An edge can turn on one link. A
// configuration is a path from start to end: the links of its edges are on, all others are off, and its own score is
// the sum of the edge scores. No path uses a link twice. Every service is one recursion over the edges,
//   value[node] = sum over edges into node of value[source] * score(edge) * score(link of edge)
// in max-plus (the best path) or log-sum-exp (all paths). It takes O(edges).
//
// If several paths turn on the same links, the best of them gives the configuration its score, and sum-product counts
// each of them.
#pragma once

#include "graph/graph.hpp"

namespace headlong {

inline constexpr Index NO_LINK = -1;

struct AutomatonEdge {
  Index source;
  Index target;
  Index link;  // NO_LINK if none
  Score score;
};

class Automaton final : public StructuredFactor {
 public:
  // Throws std::invalid_argument, with a message, if the edges do not form an automaton as described above.
  Automaton(Index links, std::vector<AutomatonEdge> edges);

  Index links() const override { return links_; }
  Index nodes() const { return nodes_; }
  std::unique_ptr<FactorWorkspace> make_workspace() const override;
  Score maximize(std::span<const Score> scores, FactorWorkspace& workspace, Configuration& best) const override;
  Score own_score(std::span<const std::uint8_t> on, FactorWorkspace& workspace) const override;
  // Returns the largest sum of absolute scores of a path, and the number of nodes. O(edges).
  std::optional<OwnSize> own_size() const override;
  // Returns the lowest score of a path without a forbidden edge. O(edges).
  std::optional<Score> lowest_own() const override;
  bool has_marginals() const override { return true; }
  Score marginals(std::span<const Score> scores, FactorWorkspace& workspace,
                  std::span<double> marginals) const override;
  // The mean over paths. If several paths turn on the same links, each counts with its own score.
  double expected_own(std::span<const Score> scores, FactorWorkspace& workspace) const override;
  bool has_max_marginals() const override { return true; }
  // O(edges + nodes log nodes), plus O(edges) for each link of the best path without a cut.
  Score max_marginals(std::span<const Score> scores, FactorWorkspace& workspace, std::span<Score> on,
                      std::span<Score> off) const override;

 private:
  struct Workspace;

  void find_cuts();
  template <class Semiring>
  Score forward(Workspace& workspace) const;
  void trace_best_path(Workspace& workspace) const;
  // Calls visit(edge, probability) for every edge that some path can use. Returns the log-partition.
  template <class Visit>
  Score visit_edges(std::span<const Score> scores, Workspace& workspace, Visit visit) const;

  Index links_;
  Index nodes_;
  std::vector<AutomatonEdge> edges_;  // sorted by target; stable
  std::vector<Index> begins_;         // [nodes + 1]: ranges of the edges into each node
  // [links]: a node such that every edge of the link starts at or before it and ends after it, or NO_CUT. A path
  // crosses each cut once, so it cannot use such a link twice. All links of the automata for parsing have cuts.
  std::vector<Index> cuts_;
};

}  // namespace headlong
