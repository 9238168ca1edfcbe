#include "parser/tree_decoders.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "parts/keep.hpp"
#include "solvers/ad3.hpp"
#include "solvers/subgradient.hpp"

namespace headlong {

Score best_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeRules& rules, std::span<Index> heads,
                TreeWorkspace& workspace) {
  const std::size_t size = frames.size;
  workspace.dense.assign(size * size, NEGATIVE_INFINITY);
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    workspace.dense[frames.arc_heads[arc] * size + frames.arc_modifiers[arc]] = arc_scores[arc];
  return rules.projective ? eisner(workspace.dense, frames.size, rules.root, heads, workspace.eisner)
                          : maximum_spanning_tree(workspace.dense, frames.size, rules.root, heads, workspace.mst);
}

namespace {

constexpr Index SWEEPS_A_ROUND = 8;  // between looks at the tree
constexpr Index SWEEPS_A_NODE = 8;   // of the search

// What is left of the problem at a node of the search.
struct Node {
  Score bound;
  std::vector<Index> numbers;  // of the arcs that are left, in the first node
  ArcSplit split;              // of these
};

// Largest bound first.
bool comes_later(const Node& left, const Node& right) { return left.bound < right.bound; }

constexpr Index NO_TREE = -2;

bool cross(Index head, Index modifier, Index other_head, Index other_modifier) {
  const auto [left, right] = std::minmax(head, modifier);
  const auto [begin, end] = std::minmax(other_head, other_modifier);
  return (begin < left && left < end && end < right) || (left < begin && begin < right && right < end);
}

// What an arc costs in its two automata.
Score arc_deficit(const Descent& descent, std::size_t arc) {
  const Index link = descent.lane_links[arc];
  return descent.deficits[link] + descent.deficits[descent.others[link]];
}

// One sentence: its candidates, as far as they are not yet excluded, and the best tree so far.
class Decoding final : public Rounder {
 public:
  Decoding(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
           TreeWorkspace& workspace, TreeSolution& solution)
      : frames_(&frames), arc_scores_(arc_scores), options_(options), workspace_(workspace), solution_(solution) {}

  void run();

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  bool out_of_time() const { return options_.time_limit > 0.0 && seconds() > options_.time_limit; }
  bool has_tree() const { return solution_.score > NEGATIVE_INFINITY; }
  bool is_closed() const {
    return has_tree() && std::isfinite(solution_.bound) && closes(solution_.score, solution_.bound, options_.tolerance);
  }

  // The best tree under the relaxed values, the scores breaking ties, improved by local search.
  bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) override;
  bool offer_tree(std::span<const Score> scores);
  void offer(Score value);
  void lower(Score bound) { solution_.bound = std::min(solution_.bound, std::max(bound, excluded_)); }
  void keep(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks);
  bool drop_arcs(Score bound);
  // Whether a word has no candidate left.
  bool has_gap() const {
    for (Index word = 1; word < frames_->size; ++word)
      if (frames_->lanes[word] == 0) return true;
    return false;
  }
  bool is_good_enough(Score bound) const {
    return bound == NEGATIVE_INFINITY || (has_tree() && closes(solution_.score, bound, options_.tolerance));
  }
  Score descend(Index max_sweeps);
  void start();
  // Whether every word has one candidate left.
  bool is_decided() const { return frames_->arcs() + 1 == static_cast<std::size_t>(frames_->size); }
  void search();
  Index doubtful_arc(Score bound) const;
  Index crossing_arc();
  Score projective_bound();
  Score branch(Score bound, std::vector<Node>& nodes);
  void load(const Node& node, const Frames& root, std::span<const Score> scores);
  void run_solver(bool descended);

