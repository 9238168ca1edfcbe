// Sampling (Zhang 2014a, section 3.2): a Markov chain over trees with the distribution exp(score / temperature) under
// all parts. With a falling temperature it is a decoder, at a fixed temperature its trees estimate marginals, and
// learning compares its trees with each other (model/sample_rank.hpp).
//
// Gibbs: a random word draws a head from the conditional distribution given all other heads. Under the single-root
// rule, changing one head cannot change the root word, so a word also chooses among the trees in which it becomes the
// root and the old root takes a head: both heads given all others, again without rejection. Words must be chosen at
// random, because a fixed order would favor roots that come late.
//
// Metropolis-Hastings: K random words get new heads from the first-order distribution given the other heads, by a
// random walk (Wilson 1996). The parts outside the first-order scores decide on acceptance. The root stays; it changes
// by Gibbs steps of words that can be the root.
//
// Both end one of four sweeps with a proposal of a whole tree from the first-order distribution. The chain therefore
// reaches every tree with a finite value, whichever arcs are pruned and parts are forbidden. Trees that violate the
// rules, such as crossing ones if trees must be projective, are worth -inf.
#pragma once

#include "decode/climber.hpp"
#include "decode/options.hpp"
#include "trees/random_trees.hpp"

namespace headlong {

// A tree to choose from: a word takes arc `first` and, unless `second` is -1, the old root takes that.
struct SamplerChoice {
  Score gain;
  Index first, second;
};

// Scratch memory, reused between sentences.
struct SamplerWorkspace {
  std::vector<SamplerChoice> choices;
  std::vector<double> sums;          // running sums of the weights of choices
  std::vector<Index> words;          // all words, in any order
  std::vector<Index> root_words;     // words that can be the root
  std::vector<std::uint8_t> marked;  // [size] words that get new heads
  std::vector<Index> proposal;       // [size] a proposed tree
  std::vector<Index> left, taken;    // arcs of the current tree that the proposal replaces, and their replacements
  std::vector<Score> scores;         // [arcs] scores for proposals
  std::vector<Index> best;           // [size] heads
  RandomTrees trees;
};

class Sampler {
 public:
  // The sampler updates `heads` [size] as the tree changes.
  Sampler(const Problem& problem, const DecodeOptions& options, std::span<Index> heads, ClimbWorkspace& climb_workspace,
          SamplerWorkspace& workspace);

  // Starts from the tree in the heads or, if its value is -inf, from one drawn from the first-order distribution.
  // Returns false if no tree with a finite value was found. O(size^3), with any number of roots O(arcs).
  bool set_up();
  // Returns the number of steps of a sweep. Each step draws one head or several; a sweep draws as many heads as there
  // are words.
  Index steps() const;
  // Makes one step of a sweep. Returns true if the tree has changed. O(heads of a word) for Gibbs, apart from checks
  // for cycles, and O(size) for a proposal. Extras value each tree from scratch, and the global scorer sees every
  // change.
  bool step(Index number, double temperature);
  void sweep(double temperature);
  // Returns the value of the tree, updated by gains.
  Score value() const { return value_; }
  // Sums the value from scratch, so that rounding errors do not grow with the number of steps. O(size).
  void refresh() { value_ = climber_.total(); }

 private:
  bool can_be_root(Index word) const;
  bool visit(Index word, double temperature);
  void list_heads(Index word);
  void list_roots(Index word);
  bool redraw(double temperature);
  bool redraw_all(double temperature);
  bool propose(double temperature);
  bool fits(Index word) const { return !projective_ || climber_.fits(climber_.arc_of(word)); }

  const Frames& frames_;
  std::span<const Score> arc_scores_;
  RootRule root_;
  bool projective_;
  const DecodeOptions& options_;
  std::span<Index> heads_;
  SamplerWorkspace& workspace_;
  Climber climber_;
  Random random_;
  Score value_ = NEGATIVE_INFINITY;
};

struct SampleResult {
  Score value = NEGATIVE_INFINITY;
  Index sweeps = 0;
  bool in_time = true;
};

// Samples with falling temperature from the tree in heads [size] until the best tree has not changed for
// options.samples sweeps. Leaves the best tree seen in heads. The value is -inf if no tree with a finite value was
// found.
SampleResult sample_best(const Problem& problem, const DecodeOptions& options, std::span<Index> heads,
                         ClimbWorkspace& climb_workspace, SamplerWorkspace& workspace);

}  // namespace headlong
