// A tree on its way up: the moves of climb.hpp, one by one.
#pragma once

#include <algorithm>
#include <cmath>

#include "decode/climb.hpp"

namespace headlong {

// What a move must gain: more than what rounding errors could feign, or moves might go round in circles. `value` is
// that of the tree; extras may make it -inf.
inline Score least_gain(Score value) { return 1e-9 * (1.0 + (value > NEGATIVE_INFINITY ? std::abs(value) : 0.0)); }

class Climber {
 public:
  // The heads [size] change with the tree.
  Climber(const Problem& problem, std::span<Index> heads, ClimbWorkspace& workspace)
      : frames_(*problem.frames),
        arc_scores_(problem.arc_scores),
        single_(problem.rules.root == RootRule::Single),
        projective_(problem.rules.projective),
        heads_(heads),
        state_(workspace),
        extras_(problem.extras),
        globals_(problem.global_scorer) {}

  // Reads the tree from the heads; false if one of its arcs is no candidate. All words are to be visited. O(arcs).
  bool set_up();
  // What the tree is worth, added up anew. O(size).
  Score total() const { return frames_total() + more_now(); }
  // The same without extras and globals.
  Score frames_total() const;
  // Moves until no move gains more than `least`, visiting the words that need it.
  void climb(Score least);
  // Gives a word another head, whatever it costs. The caller sees to it that no cycle comes of it. O(modifiers).
  void take(Index arc);
  // The same for several words at once: there may be cycles on the way, which globals must not see.
  void take_all(std::span<const Index> arcs);
  // Makes a word take an arc, whatever it costs, and stay there. A word that would be above itself first hands the
  // branch over that the new head is in; a root that loses its place finds a head. False, and nothing happens, if that
  // is not possible.
  bool force(Index arc);
  // Climbs with forced arcs in their place, then with all words free: by changes of heads alone.
  void settle(Score least);
  // Climbs with all moves, from a tree that was climbed to with changes of heads alone.
  void finish(Score least) {
    for (std::uint8_t& flags : state_.flags) flags |= DIRTY;
    climb(least);
  }
  // Marks this tree, which must be a local optimum, as the one to come back to.
  void save(std::vector<std::uint8_t>& flags, std::vector<Index>& log);
  // Back to that tree.
  void restore(const std::vector<std::uint8_t>& flags, std::vector<Index>& log);

  // What the tree gains if a word takes another arc, all but extras and globals: -inf - -inf never meets as long as
  // the tree itself is worth something. O(1).
  Score gain(Index arc) const { return gain(arc, loss_of_leaving(frames_.arc_modifiers[arc])); }
  Index arc_of(Index word) const { return state_.arcs[word]; }
  // Whether a word may take the arc without a cycle. O(depth).
  bool is_open(Index arc) const { return !is_above(heads_, frames_.arc_modifiers[arc], frames_.arc_heads[arc]); }
  // Whether an arc would cross none of the others. O(size).
  bool fits(Index arc) const;
  // The candidate from `head` to `modifier`, or -1.
  Index find_arc(Index head, Index modifier) const;
  // What counts beside the frames: extras and globals. Both look at the whole tree.
  bool has_more() const { return extras_ || globals_; }
  // What these are worth, and what if a word takes another arc, which must not close a cycle. O(size^2) with extras.
  Score more_now() const {
    return (extras_ ? extras_value(frames_, *extras_, heads_) : 0.0) + (globals_ ? globals_->value() : 0.0);
  }
  Score more_with(Index arc) const;
  Index root_word() const {
    return static_cast<Index>(std::find(heads_.begin() + 1, heads_.end(), 0) - heads_.begin());
  }

 private:
  static constexpr std::uint8_t DIRTY = 1;    // something around the word has changed
  static constexpr std::uint8_t BLOCKED = 2;  // a better head would close a cycle, or its arc cross another
  static constexpr std::uint8_t FROZEN = 4;   // is not to move

  Index lane(Index word) const { return word == 0 ? 0 : state_.arcs[word] - frames_.arc_begins[word]; }
  Index arc_fan(Index arc) const { return fan_of(frames_.arc_heads[arc], frames_.arc_modifiers[arc]); }
  std::span<const Index> chosen(Index fan) const {
    return std::span(state_.chosen).subspan(frames_.fan_begins[fan], state_.counts[fan]);
  }
  Score link_value(Index fan, Index place, std::span<const Index> before, std::span<const Index> behind) const;
  Score insertion(Index arc) const;
  Score removal(Index arc) const;
  Score loss_of_leaving(Index word) const { return state_.worth[state_.arcs[word]] + removal(state_.arcs[word]); }
  Score gain(Index arc, Score loss) const { return state_.worth[arc] + insertion(arc) - loss; }

  void weigh(Index word);
  void shift(Index arc);
  void mark(Index word) { state_.flags[word] |= DIRTY; }
  void block(Index word) { state_.flags[word] |= BLOCKED; }
  void mark_move(Index old, Index arc);
  bool is_due(Index word) const {
    const std::uint8_t flags = state_.flags[word];
    if (flags & FROZEN) return false;
    return (flags & DIRTY) || ((has_more() || (flags & BLOCKED)) && state_.seen[word] != moves_);
  }
  void list_bottom_up();

  bool visit(Index word);
  template <class Fits>
  Index best_arc(Index begin, Index end, Index except, Score loss, Score best, Index word, Fits fits);
  bool improve_head(Index word);
  bool turn_round(Index word);
  bool change_root(Index word);
  bool take_both(Index first, Index begin, Index end);
  bool both_fit(Index first, Index second);

  const Frames& frames_;
  std::span<const Score> arc_scores_;
  bool single_;
  bool projective_;
  std::span<Index> heads_;
  ClimbWorkspace& state_;
  const Extras* extras_;   // null: none
  GlobalScorer* globals_;  // likewise
  Score least_ = 0.0;
  Index moves_ = 0;
  bool thorough_ = true;               // whether to look at turned arcs and other roots as well
  std::vector<Index>* log_ = nullptr;  // arcs that were left, if anyone wants to know
};

}  // namespace headlong
