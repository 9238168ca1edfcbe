#include "graph/automaton.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/require.hpp"
#include "base/semiring.hpp"

namespace headlong {

namespace {

constexpr Index NO_CUT = -1;

// The two best values of edges across a cut that belong to different links. Edges without a link count as one more
// link, which is never queried.
struct BestTwo {
  Score first = NEGATIVE_INFINITY;
  Score second = NEGATIVE_INFINITY;
  Index first_link = NO_LINK;

  void add(Score value, Index link) {
    if (link == first_link) {
      first = std::max(first, value);
    } else if (value > first) {
      second = first;
      first = value;
      first_link = link;
    } else {
      second = std::max(second, value);
    }
  }

  // `second` may belong to the same link as the other pair's best. Then it is not larger than that best value.
  void add(const BestTwo& other) {
    const Index front = other.first > first ? other.first_link : first_link;
    const Score behind_this = first_link == front ? second : first;
    const Score behind_other = other.first_link == front ? other.second : other.first;
    first = std::max(first, other.first);
    second = std::max(behind_this, behind_other);
    first_link = front;
  }
};

// Log-sum-exp that replaces each term by its share of the sum. Marginals need the shares; this saves a second
// exponential per edge.
struct LogSumExpWithShares : LogSumExp {
  static Score sum(Score* row, std::size_t count) {
    const Score high = MaxPlus::sum(row, count);
    if (high == zero()) {
      std::fill_n(row, count, 0.0);
      return high;
    }
    double total = 0.0;
    for (std::size_t k = 0; k < count; ++k) total += row[k] = std::exp(row[k] - high);
    for (std::size_t k = 0; k < count; ++k) row[k] /= total;
    return high + std::log(total);
  }
};

// How many links of a configuration a path has turned on, then its score: compared in this order.
struct Matched {
  Index count = -1;  // -1: no path
  Score score = NEGATIVE_INFINITY;
};

}  // namespace

struct Automaton::Workspace final : FactorWorkspace {
  // Stores the link scores after a 0 for NO_LINK, so that the recursion needs no branch.
  void set_scores(std::span<const Score> scores) {
    padded.resize(scores.size() + 1);
    padded[0] = 0.0;
    std::copy(scores.begin(), scores.end(), padded.begin() + 1);
  }
  Score& link_score(Index link) { return padded[link + 1]; }