  const Frames* frames_;
  std::span<const Score> arc_scores_;
  const TreeOptions& options_;
  TreeWorkspace& workspace_;
  TreeSolution& solution_;
  Score excluded_ = NEGATIVE_INFINITY;  // no tree with an arc that was dropped is worth more
  int buffer_ = 0;                      // which frames of the workspace come next
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

bool Decoding::round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) {
  Score largest = 1.0;
  for (Score score : arc_scores_)
    if (score > NEGATIVE_INFINITY) largest = std::max(largest, std::abs(score));
  workspace_.scores.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc)
    workspace_.scores[arc] = relaxed[arc] + 1e-3 * arc_scores_[arc] / largest;
  if (!offer_tree(workspace_.scores)) return false;
  assignment_of(*frames_, workspace_.heads, assignment);
  return true;
}

// Climbs from the best tree under the scores (with the method Arcs, stays there), and keeps the result if it is better.
// False: there is no tree.
bool Decoding::offer_tree(std::span<const Score> scores) {
  std::vector<Index>& heads = workspace_.heads;
  heads.resize(frames_->size);
  if (best_tree(*frames_, scores, options_.rules, heads, workspace_) == NEGATIVE_INFINITY) return false;
  const Score value = tree_value(*frames_, arc_scores_, heads, workspace_.climb);
  if (options_.method == TreeMethod::Arcs)
    offer(value);
  else if (value > NEGATIVE_INFINITY)
    offer(climb(*frames_, arc_scores_, options_.rules.root, options_.rules.projective, heads, workspace_.climb));
  return true;
}

// Takes over the heads of the workspace if they are better.
void Decoding::offer(Score value) {
  if (!(value > solution_.score)) return;
  solution_.score = value;
  solution_.heads.assign(workspace_.heads.begin(), workspace_.heads.end());
}

// Goes on with the arcs of `from` that are marked.
void Decoding::keep(const Frames& from, std::span<const Score> scores, std::span<const std::uint8_t> marks) {
  Frames& reduced = workspace_.frames[buffer_];
  std::vector<Score>& reduced_scores = workspace_.arc_scores[buffer_];
  keep_arcs(from, marks, reduced, workspace_.kept);
  reduced_scores.resize(workspace_.kept.size());
  for (std::size_t arc = 0; arc < reduced_scores.size(); ++arc) reduced_scores[arc] = scores[workspace_.kept[arc]];
  frames_ = &reduced;
  arc_scores_ = reduced_scores;
  buffer_ = 1 - buffer_;
}

// Drops the arcs that no better tree has; false if that is not worth the while.
bool Decoding::drop_arcs(Score bound) {
  if (!has_tree()) return false;
  // Half of what a certificate allows, so that ties go as well.
  const Score threshold = solution_.score + 0.5 * options_.tolerance * std::max(1.0, std::abs(solution_.score));
  workspace_.keep.resize(frames_->arcs());
  std::size_t count = needed_arcs(*frames_, bound, threshold, workspace_.descent, workspace_.keep);
  // Before a search the best tree stays: the solver starts from it.
  for (std::size_t arc = 0; arc < frames_->arcs() && workspace_.numbers.empty(); ++arc)
    if (!workspace_.keep[arc] && solution_.heads[frames_->arc_modifiers[arc]] == frames_->arc_heads[arc])
      workspace_.keep[arc] = 1, ++count;
  if (count > 0.9 * frames_->arcs()) return false;
  excluded_ = std::max(excluded_, threshold);
  keep(*frames_, arc_scores_, workspace_.keep);
  save_split(workspace_.descent, workspace_.kept, workspace_.split);
  load_split(*frames_, workspace_.split, workspace_.descent);
  for (std::size_t arc = 0; arc < count && !workspace_.numbers.empty(); ++arc)
    workspace_.numbers[arc] = workspace_.numbers[workspace_.kept[arc]];
  if (!workspace_.numbers.empty()) workspace_.numbers.resize(count);
  return true;
}

