#include "decode/restarts.hpp"

#include <bit>
#include <cmath>
#include <functional>

#include "base/stop.hpp"
#include "base/threads.hpp"
#include "decode/climber.hpp"

namespace headlong {

std::uint64_t seed_of(const Frames& frames, std::span<const Score> arc_scores, std::uint64_t seed) {
  seed = scatter(seed + frames.size);
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    seed = scatter(seed + frames.arc_heads[arc]) ^ std::bit_cast<std::uint64_t>(arc_scores[arc]);
  return seed;
}

namespace {

// Drawing a tree takes the cube of the size, or its fourth power if walks are long: minutes for 1,000 words.
constexpr Index MAX_DRAWN_SIZE = 128;

// Trees that a thread draws and climbs from at a time: enough to be worth starting it.
constexpr std::size_t DRAWN_PER_THREAD = 4;

// Returns how many restarts in a row start from the best tree so far before trees are drawn.
Index count_perturbations(const DecodeOptions& options, Index size) {
  if (options.start == ClimbStart::Nearby) return options.restarts;
  if (options.start != ClimbStart::Mixed && options.start != ClimbStart::Ad3) return 0;
  return size > MAX_DRAWN_SIZE ? options.restarts : options.restarts - options.restarts / 2;
}

// Climbs with restarts on one sentence.
class Restarts {
 public:
  Restarts(const Problem& problem, const DecodeOptions& options, const RestartLimits& limits, std::span<Index> heads,
           ClimbWorkspace& climb_workspace, RestartWorkspace& workspace)
      : problem_(problem),
        frames_(*problem.frames),
        draw_scores_(limits.draw_scores.empty() ? problem.arc_scores : limits.draw_scores),
        options_(options),
        limits_(limits),
        heads_(heads),
        workspace_(workspace),
        climber_(problem, heads, climb_workspace),
        seed_(seed_of(frames_, problem.arc_scores, options.seed)),
        random_(seed_),
        perturbations_(count_perturbations(options, frames_.size)) {
    workspace_.drawing.resize(std::max<std::size_t>(options.threads, 1));
    for (DrawWorkspace& drawing : workspace_.drawing) drawing.prepared = false;
    next_ = workspace_.drawn.size();  // the trees there belong to another problem
  }

  RestartResult run() {
    workspace_.log.reserve(8 * frames_.size);  // more moves than climbs make, so it does not grow later
    climb_first();
    for (Index idle = 0; idle < options_.restarts && result_.value < limits_.enough; ++idle) {
      if (out_of_time()) {
        result_.in_time = false;
        break;
      }
      bool better;
      if (idle < perturbations_ && has_tree()) {
        if (workspace_.choices.empty()) break;  // there is no other tree
        better = perturb(idle);
      } else {
        if (next_ == workspace_.drawn.size()) draw_ahead();
        const DrawnTree& drawn = workspace_.drawn[next_++];
        if (drawn.heads.empty()) break;  // there is no tree to draw
        better = take_over(drawn);
      }
      if (better) idle = -1;
    }
    if (has_tree()) std::copy(workspace_.best.begin(), workspace_.best.end(), heads_.begin());
    return result_;
  }

 private:
  bool has_tree() const { return result_.value > NEGATIVE_INFINITY; }

