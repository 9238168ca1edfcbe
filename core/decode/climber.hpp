// A tree that hill climbing improves: the moves of climb.hpp, one at a time.
#pragma once

#include <algorithm>
#include <cmath>

#include "decode/climb.hpp"

namespace headlong {

// Returns the smallest gain that counts. Smaller ones could be rounding errors and make moves repeat forever. `value`
// is that of the tree, which extras can make -inf.
inline Score least_gain(Score value) { return 1e-9 * (1.0 + (value > NEGATIVE_INFINITY ? std::abs(value) : 0.0)); }

class Climber {
 public:
  // The climber updates `heads` [size] as the tree changes.
  Climber(const Problem& problem, std::span<Index> heads, ClimbWorkspace& workspace)
      : frames_(*problem.frames),
        arc_scores_(problem.arc_scores),
        single_(problem.rules.root == RootRule::Single),
        projective_(problem.rules.projective),
        heads_(heads),
        state_(workspace),
        extras_(problem.extras),
        globals_(problem.global_scorer) {}

  // Reads the tree from the heads and marks all words for a visit. Returns false if an arc is not a candidate. O(arcs).
  bool set_up();
  // Returns the value of the tree, summed from scratch. O(size).
  Score total() const { return frames_total() + extras_and_globals(); }
  // Returns the same value without extras and globals.
  Score frames_total() const;
  // Visits the words that need it and makes moves until none gains more than `least`.
  void climb(Score least);
  // Gives a word another head at any cost. The caller makes sure that this closes no cycle. O(modifiers).
  void take(Index arc);
  // Does the same for several words. Cycles may exist in between, so the global scorer sees only the final tree.
  void take_all(std::span<const Index> arcs);
  // Makes a word take an arc at any cost and freezes it there. If the new head is below the word, the branch with the
  // head moves elsewhere first; if the root changes, the old root finds a head. Returns false, and changes nothing, if
  // this is impossible.
  bool force(Index arc);
  // Climbs with the forced arcs frozen, then with all words free. Only heads change; no arc is reversed.
  void settle(Score least);
  // Climbs with all moves after `settle`.
  void finish(Score least) {
    for (std::uint8_t& flags : state_.flags) flags |= DIRTY;
    climb(least);
  }
  // Remembers this tree, which must be a local optimum, for `restore`.
  void save(std::vector<std::uint8_t>& flags, std::vector<Index>& log);
  // Returns to the remembered tree.
  void restore(const std::vector<std::uint8_t>& flags, std::vector<Index>& log);

  // Returns the gain if a word takes another arc, without extras and globals. The result is never NaN as long as the
  // tree itself has a finite value. O(1).
  Score gain(Index arc) const { return gain(arc, loss_of_leaving(frames_.arc_modifiers[arc])); }
  Index arc_of(Index word) const { return state_.arcs[word]; }
  // Returns whether a word can take the arc without closing a cycle. O(depth).
  bool is_open(Index arc) const { return !is_above(heads_, frames_.arc_modifiers[arc], frames_.arc_heads[arc]); }
  // Returns whether the arc would cross no other arc. O(size).
  bool fits(Index arc) const;
  // Returns the candidate from `head` to `modifier`, or -1.
  Index find_arc(Index head, Index modifier) const;
  // Returns whether the problem has extras or globals, which look at the whole tree.
  bool has_extras_or_globals() const { return extras_ || globals_; }
  // Returns the value of extras and globals, now or if a word takes another arc, which must not close a cycle.
  // O(size^2) with extras.
  Score extras_and_globals() const {
    return (extras_ ? extras_value(frames_, *extras_, heads_) : 0.0) + (globals_ ? globals_->value() : 0.0);
  }
  Score extras_and_globals_with(Index arc) const;
  Index root_word() const {
    return static_cast<Index>(std::find(heads_.begin() + 1, heads_.end(), 0) - heads_.begin());
  }

 private:
  static constexpr std::uint8_t DIRTY = 1;    // something around the word has changed
  static constexpr std::uint8_t BLOCKED = 2;  // a better head would close a cycle or cross another arc
  static constexpr std::uint8_t FROZEN = 4;   // must not move

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
    return (flags & DIRTY) || ((has_extras_or_globals() || (flags & BLOCKED)) && state_.seen[word] != moves_);
  }
  void list_bottom_up();

  bool visit(Index word);
  template <class Fits>
  Index best_arc(Index begin, Index end, Index except, Score loss, Score best, Index word, Fits fits);
  bool improve_head(Index word);
  bool reverse_arc(Index word);
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
  GlobalScorer* globals_;  // null: none
  Score least_ = 0.0;
  Index moves_ = 0;
  bool thorough_ = true;               // whether to try reversed arcs and other roots as well
  std::vector<Index>* log_ = nullptr;  // records the arcs that moves replaced; null: off
};

}  // namespace headlong