// The descent, with rounding and dropping arcs now and then, as long as it gets on. Returns a bound on all trees with
// the arcs at hand, or something below what is excluded if there are none that count.
Score Decoding::descend(Index max_sweeps) {
  Descent& descent = workspace_.descent;
  Score bound = std::numeric_limits<Score>::infinity(), earlier = bound;
  for (Index count = 1; count <= max_sweeps; ++count) {
    bound = sweep(*frames_, count % 2 == 1 ? Direction::Forward : Direction::Backward, descent);
    ++solution_.sweeps;
    if (is_good_enough(bound) || out_of_time()) return bound;
    if (count % SWEEPS_A_ROUND != 0) continue;
    bound = ask_tree(*frames_, options_.rules.root, descent);
    if (is_good_enough(bound)) return bound;
    bound = sweep(*frames_, Direction::Still, descent);
    workspace_.scores.resize(frames_->arcs());
    for (std::size_t arc = 0; arc < frames_->arcs(); ++arc) workspace_.scores[arc] = arc_deficit(descent, arc);
    offer_tree(workspace_.scores);
    if (is_good_enough(bound)) return bound;
    const bool dropped = drop_arcs(bound);
    if (has_gap()) return excluded_;
    const Score gap = bound - solution_.score;
    if (!dropped && gap > 0.7 * earlier) break;
    earlier = gap;
  }
  return bound;
}

// The best arc into a word that is in doubt: one whose second best head costs little beside the gap, and with many
// candidate modifiers, on which its head depends.
Index Decoding::doubtful_arc(Score bound) const {
  const Descent& descent = workspace_.descent;
  Index found = -1;
  Score most = 0.0;
  const Score gap = has_tree() ? std::max(bound - solution_.score, 1e-9) : 1.0;
  for (Index word = 1; word < frames_->size; ++word) {
    if (frames_->lanes[word] < 2) continue;
    Index best = -1;
    Score first = NEGATIVE_INFINITY, second = NEGATIVE_INFINITY;
    for (Index arc = frames_->arc_begins[word]; arc < frames_->arc_begins[word + 1]; ++arc) {
      const Score deficit = arc_deficit(descent, arc);
      if (best < 0 || deficit > first)
        second = first, first = deficit, best = arc;
      else
        second = std::max(second, deficit);
    }
    const Score doubt = (1.0 + second / gap) * (0.1 + frames_->fan_size(2 * word) + frames_->fan_size(2 * word + 1));
    if (found < 0 || doubt > most) most = doubt, found = best;
  }
  return found;
}

// Of the arcs that cross others in the best tree of any shape, the one that crosses most and could be another; -1 if
// none cross, NO_TREE if two cross that are in all trees.
Index Decoding::crossing_arc() {
  std::vector<Index>& heads = workspace_.heads;
  workspace_.scores.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc) workspace_.scores[arc] = arc_deficit(workspace_.descent, arc);
  heads.resize(frames_->size);
  if (best_tree(*frames_, workspace_.scores, {options_.rules.root, false}, heads, workspace_) == NEGATIVE_INFINITY)
    return NO_TREE;
  Index found = -1, most = 0;
  bool has_crossing = false;
  for (Index word = 1; word < frames_->size; ++word) {
    Index count = 0;
    for (Index other = 1; other < frames_->size; ++other) count += cross(heads[word], word, heads[other], other);
    has_crossing = has_crossing || count > 0;
    if (count <= most || frames_->lanes[word] < 2) continue;
    most = count;
    found = word;
  }
  if (found < 0) return has_crossing ? NO_TREE : -1;
  const auto begin = frames_->arc_heads.begin() + frames_->arc_begins[found];
  const auto end = frames_->arc_heads.begin() + frames_->arc_begins[found + 1];
  return static_cast<Index>(std::find(begin, end, heads[found]) - frames_->arc_heads.begin());
}