  std::vector<Score> padded;     // [1 + links]
  std::vector<Score> value;      // [nodes]: sum over all paths from the start
  std::vector<Score> arrival;    // [edges]: value of the source times the edge; for marginals, its share of the sum
  std::vector<Score> remaining;  // [nodes]: score of the best path to the end
  std::vector<double> share;     // [nodes]: probability that a path passes through
  std::vector<Index> entering;   // [nodes]: the best edge into each node
  std::vector<Index> path;       // edges of the best path, last to first
  std::vector<Matched> matched;  // [nodes]
  std::vector<BestTwo> across;   // [levels][nodes]: entry (j, c) covers the edges across all cuts c to c + 2^j - 1
};

Automaton::Automaton(Index links, std::vector<AutomatonEdge> edges)
    : links_(links), nodes_(0), edges_(std::move(edges)) {
  require(links_ > 0, "an automaton must have at least one link");
  require(!edges_.empty(), "an automaton must have at least one edge");
  for (const AutomatonEdge& edge : edges_) {
    require(edge.source >= 0, "an edge of an automaton starts at a negative node");
    require(edge.source < edge.target, "an edge of an automaton must lead to a node with a higher number");
    require(edge.link >= NO_LINK && edge.link < links_, "an edge of an automaton names a link that does not exist");
    require(edge.score < 1e300, "a score of an automaton is NaN, +inf or larger than 1e300");
    nodes_ = std::max(nodes_, edge.target);
  }
  require(static_cast<std::size_t>(nodes_) <= edges_.size(), "a node of an automaton is unreachable");
  ++nodes_;
  std::stable_sort(edges_.begin(), edges_.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
  begins_.assign(nodes_ + 1, 0);
  for (const AutomatonEdge& edge : edges_) ++begins_[edge.target + 1];
  for (Index node = 0; node < nodes_; ++node) begins_[node + 1] += begins_[node];
  // Every node but the start has an edge from a lower node, so by induction the start reaches them all.
  for (Index node = 1; node < nodes_; ++node)
    require(begins_[node] < begins_[node + 1], "a node of an automaton is unreachable");
  find_cuts();
}

void Automaton::find_cuts() {
  std::vector<Index> last_source(links_, 0), first_target(links_, nodes_);
  for (const AutomatonEdge& edge : edges_) {
    if (edge.link == NO_LINK) continue;
    last_source[edge.link] = std::max(last_source[edge.link], edge.source);
    first_target[edge.link] = std::min(first_target[edge.link], edge.target);
  }
  cuts_.resize(links_);
  std::vector<std::uint8_t> behind(nodes_);  // whether a path that has used the link leads here
  for (Index link = 0; link < links_; ++link) {
    cuts_[link] = last_source[link] < first_target[link] ? last_source[link] : NO_CUT;
    if (cuts_[link] != NO_CUT) continue;
    std::fill(behind.begin(), behind.end(), std::uint8_t{0});
    for (const AutomatonEdge& edge : edges_) {
      require(edge.link != link || !behind[edge.source], "a path of an automaton uses the same link twice");
      if (edge.link == link || behind[edge.source]) behind[edge.target] = 1;
    }
  }
}

std::unique_ptr<FactorWorkspace> Automaton::make_workspace() const { return std::make_unique<Workspace>(); }

// Runs the recursion. Returns the sum over all paths.
template <class Semiring>
Score Automaton::forward(Workspace& workspace) const {
  workspace.value.resize(nodes_);
  workspace.arrival.resize(edges_.size());
  const std::span<Score> value = workspace.value;
  const std::span<Score> arrival = workspace.arrival;
  value[0] = Semiring::one();
  for (Index node = 1; node < nodes_; ++node) {
    const Index begin = begins_[node];
    const Index end = begins_[node + 1];
    for (Index e = begin; e < end; ++e) {
      const AutomatonEdge& edge = edges_[e];
      arrival[e] = Semiring::times(Semiring::times(value[edge.source], edge.score), workspace.link_score(edge.link));
    }
    value[node] = Semiring::sum(arrival.data() + begin, end - begin);
  }
  return value[nodes_ - 1];
}

// Reads the best path from a finished max-plus recursion with a finite total. Finds the best edge into each node again
// instead of storing it; the first one wins ties.
void Automaton::trace_best_path(Workspace& workspace) const {
  workspace.path.clear();
  for (Index node = nodes_ - 1; node > 0;) {
    const auto begin = workspace.arrival.begin() + begins_[node];
    const auto end = workspace.arrival.begin() + begins_[node + 1];
    const Index edge = begins_[node] + static_cast<Index>(std::max_element(begin, end) - begin);
    workspace.path.push_back(edge);
    node = edges_[edge].source;
  }
}

// The max-plus recursion, storing the best edge into each node. This takes 38 % fewer instructions than storing the
// value of every edge and searching again. The first edge wins ties.
Score Automaton::maximize(std::span<const Score> scores, FactorWorkspace& memory, Configuration& best) const {
  auto& workspace = static_cast<Workspace&>(memory);
  workspace.set_scores(scores);
  workspace.value.resize(nodes_);
  workspace.entering.resize(nodes_);
  const Score* const padded = workspace.padded.data() + 1;
  Score* const value = workspace.value.data();
  value[0] = 0.0;
  const AutomatonEdge* edge = edges_.data();
  for (Index node = 1; node < nodes_; ++node) {
    const AutomatonEdge* const end = edges_.data() + begins_[node + 1];
    const AutomatonEdge* chosen = edge;
    Score highest = value[edge->source] + edge->score + padded[edge->link];
    for (++edge; edge != end; ++edge) {
      const Score found = value[edge->source] + edge->score + padded[edge->link];
      chosen = found > highest ? edge : chosen;
      highest = found > highest ? found : highest;
    }
    value[node] = highest;
    workspace.entering[node] = static_cast<Index>(chosen - edges_.data());
  }
  best.on.assign(links_, 0);
  best.own = NEGATIVE_INFINITY;
  if (value[nodes_ - 1] == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;
  best.own = 0.0;
  for (Index node = nodes_ - 1; node > 0;) {
    const AutomatonEdge& taken = edges_[workspace.entering[node]];
    best.own += taken.score;
    if (taken.link != NO_LINK) best.on[taken.link] = 1;
    node = taken.source;
  }
  return value[nodes_ - 1];
}

// Forbids the links that are off. No path uses a link twice, so a path turns on all other links if and only if it uses
// as many as there are. The best pair (links used, score) decides; pairs form an ordered group, so the recursion is the
// same.
Score Automaton::own_score(std::span<const std::uint8_t> on, FactorWorkspace& memory) const {
  auto& matched = static_cast<Workspace&>(memory).matched;
  matched.assign(nodes_, {});
  matched[0] = {0, 0.0};
  for (const AutomatonEdge& edge : edges_) {
    const Matched& source = matched[edge.source];
    if (source.count < 0 || edge.score == NEGATIVE_INFINITY) continue;
    if (edge.link != NO_LINK && !on[edge.link]) continue;
    const Matched found{source.count + (edge.link != NO_LINK), source.score + edge.score};
    Matched& target = matched[edge.target];
    if (found.count > target.count || (found.count == target.count && found.score > target.score)) target = found;
  }
  const Index wanted = static_cast<Index>(std::count_if(on.begin(), on.end(), [](auto link) { return link != 0; }));
  return matched.back().count == wanted ? matched.back().score : NEGATIVE_INFINITY;
}

// The recursion in max-plus over the absolute scores of the edges that are not forbidden.
std::optional<OwnSize> Automaton::own_size() const {
  std::vector<Score> most(nodes_, NEGATIVE_INFINITY);
  most[0] = 0.0;
  for (const AutomatonEdge& edge : edges_)
    if (edge.score > NEGATIVE_INFINITY)
      most[edge.target] = std::max(most[edge.target], most[edge.source] + std::abs(edge.score));
  return OwnSize{std::max(most.back(), 0.0), nodes_};
}

// The recursion in min-plus over the edges that are not forbidden.
std::optional<Score> Automaton::lowest_own() const {
  constexpr Score NO_PATH = std::numeric_limits<Score>::infinity();
  std::vector<Score> lowest(nodes_, NO_PATH);
  lowest[0] = 0.0;
  for (const AutomatonEdge& edge : edges_)
    if (edge.score > NEGATIVE_INFINITY)
      lowest[edge.target] = std::min(lowest[edge.target], lowest[edge.source] + edge.score);
  return lowest.back() < NO_PATH ? lowest.back() : 0.0;
}

// Reverse-mode differentiation of the recursion: an edge's share of its target's sum is the probability of arriving by
// it. All terms are probabilities, so nothing overflows or cancels.
template <class Visit>
Score Automaton::visit_edges(std::span<const Score> scores, Workspace& workspace, Visit visit) const {
  workspace.set_scores(scores);
  const Score log_partition = forward<LogSumExpWithShares>(workspace);
  if (log_partition == NEGATIVE_INFINITY) return log_partition;
  workspace.share.assign(nodes_, 0.0);
  workspace.share[nodes_ - 1] = 1.0;
  for (Index node = nodes_ - 1; node > 0; --node) {
    const double share = workspace.share[node];
    if (share == 0.0) continue;
    for (Index e = begins_[node]; e < begins_[node + 1]; ++e) {
      const double part = share * workspace.arrival[e];
      if (part == 0.0) continue;
      workspace.share[edges_[e].source] += part;
      visit(edges_[e], part);
    }
  }
  return log_partition;
}

Score Automaton::marginals(std::span<const Score> scores, FactorWorkspace& memory, std::span<double> marginals) const {
  std::fill(marginals.begin(), marginals.end(), 0.0);
  return visit_edges(scores, static_cast<Workspace&>(memory), [&](const AutomatonEdge& edge, double probability) {
    if (edge.link != NO_LINK) marginals[edge.link] += probability;
  });
}

double Automaton::expected_own(std::span<const Score> scores, FactorWorkspace& memory) const {
  double mean = 0.0;
  visit_edges(scores, static_cast<Workspace&>(memory),
              [&](const AutomatonEdge& edge, double probability) { mean += probability * edge.score; });
  return mean;
}

// On: the best path through one of the link's edges, from the values on both sides. Off: if the best path does not use
// the link, its value. Otherwise, since every path crosses the link's cut exactly once, the best path that crosses it
// by an edge of another link. An edge lies across the cuts source to target - 1. The two best edges of every cut are
// found as in a sparse table: each edge is put on two ranges of 2^j cuts, and ranges are halved down to single cuts.
Score Automaton::max_marginals(std::span<const Score> scores, FactorWorkspace& memory, std::span<Score> on,
                               std::span<Score> off) const {
  auto& workspace = static_cast<Workspace&>(memory);
  workspace.set_scores(scores);
  const Score best = forward<MaxPlus>(workspace);
  std::fill(on.begin(), on.end(), NEGATIVE_INFINITY);
  std::fill(off.begin(), off.end(), best);
  if (best == NEGATIVE_INFINITY) return best;

  const int levels = std::bit_width(static_cast<std::uint32_t>(nodes_));
  workspace.across.assign(static_cast<std::size_t>(levels) * nodes_, {});
  workspace.remaining.assign(nodes_, NEGATIVE_INFINITY);
  const std::span<BestTwo> across = workspace.across;
  const std::span<Score> remaining = workspace.remaining;
  remaining[nodes_ - 1] = 0.0;
  for (Index e = static_cast<Index>(edges_.size()) - 1; e >= 0; --e) {
    const auto& [source, target, link, score] = edges_[e];
    remaining[source] = std::max(remaining[source], score + workspace.link_score(link) + remaining[target]);
    const Score through = workspace.arrival[e] + remaining[target];
    if (link != NO_LINK) on[link] = std::max(on[link], through);
    const int level = std::bit_width(static_cast<std::uint32_t>(target - source)) - 1;
    across[level * nodes_ + source].add(through, link);
    across[level * nodes_ + target - (Index{1} << level)].add(through, link);
  }
  for (int level = levels - 1; level > 0; --level) {
    const Index half = Index{1} << (level - 1);
    for (Index cut = 0; cut + 2 * half < nodes_; ++cut) {
      const BestTwo& whole = across[level * nodes_ + cut];
      across[(level - 1) * nodes_ + cut].add(whole);
      across[(level - 1) * nodes_ + cut + half].add(whole);
    }
  }

  trace_best_path(workspace);
  for (Index e : workspace.path) {
    const Index link = edges_[e].link;
    if (link == NO_LINK) continue;
    if (cuts_[link] == NO_CUT) {
      workspace.link_score(link) = NEGATIVE_INFINITY;
      off[link] = forward<MaxPlus>(workspace);
      workspace.link_score(link) = scores[link];
    } else {
      const BestTwo& two = across[cuts_[link]];
      off[link] = two.first_link == link ? two.second : two.first;
    }
  }
  return best;
}

}  // namespace headlong
