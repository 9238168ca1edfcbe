#include "search/restarts.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <functional>

#include "search/climber.hpp"

namespace headlong {

std::uint64_t seed_of(const Frames& frames, std::span<const Score> arc_scores, std::uint64_t seed) {
  seed = scatter(seed + frames.size);
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    seed = scatter(seed + frames.arc_heads[arc]) ^ std::bit_cast<std::uint64_t>(arc_scores[arc]);
  return seed;
}

namespace {

// A draw takes the cube of the size, and where walks are long its fourth power: of 1,000 words, minutes.
constexpr Index LONGEST_DRAWN = 128;

// How many restarts in a row are from the best tree so far, before trees are drawn.
Index restarts_nearby(const RestartOptions& options, Index size) {
  if (options.start == ClimbStart::Nearby) return options.restarts;
  if (options.start != ClimbStart::Mixed) return 0;
  return size > LONGEST_DRAWN ? options.restarts : options.restarts - options.restarts / 2;
}

// Climbs on one sentence.
class Restarts {
 public:
  Restarts(const Frames& frames, std::span<const Score> arc_scores, RootRule root, bool projective,
           const RestartOptions& options, std::span<Index> heads, ClimbWorkspace& climb_workspace,
           RestartWorkspace& workspace, const Extras* extras)
      : frames_(frames),
        arc_scores_(arc_scores),
        draw_scores_(options.draw_scores.empty() ? arc_scores : options.draw_scores),
        root_(root),
        projective_(projective),
        options_(options),
        heads_(heads),
        workspace_(workspace),
        climber_(frames, arc_scores, root, projective, heads, climb_workspace, extras),
        random_(seed_of(frames, arc_scores, options.seed)),
        nearby_(restarts_nearby(options, frames.size)) {}

  RestartResult run() {
    workspace_.log.reserve(8 * frames_.size);  // more moves than climbs take, so that it need not grow later
    climb_afresh();
    for (Index idle = 0; idle < options_.restarts && result_.value < options_.enough; ++idle) {
      if (options_.seconds > 0.0 && seconds() > options_.seconds) {
        result_.in_time = false;
        break;
      }
      bool better;
      if (idle < nearby_ && has_tree()) {
        if (workspace_.choices.empty()) break;  // no other tree
        better = climb_nearby(idle);
      } else {
        if (!draw()) break;
        better = climb_afresh();
      }
      if (better) idle = -1;
    }
    if (has_tree()) std::copy(workspace_.best.begin(), workspace_.best.end(), heads_.begin());
    return result_;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  bool has_tree() const { return result_.value > NEGATIVE_INFINITY; }

  // Climbs from the heads, with all moves; true if that leads higher than before.
  bool climb_afresh() {
    if (!climber_.set_up()) return false;
    workspace_.log.clear();
    ++result_.climbs;
    // Extras may make a tree worth nothing, and are looked at; frames must not.
    if (climber_.frames_total() == NEGATIVE_INFINITY) return false;
    least_ = least_gain(climber_.total());
    climber_.climb(least_);
    return keep();
  }

  // Keeps the tree if it is better than the best one.
  bool keep() {
    const Score value = climber_.total();
    if (!(value > (has_tree() ? result_.value + least_ : NEGATIVE_INFINITY))) return false;
    result_.value = value;
    workspace_.best.assign(heads_.begin(), heads_.end());
    if (nearby_ > 0) {
      climber_.save(workspace_.best_flags, workspace_.log);
      list_choices();
    }
    return true;
  }

  // All other arcs of words, the cheapest first. O(arcs log arcs).
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

  // A shock to the best tree; true if the tree is now better. Otherwise it is the best one again.
  bool climb_nearby(Index idle) {
    ++result_.climbs;
    const auto& choices = workspace_.choices;
    const Index count = static_cast<Index>(choices.size());
    if (idle < std::min(count, nearby_ / 2)) {
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

  // Draws a tree; false if there is none.
  bool draw() {
    const bool uniform = options_.start == ClimbStart::Uniform;
    if (projective_) return draw_projective(uniform);
    if (!prepared_ && !prepare(workspace_.trees, frames_.arc_heads, frames_.arc_begins,
                               uniform ? std::span<const Score>() : draw_scores_, root_))
      return false;
    prepared_ = true;
    draw_tree(workspace_.trees, random_, heads_);
    return true;
  }

  bool draw_projective(bool uniform) {
    const std::size_t size = frames_.size;
    workspace_.dense.assign(size * size, NEGATIVE_INFINITY);
    for (std::size_t arc = 0; arc < frames_.arcs(); ++arc) {
      const Score noise = -std::log(-std::log(random_.uniform() + 0x1p-54));
      const Score score = draw_scores_[arc] == NEGATIVE_INFINITY ? NEGATIVE_INFINITY
                          : uniform                              ? 0.0
                                                                 : draw_scores_[arc];
      workspace_.dense[frames_.arc_heads[arc] * size + frames_.arc_modifiers[arc]] = score + noise;
    }
    return eisner(workspace_.dense, frames_.size, root_, heads_, workspace_.eisner) > NEGATIVE_INFINITY;
  }

  const Frames& frames_;
  std::span<const Score> arc_scores_, draw_scores_;
  RootRule root_;
  bool projective_;
  const RestartOptions& options_;
  std::span<Index> heads_;
  RestartWorkspace& workspace_;
  Climber climber_;
  Random random_;
  Index nearby_;  // of the restarts in vain, how many start nearby before others do
  Score least_ = 0.0;
  bool prepared_ = false;
  RestartResult result_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

RestartResult climb_often(const Frames& frames, std::span<const Score> arc_scores, RootRule root, bool projective,
                          const RestartOptions& options, std::span<Index> heads, ClimbWorkspace& climb_workspace,
                          RestartWorkspace& workspace, const Extras* extras) {
  return Restarts(frames, arc_scores, root, projective, options, heads, climb_workspace, workspace, extras).run();
}

}  // namespace headlong