// The bound if the tree has to be projective: with the deficits of the lanes moved to it, as in `ask_tree`.
Score Decoding::projective_bound() {
  const Descent& descent = workspace_.descent;
  workspace_.scores.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc)
    workspace_.scores[arc] = descent.tree[arc] + descent.deficits[descent.lane_links[arc]];
  workspace_.heads.resize(frames_->size);
  return std::accumulate(descent.values.begin(), descent.values.end(),
                         best_tree(*frames_, workspace_.scores, options_.rules, workspace_.heads, workspace_));
}

// Splits what is left in two: one arc is taken, or not. Returns the bound of both, and leaves it at that if that is
// good enough.
Score Decoding::branch(Score bound, std::vector<Node>& nodes) {
  Descent& descent = workspace_.descent;
  sweep(*frames_, Direction::Still, descent);
  const bool projective = options_.rules.projective;
  if (projective) bound = std::min(bound, projective_bound());
  if (is_good_enough(bound)) return bound;
  Index found = projective ? crossing_arc() : -1;
  if (found == NO_TREE) return NEGATIVE_INFINITY;
  if (found < 0) found = doubtful_arc(bound);
  const Index word = frames_->arc_modifiers[found], head = frames_->arc_heads[found];
  for (bool takes : {false, true}) {
    Node node{bound, {}, {}};
    std::vector<Index>& arcs = workspace_.kept;
    arcs.clear();
    for (Index arc = 0; arc < static_cast<Index>(frames_->arcs()); ++arc) {
      if (!takes && arc == found) continue;
      if (takes && arc != found && frames_->arc_modifiers[arc] == word) continue;
      if (takes && projective && cross(frames_->arc_heads[arc], frames_->arc_modifiers[arc], head, word)) continue;
      arcs.push_back(arc);
      node.numbers.push_back(workspace_.numbers[arc]);
    }
    save_split(descent, arcs, node.split);
    nodes.push_back(std::move(node));
    std::push_heap(nodes.begin(), nodes.end(), comes_later);
  }
  return bound;
}

void Decoding::load(const Node& node, const Frames& root, std::span<const Score> scores) {
  workspace_.keep.assign(root.arcs(), 0);
  for (Index arc : node.numbers) workspace_.keep[arc] = 1;
  keep(root, scores, workspace_.keep);
  workspace_.numbers = node.numbers;
}