  // Climbs with all moves and returns the value of the tree. A start whose extras are worth -inf is climbed from; one
  // whose frames are is not.
  static Score climb_up(Climber& climber) {
    if (climber.frames_total() == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;
    climber.climb(least_gain(climber.total()));
    return climber.total();
  }

  // Runs the first climb, from the given heads.
  void climb_first() {
    if (!climber_.set_up()) return;
    ++result_.climbs;
    if (climb_up(climber_) > NEGATIVE_INFINITY) keep();
  }

  // Keeps the tree if it is better than the best one.
  bool keep() {
    const Score value = climber_.total();
    if (!(value > (has_tree() ? result_.value + least_ : NEGATIVE_INFINITY))) return false;
    result_.value = value;
    least_ = least_gain(value);
    workspace_.best.assign(heads_.begin(), heads_.end());
    if (perturbations_ > 0) {
      climber_.save(workspace_.best_flags, workspace_.log);
      list_choices();
    }
    return true;
  }

  // Lists all arcs outside the tree, cheapest first. O(arcs log arcs).
  void list_choices() {
    workspace_.choices.clear();
    for (Index word = 1; word < frames_.size; ++word) {
      for (Index arc = frames_.arc_begins[word]; arc < frames_.arc_begins[word + 1]; ++arc) {
        const Score gain = arc == climber_.arc_of(word) ? NEGATIVE_INFINITY : climber_.gain(arc);
        if (gain > NEGATIVE_INFINITY) workspace_.choices.push_back({gain, arc});
      }
    }
    std::sort(workspace_.choices.begin(), workspace_.choices.end(), std::greater<>());
  }

  // Perturbs the best tree and climbs. Returns true if the tree is now better; otherwise restores the best tree.
  bool perturb(Index idle) {
    ++result_.climbs;
    const auto& choices = workspace_.choices;
    const Index count = static_cast<Index>(choices.size());
    if (idle < std::min(count, perturbations_ / 2)) {
      if (!climber_.force(choices[idle].second)) return false;
    } else {
      for (int i = 0; i < 2; ++i) {
        const double share = random_.uniform();
        climber_.force(choices[static_cast<Index>(count * share * share)].second);
      }
    }
    climber_.settle(least_);
    if (climber_.total() > result_.value + least_) {
      climber_.finish(least_);
      if (keep()) return true;
    }
    climber_.restore(workspace_.best_flags, workspace_.log);
    return false;
  }

  // Continues from a drawn tree if it is better than the best one.
  bool take_over(const DrawnTree& drawn) {
    ++result_.climbs;
    if (!(drawn.value > (has_tree() ? result_.value + least_ : NEGATIVE_INFINITY))) return false;
    std::copy(drawn.heads.begin(), drawn.heads.end(), heads_.begin());
    climber_.set_up();
    climb_up(climber_);
    return keep();
  }

  // Climbs from the next few drawn trees, each with a random sequence of its own.
  void draw_ahead() {
    const std::size_t threads = workspace_.drawing.size();
    workspace_.drawn.resize(threads == 1 ? 1 : DRAWN_PER_THREAD * threads);
    next_ = 0;
    parallel_for(workspace_.drawn.size(), threads, [&](std::size_t thread, std::size_t item) {
      DrawWorkspace& drawing = workspace_.drawing[thread];
      DrawnTree& drawn = workspace_.drawn[item];
      drawn.heads.resize(frames_.size);
      Random random(scatter(seed_ + drawn_ + item + 1));
      if (!draw(drawing, random, drawn.heads)) return drawn.heads.clear();
      Climber climber(problem_, drawn.heads, drawing.climb);
      drawn.value = climber.set_up() ? climb_up(climber) : NEGATIVE_INFINITY;
    });
    drawn_ += workspace_.drawn.size();
  }

  // Draws a tree. Returns false if there is none.
  bool draw(DrawWorkspace& drawing, Random& random, std::span<Index> heads) const {
    const bool uniform = options_.start == ClimbStart::Uniform;
    if (problem_.rules.projective) return draw_projective(uniform, drawing, random, heads);
    if (!drawing.prepared && !prepare(drawing.trees, frames_.arc_heads, frames_.arc_begins,
                                      uniform ? std::span<const Score>() : draw_scores_, problem_.rules.root))
      return false;
    drawing.prepared = true;
    draw_tree(drawing.trees, random, heads);
    return true;
  }

  bool draw_projective(bool uniform, DrawWorkspace& drawing, Random& random, std::span<Index> heads) const {
    const std::size_t size = frames_.size;
    drawing.dense.assign(size * size, NEGATIVE_INFINITY);
    for (std::size_t arc = 0; arc < frames_.arcs(); ++arc) {
      const Score noise = -std::log(-std::log(random.uniform() + 0x1p-54));
      const Score score = draw_scores_[arc] == NEGATIVE_INFINITY ? NEGATIVE_INFINITY
                          : uniform                              ? 0.0
                                                                 : draw_scores_[arc];
      drawing.dense[frames_.arc_heads[arc] * size + frames_.arc_modifiers[arc]] = score + noise;
    }
    return eisner(drawing.dense, frames_.size, problem_.rules.root, heads, drawing.eisner) > NEGATIVE_INFINITY;
  }

  const Problem& problem_;
  const Frames& frames_;
  std::span<const Score> draw_scores_;
  const DecodeOptions& options_;
  const RestartLimits& limits_;
  std::span<Index> heads_;
  RestartWorkspace& workspace_;
  Climber climber_;
  std::uint64_t seed_;
  Random random_;            // for restarts from the best tree
  Index perturbations_;      // how many restarts without success start from the best tree before others do
  std::uint64_t drawn_ = 0;  // number of trees drawn so far
  std::size_t next_;         // next tree of workspace_.drawn
  Score least_ = 0.0;        // smallest gain that counts
  RestartResult result_;
};

}  // namespace

RestartResult climb_with_restarts(const Problem& problem, const DecodeOptions& options, const RestartLimits& limits,
                                  std::span<Index> heads, ClimbWorkspace& climb_workspace,
                                  RestartWorkspace& workspace) {
  return Restarts(problem, options, limits, heads, climb_workspace, workspace).run();
}

}  // namespace headlong
