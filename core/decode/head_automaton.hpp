// The head automaton: one head of a sentence with its own head and all its modifiers (Koo et al. 2010; Martins 2013).
//
// Its links are, in this order: one per lane (the candidate arcs into the head; none for the root), the modifiers of
// the left fan by place, and those of the right fan. Exactly one lane is on, and any modifiers. The own score is
// `frame_value`. Both sides share the head's own head in one factor, which is tighter than one factor per side.
#pragma once

#include "graph/automaton.hpp"
#include "parts/frames.hpp"

namespace headlong {

class HeadAutomaton final : public StructuredFactor {
 public:
  // Does not own the frames, which must outlive the factor.
  HeadAutomaton(const Frames& frames, Index head);

  Index links() const override { return lane_links_ + sizes_[0] + sizes_[1]; }
  // Returns the number of links that are lanes: 0 for the root.
  Index lane_links() const { return lane_links_; }
  std::unique_ptr<FactorWorkspace> make_workspace() const override;
  // O(lanes * pairs), with triples O(lanes * triples), vectorized over lanes.
  Score maximize(std::span<const Score> scores, FactorWorkspace& workspace, Configuration& best) const override;
  Score own_score(std::span<const std::uint8_t> on, FactorWorkspace& workspace) const override;
  // Sums the largest absolute scores, or the lowest scores, at each place. O(parts).
  std::optional<OwnSize> own_size() const override;
  std::optional<Score> lowest_own() const override;
  bool has_marginals() const override { return true; }
  Score marginals(std::span<const Score> scores, FactorWorkspace& workspace,
                  std::span<double> marginals) const override;
  // Uses `edges`.
  double expected_own(std::span<const Score> scores, FactorWorkspace& workspace) const override;
  bool has_max_marginals() const override { return true; }
  // Runs two recursions per side, and one more for each modifier of the best configuration.
  Score max_marginals(std::span<const Score> scores, FactorWorkspace& workspace, std::span<Score> on,
                      std::span<Score> off) const override;
  // Returns the same factor as a weighted automaton, for the rows of linear programs.
  std::vector<AutomatonEdge> edges() const;

 private:
  struct Workspace;

  // Sums measure(scores, count) over the rows of parts, of which a configuration has at most one part each.
  template <class Measure>
  Score sum_rows(Measure measure) const;
  template <class Semiring>
  void forward(std::span<const Score> scores, Workspace& workspace) const;

  const Frames* frames_;
  Index head_;
  Index lanes_;
  Index lane_links_;
  Index sizes_[2];
};

// Appends the arcs of a head in the order of its automaton's links. O(links).
void append_links(const Frames& frames, Index head, std::vector<Index>& arcs);

}  // namespace headlong