// Branch and bound on the descent: nodes are what is left of the candidates, the one with the largest bound comes
// first.
void Decoding::search() {
  const Frames root = *frames_;
  const std::vector<Score> scores(arc_scores_.begin(), arc_scores_.end());
  workspace_.numbers.resize(root.arcs());
  std::iota(workspace_.numbers.begin(), workspace_.numbers.end(), 0);
  Score closed = NEGATIVE_INFINITY;  // the largest bound of what need not be looked at any more
  std::vector<Node> nodes;
  const Score first = branch(solution_.bound, nodes);
  if (is_good_enough(first)) closed = first;
  while (!nodes.empty() && solution_.iterations < options_.max_nodes && !out_of_time() &&
         !is_good_enough(nodes.front().bound)) {
    std::pop_heap(nodes.begin(), nodes.end(), comes_later);
    const Node node = std::move(nodes.back());
    nodes.pop_back();
    ++solution_.iterations;
    load(node, root, scores);
    if (has_gap()) continue;
    Score bound = node.bound;
    if (!is_decided()) {
      load_split(*frames_, node.split, workspace_.descent);
      bound = std::min(bound, descend(SWEEPS_A_NODE));
    }
    if (is_decided()) {
      const Score value = offer_tree(arc_scores_)
                              ? tree_value(*frames_, arc_scores_, workspace_.heads, workspace_.climb)
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
}

SolverResult call_solver(const Graph& graph, const TreeOptions& options, const Start& start, double seconds) {
  GraphWorkspace workspace(graph);
  if (options.method == TreeMethod::Subgradient) {
    SubgradientOptions subgradient_options;
    subgradient_options.max_iterations = options.max_iterations;
    subgradient_options.time_limit = seconds;
    subgradient_options.tolerance = options.tolerance;
    subgradient_options.start = start;
    return subgradient(graph, subgradient_options, workspace);
  }
  Ad3Options ad3_options;
  ad3_options.max_iterations = options.max_iterations;
  ad3_options.time_limit = seconds;
  ad3_options.tolerance = options.tolerance;
  ad3_options.start = start;
  return ad3(graph, ad3_options, workspace);
}

// The descent on all arcs that can be.
void Decoding::start() {
  workspace_.keep.resize(frames_->arcs());
  for (std::size_t arc = 0; arc < frames_->arcs(); ++arc) workspace_.keep[arc] = arc_scores_[arc] > NEGATIVE_INFINITY;
  if (std::count(workspace_.keep.begin(), workspace_.keep.end(), 0) > 0) keep(*frames_, arc_scores_, workspace_.keep);
  start_descent(*frames_, arc_scores_, workspace_.descent);
  workspace_.numbers.clear();
  lower(descend(std::max(options_.max_sweeps, 1)));
  if (is_decided() && has_tree()) lower(solution_.score);
}

// Hands what is left to the solver, with the best tree and the multipliers that the descent has reached.
void Decoding::run_solver(bool descended) {
  build_tree_graph(*frames_, arc_scores_, options_.rules, workspace_.graph);
  Start start;
  start.rounder = this;
  if (has_tree()) {
    workspace_.assignment.resize(frames_->arcs());
    assignment_of(*frames_, solution_.heads, workspace_.assignment);
    start.assignment = workspace_.assignment;
  }
  if (descended) {
    multipliers_of(*frames_, workspace_.graph, workspace_.descent, workspace_.multipliers);
    start.multipliers = workspace_.multipliers;
  }
  // Never 0, which would mean no limit.
  const double left = options_.time_limit > 0.0 ? std::max(options_.time_limit - seconds(), 1e-9) : 0.0;
  const SolverResult result = call_solver(workspace_.graph, options_, start, left);
  solution_.arcs = static_cast<Index>(frames_->arcs());
  solution_.iterations = result.iterations;
  solution_.status = result.status;
  if (!result.assignment.empty()) {
    workspace_.heads.resize(frames_->size);
    heads_of(*frames_, result.assignment, workspace_.heads);
    offer(tree_value(*frames_, arc_scores_, workspace_.heads, workspace_.climb));
  }
  lower(result.bound);
}

void Decoding::run() {
  solution_ = {};
  const bool possible = frames_->size > 1 && offer_tree(arc_scores_);
  if (!has_tree()) solution_.heads = workspace_.heads;
  solution_.arcs = static_cast<Index>(frames_->arcs());
  if (frames_->size == 1) {
    workspace_.heads.assign(1, NO_HEAD);
    offer(frame_value(*frames_, 0, 0, {}, {}));
    lower(solution_.score);
  } else if (!possible) {
    lower(NEGATIVE_INFINITY);
  } else if (options_.method != TreeMethod::Climb && options_.method != TreeMethod::Arcs) {
    const bool searches = options_.method == TreeMethod::Exact;
    const bool descends = options_.max_sweeps > 0 || searches;
    if (descends) start();
    if (!is_closed() && solution_.bound > NEGATIVE_INFINITY) {
      if (searches)
        search();
      else
        run_solver(descends);
    }
  }
  if (!has_tree()) {
    if (solution_.bound == NEGATIVE_INFINITY) solution_.status = Status::Infeasible;
    return;
  }
  solution_.bound = std::max(solution_.bound, solution_.score);
  solution_.certified = is_closed();
  if (solution_.certified)
    solution_.status = Status::Optimal;
  else if (solution_.status == Status::Optimal)
    solution_.status = Status::Unconverged;
}

}  // namespace

void solve_tree(const Frames& frames, std::span<const Score> arc_scores, const TreeOptions& options,
                TreeWorkspace& workspace, TreeSolution& solution) {
  Decoding(frames, arc_scores, options, workspace, solution).run();
}

}  // namespace headlong
