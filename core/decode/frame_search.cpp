#include <algorithm>
#include <numeric>

#include "decode/decoding.hpp"

namespace headlong {

namespace {

constexpr Index SWEEPS_PER_NODE = 8;

// A search that takes more nodes than this gets a better starting bound from AD3, which takes about as long as these
// nodes.
constexpr Index NODES_BEFORE_AD3 = 200;

constexpr Index NO_TREE = -2;

// Orders a heap with the largest bound first.
bool comes_later(const Node& left, const Node& right) { return left.bound < right.bound; }

bool cross(Index head, Index modifier, Index other_head, Index other_modifier) {
  const auto [left, right] = std::minmax(head, modifier);
  const auto [begin, end] = std::minmax(other_head, other_modifier);
  return (begin < left && left < end && end < right) || (left < begin && begin < right && right < end);
}

}  // namespace

// Returns the best arc into the word to branch on: a word whose second-best head costs little compared with the gap,
// and with many candidate modifiers, which depend on its head.
Index FrameDecoding::doubtful_arc(Score bound) const {
  const Descent& descent = workspace_.descent;
  Index found = -1;
  Score most = 0.0;
  const Score gap = has_tree() ? std::max(bound - solution_.score, 1e-9) : 1.0;
  for (Index word = 1; word < frames().size; ++word) {
    if (frames().lanes[word] < 2) continue;
    Index best = -1;
    Score first = NEGATIVE_INFINITY, second = NEGATIVE_INFINITY;
    for (Index arc = frames().arc_begins[word]; arc < frames().arc_begins[word + 1]; ++arc) {
      const Score deficit = arc_deficit(descent, arc);
      if (best < 0 || deficit > first)
        second = first, first = deficit, best = arc;
      else
        second = std::max(second, deficit);
    }
    const Score doubt = (1.0 + second / gap) * (0.1 + frames().fan_size(2 * word) + frames().fan_size(2 * word + 1));
    if (found < 0 || doubt > most) most = doubt, found = best;
  }
  return found;
}

// Takes the best tree of any shape and returns, among its arcs with alternatives, the one that crosses most others. -1
// if none cross, NO_TREE if two arcs cross that are in every tree.
Index FrameDecoding::crossing_arc() {
  std::vector<Index>& heads = workspace_.heads;
  workspace_.scores.resize(frames().arcs());
  for (std::size_t arc = 0; arc < frames().arcs(); ++arc) workspace_.scores[arc] = arc_deficit(workspace_.descent, arc);
  heads.resize(frames().size);
  if (best_tree(frames(), workspace_.scores, {problem_.rules.root, false}, heads, workspace_) == NEGATIVE_INFINITY)
    return NO_TREE;
  Index found = -1, most = 0;
  bool has_crossing = false;
  for (Index word = 1; word < frames().size; ++word) {
    Index count = 0;
    for (Index other = 1; other < frames().size; ++other) count += cross(heads[word], word, heads[other], other);
    has_crossing = has_crossing || count > 0;
    if (count <= most || frames().lanes[word] < 2) continue;
    most = count;
    found = word;
  }
  if (found < 0) return has_crossing ? NO_TREE : -1;
  const auto begin = frames().arc_heads.begin() + frames().arc_begins[found];
  const auto end = frames().arc_heads.begin() + frames().arc_begins[found + 1];
  return static_cast<Index>(std::find(begin, end, heads[found]) - frames().arc_heads.begin());
}

// Returns the bound for projective trees, with the deficits of the lanes moved to the tree as in `update_tree`.
Score FrameDecoding::projective_bound() {
  const Descent& descent = workspace_.descent;
  workspace_.scores.resize(frames().arcs());
  for (std::size_t arc = 0; arc < frames().arcs(); ++arc)
    workspace_.scores[arc] = descent.tree[arc] + descent.deficits[descent.lane_links[arc]];
  workspace_.heads.resize(frames().size);
  return std::accumulate(descent.values.begin(), descent.values.end(),
                         best_tree(frames(), workspace_.scores, problem_.rules, workspace_.heads, workspace_));
}

// Splits the node in two: one arc is required or forbidden. Returns the bound of both, without splitting if it is good
// enough.
Score FrameDecoding::branch(Score bound, std::vector<Node>& nodes) {
  Descent& descent = workspace_.descent;
  sweep(frames(), Direction::Still, descent);
  const bool projective = problem_.rules.projective;
  if (projective) bound = std::min(bound, projective_bound());
  if (is_good_enough(bound)) return bound;
  Index found = projective ? crossing_arc() : -1;
  if (found == NO_TREE) return NEGATIVE_INFINITY;
  if (found < 0) found = doubtful_arc(bound);
  const Index word = frames().arc_modifiers[found], head = frames().arc_heads[found];
  for (bool takes : {false, true}) {
    Node node{bound, {}, {}};
    std::vector<Index>& arcs = workspace_.kept;
    arcs.clear();
    for (Index arc = 0; arc < static_cast<Index>(frames().arcs()); ++arc) {
      if (!takes && arc == found) continue;
      if (takes && arc != found && frames().arc_modifiers[arc] == word) continue;
      if (takes && projective && cross(frames().arc_heads[arc], frames().arc_modifiers[arc], head, word)) continue;
      arcs.push_back(arc);
      node.numbers.push_back(workspace_.numbers[arc]);
    }
    save_split(descent, arcs, node.split);
    nodes.push_back(std::move(node));
    std::push_heap(nodes.begin(), nodes.end(), comes_later);
  }
  return bound;
}

void FrameDecoding::load(const Node& node, const Frames& root, std::span<const Score> scores) {
  workspace_.marks.assign(root.arcs(), 0);
  for (Index arc : node.numbers) workspace_.marks[arc] = 1;
  filter(root, scores, workspace_.marks);
  workspace_.numbers = node.numbers;
}

// Runs branch and bound on the descent. A node is a set of remaining candidates; the one with the largest bound comes
// first. Returns false if nodes are left after `max_nodes` in total.
bool FrameDecoding::search(const Frames& root, std::span<const Score> scores, Index max_nodes) {
  workspace_.numbers.resize(root.arcs());
  std::iota(workspace_.numbers.begin(), workspace_.numbers.end(), 0);
  Score closed = NEGATIVE_INFINITY;  // the largest bound of the nodes that are done
  std::vector<Node> nodes;
  const Score first = branch(solution_.bound, nodes);
  if (is_good_enough(first)) closed = first;
  while (!nodes.empty() && solution_.iterations < max_nodes && !out_of_time() && !is_good_enough(nodes.front().bound)) {
    std::pop_heap(nodes.begin(), nodes.end(), comes_later);
    const Node node = std::move(nodes.back());
    nodes.pop_back();
    ++solution_.iterations;
    load(node, root, scores);
    if (lacks_candidate()) continue;
    Score bound = node.bound;
    if (!is_decided()) {
      load_split(frames(), node.split, workspace_.descent);
      bound = std::min(bound, descend(SWEEPS_PER_NODE));
    }
    if (is_decided()) {
      const Score value = offer_tree(problem_.arc_scores) ? tree_value(problem_, workspace_.heads, workspace_.climb)
                                                          : NEGATIVE_INFINITY;
      closed = std::max(closed, value);
    } else {
      if (!is_good_enough(bound)) bound = branch(bound, nodes);
      if (is_good_enough(bound)) closed = std::max(closed, bound);
    }
  }
  workspace_.numbers.clear();
  lower(std::max({closed, solution_.score, nodes.empty() ? NEGATIVE_INFINITY : nodes.front().bound}));
  solution_.status = nodes.empty() && !has_tree() ? Status::Infeasible : Status::Unconverged;
  return nodes.empty() || is_closed();
}

// Continues from the multipliers of AD3, whose bound the descent alone does not reach.
void FrameDecoding::tighten() {
  const Index nodes = solution_.iterations;
  const SolverResult result = run_solver(true);
  solution_.iterations = nodes;
  if (is_closed() || result.status == Status::Infeasible) return;
  load_multipliers(frames(), problem_.arc_scores, workspace_.graph, result.multipliers, problem_.rules.root,
                   workspace_.descent);
  lower(descend(SWEEPS_PER_NODE));
  if (is_decided()) lower(solution_.score);
}

void FrameDecoding::search() {
  const Frames root = frames();
  const std::vector<Score> scores(problem_.arc_scores.begin(), problem_.arc_scores.end());
  workspace_.kept.resize(root.arcs());
  std::iota(workspace_.kept.begin(), workspace_.kept.end(), 0);
  ArcSplit split;
  save_split(workspace_.descent, workspace_.kept, split);
  if (search(root, scores, std::min(NODES_BEFORE_AD3, options_.node_limit())) || out_of_time() ||
      solution_.iterations >= options_.node_limit())
    return;
  workspace_.marks.assign(root.arcs(), 1);
  filter(root, scores, workspace_.marks);
  load_split(frames(), split, workspace_.descent);
  tighten();
  if (is_closed() || solution_.bound == NEGATIVE_INFINITY || out_of_time()) return;
  const Frames tightened = frames();
  search(tightened, std::vector<Score>(problem_.arc_scores.begin(), problem_.arc_scores.end()), options_.node_limit());
}

}  // namespace headlong
