#include "decode/sampler.hpp"

#include <cmath>

#include "base/stop.hpp"
#include "decode/restarts.hpp"

namespace headlong {

namespace {

constexpr Index HEADS_PER_PROPOSAL = 4;  // as in the paper
constexpr Index SWEEPS_PER_TREE = 4;     // average number of sweeps between proposals of whole trees: few are accepted
constexpr Index MAX_STARTS = 100;        // trees to draw in search of a start with a finite value
constexpr double FINAL_TEMPERATURE = 0.01;  // the last temperature relative to the first
constexpr double MIN_TEMPERATURE = 1e-12;   // below this temperature only the best choices are left anyway

}  // namespace

Sampler::Sampler(const Problem& problem, const DecodeOptions& options, std::span<Index> heads,
                 ClimbWorkspace& climb_workspace, SamplerWorkspace& workspace)
    : frames_(*problem.frames),
      arc_scores_(problem.arc_scores),
      root_(problem.rules.root),
      projective_(problem.rules.projective),
      options_(options),
      heads_(heads),
      workspace_(workspace),
      climber_(problem, heads, climb_workspace),
      random_(seed_of(frames_, problem.arc_scores, options.seed)) {}

bool Sampler::can_be_root(Index word) const {
  const Index begin = frames_.arc_begins[word];  // heads are sorted
  return begin < frames_.arc_begins[word + 1] && frames_.arc_heads[begin] == 0;
}

bool Sampler::set_up() {
  const std::size_t size = frames_.size;
  workspace_.scores.assign(arc_scores_.begin(), arc_scores_.end());
  for (Score& score : workspace_.scores) score /= options_.temperature;
  if (!prepare(workspace_.trees, frames_.arc_heads, frames_.arc_begins, workspace_.scores, root_)) return false;
  workspace_.words.clear();
  workspace_.root_words.clear();
  for (Index word = 1; word < frames_.size; ++word) {
    workspace_.words.push_back(word);
    if (can_be_root(word)) workspace_.root_words.push_back(word);
  }
  workspace_.marked.assign(size, 0);
  workspace_.proposal.resize(size);
  workspace_.left.reserve(size);
  workspace_.taken.reserve(size);
  // A sentence without words has one tree, which `heads` already is.
  for (Index start = 0; start < MAX_STARTS; ++start) {
    // If an arc of the tree is not a candidate, the climber has no arcs to look at.
    const bool is_within = climber_.set_up() && std::all_of(workspace_.words.begin(), workspace_.words.end(),
                                                            [this](Index word) { return fits(word); });
    value_ = is_within ? climber_.total() : NEGATIVE_INFINITY;
    if (value_ > NEGATIVE_INFINITY) return true;
    draw_tree(workspace_.trees, random_, heads_);
  }
  return false;
}

Index Sampler::steps() const {
  const Index words = frames_.size - 1;
  if (words == 0) return 0;
  return options_.kernel == SamplerKernel::Gibbs ? words + 1
                                                 : (words + HEADS_PER_PROPOSAL - 1) / HEADS_PER_PROPOSAL + 2;
}

bool Sampler::step(Index number, double temperature) {
  const Index last = steps() - 1;
  temperature = std::max(temperature, MIN_TEMPERATURE);
  if (number == last) return random_.below(SWEEPS_PER_TREE) == 0 && redraw_all(temperature);
  const bool gibbs = options_.kernel == SamplerKernel::Gibbs;
  if (!gibbs && number < last - 1) return redraw(temperature);
  const std::vector<Index>& words = gibbs ? workspace_.words : workspace_.root_words;
  return visit(words[random_.below(static_cast<std::uint32_t>(words.size()))], temperature);
}

void Sampler::sweep(double temperature) {
  for (Index number = 0; number < steps(); ++number) step(number, temperature);
  refresh();
}

// Draws a word's head or, under the single-root rule, its head and the head of the root. The set of trees to choose
// from is the same for each of them.
bool Sampler::visit(Index word, double temperature) {
  const bool single = root_ == RootRule::Single;
  if (single && heads_[word] == 0) return false;
  std::vector<SamplerChoice>& choices = workspace_.choices;
  choices.assign(1, {0.0, climber_.arc_of(word), -1});
  list_heads(word);
  if (single && can_be_root(word)) list_roots(word);
  if (choices.size() == 1) return false;
  Score largest = 0.0;
  for (const SamplerChoice& choice : choices) largest = std::max(largest, choice.gain);
  std::vector<double>& sums = workspace_.sums;
  sums.clear();
  for (const SamplerChoice& choice : choices)
    sums.push_back((sums.empty() ? 0.0 : sums.back()) + std::exp((choice.gain - largest) / temperature));
  const Index drawn = draw_place(sums, random_);
  if (drawn == 0) return false;
  climber_.take(choices[drawn].first);
  if (choices[drawn].second >= 0) climber_.take(choices[drawn].second);
  value_ += choices[drawn].gain;
  return true;
}

// Lists the other heads that a word may have. Under the single-root rule, `list_roots` handles root arcs.
void Sampler::list_heads(Index word) {
  const Score before = climber_.extras_and_globals();
  for (Index arc = frames_.arc_begins[word]; arc < frames_.arc_begins[word + 1]; ++arc) {
    if (arc == climber_.arc_of(word) || (root_ == RootRule::Single && frames_.arc_heads[arc] == 0)) continue;
    Score gain = climber_.gain(arc);
    if (gain == NEGATIVE_INFINITY || !climber_.is_open(arc) || (projective_ && !climber_.fits(arc))) continue;
    gain += climber_.extras_and_globals_with(arc) - before;
    if (gain > NEGATIVE_INFINITY) workspace_.choices.push_back({gain, arc, -1});
  }
}

// Lists the trees in which a word becomes the only root and the old root is below it. Sums their values from scratch,
// because the trees in between may be worth -inf: O(size) each, but few words can be the root.
void Sampler::list_roots(Index word) {
  const Index root = climber_.root_word(), old_root_arc = climber_.arc_of(root), old_arc = climber_.arc_of(word);
  const Index first = frames_.arc_begins[word];
  climber_.take(first);
  for (Index arc = frames_.arc_begins[root]; arc < frames_.arc_begins[root + 1]; ++arc) {
    if (frames_.arc_heads[arc] == 0 || !climber_.is_open(arc)) continue;
    climber_.take(arc);
    const Score value = climber_.total();
    if (value > NEGATIVE_INFINITY && fits(word) && fits(root))
      workspace_.choices.push_back({value - value_, first, arc});
  }
  climber_.take(old_root_arc);
  climber_.take(old_arc);
}

// Proposes new heads for some words.
bool Sampler::redraw(double temperature) {
  std::vector<Index>& words = workspace_.words;
  const Index count = static_cast<Index>(words.size()), redrawn = std::min(HEADS_PER_PROPOSAL, count);
  for (Index i = 0; i < redrawn; ++i) {
    std::swap(words[i], words[i + random_.below(static_cast<std::uint32_t>(count - i))]);
    workspace_.marked[words[i]] = 1;
  }
  std::copy(heads_.begin(), heads_.end(), workspace_.proposal.begin());
  redraw_heads(workspace_.trees, workspace_.marked, random_, workspace_.proposal);
  for (Index i = 0; i < redrawn; ++i) workspace_.marked[words[i]] = 0;
  return propose(temperature);
}

// Proposes a new tree.
bool Sampler::redraw_all(double temperature) {
  draw_tree(workspace_.trees, random_, workspace_.proposal);
  return propose(temperature);
}

// Accepts or rejects the proposal. It was drawn in proportion to exp(arc scores / first temperature) among the trees
// that can lead back.
bool Sampler::propose(double temperature) {
  std::vector<Index>&left = workspace_.left, &taken = workspace_.taken;
  left.clear();
  taken.clear();
  Score first_order = 0.0;
  for (Index word = 1; word < frames_.size; ++word) {
    if (workspace_.proposal[word] == heads_[word]) continue;
    const Index old = climber_.arc_of(word), arc = climber_.find_arc(workspace_.proposal[word], word);
    first_order += workspace_.scores[arc] - workspace_.scores[old];
    taken.push_back(arc);
    left.push_back(old);
  }
  if (left.empty()) return false;
  climber_.take_all(taken);
  const bool is_within =
      std::all_of(left.begin(), left.end(), [this](Index arc) { return fits(frames_.arc_modifiers[arc]); });
  const Score value = is_within ? climber_.total() : NEGATIVE_INFINITY;
  if (std::log(random_.uniform()) < (value - value_) / temperature - first_order) {
    value_ = value;
    return true;
  }
  climber_.take_all(left);
  return false;
}

SampleResult sample_best(const Problem& problem, const DecodeOptions& options, std::span<Index> heads,
                         ClimbWorkspace& climb_workspace, SamplerWorkspace& workspace) {
  SampleResult result;
  Sampler sampler(problem, options, heads, climb_workspace, workspace);
  workspace.best.assign(heads.begin(), heads.end());
  if (!sampler.set_up()) {
    std::copy(workspace.best.begin(), workspace.best.end(), heads.begin());  // within the rules, unlike the drawn trees
    return result;
  }
  result.value = sampler.value();
  workspace.best.assign(heads.begin(), heads.end());
  const Score least = least_gain(result.value);
  const double cooling = std::pow(FINAL_TEMPERATURE, 1.0 / options.samples);
  double temperature = options.temperature;
  for (Index idle = 0; idle < options.samples && result.in_time; ++idle, ++result.sweeps) {
    for (Index number = 0; number < sampler.steps() && result.in_time; ++number) {
      if (sampler.step(number, temperature) && sampler.value() > result.value + least) {
        result.value = sampler.value();
        workspace.best.assign(heads.begin(), heads.end());
        idle = -1;
      }
      result.in_time = !out_of_time();
    }
    sampler.refresh();
    temperature = std::max(temperature * cooling, options.temperature * FINAL_TEMPERATURE);
  }
  std::copy(workspace.best.begin(), workspace.best.end(), heads.begin());
  result.value = tree_value(problem, heads, climb_workspace);
  return result;
}

}  // namespace headlong
