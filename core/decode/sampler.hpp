// Sampling (Zhang 2014a, section 3.2): a Markov chain over trees whose distribution is exp(score / temperature) under
// all parts. With a temperature that falls it is a decoder, with a fixed one its trees estimate marginals, and learning
// compares its trees with each other (model/sample_rank.hpp).
//
// Gibbs: a word chosen at random draws a head from the conditional distribution given all other heads. Under the
// single-root rule heads alone cannot change the root word, so that a word also draws among the trees in which it
// becomes the root and the old root takes a head: both heads given all others, again without rejection. Words must be
// chosen at random: a fixed order would favour roots that come late.
//
// Metropolis-Hastings: K words drawn at random get new heads from the first-order distribution given the other heads,
// by a random walk (Wilson 1996); what first-order scores do not know decides on acceptance. The root stays; it changes
// by Gibbs steps of words that may be the root.
//
// In both, one of four sweeps ends with a proposal of a whole tree from the first-order distribution, so that the chain
// reaches every tree that is worth something, whatever arcs are pruned and whatever parts forbidden. Trees outside the
// rules, crossing ones if projective trees are wanted, are worth nothing.
#pragma once

#include "decode/climber.hpp"
#include "decode/options.hpp"
#include "trees/random_trees.hpp"

namespace headlong {

// Trees to choose from: a word takes an arc, and if `second` is not -1 the old root takes that.
struct SamplerChoice {
  Score gain;
  Index first, second;
};

// Scratch memory, kept between sentences.
struct SamplerWorkspace {
  std::vector<SamplerChoice> choices;
  std::vector<double> sums;          // running sums of the weights of choices
  std::vector<Index> words;          // all words, in any order
  std::vector<Index> root_words;     // those that may be the root
  std::vector<std::uint8_t> marked;  // [size] words that get new heads
  std::vector<Index> proposal;       // [size] a proposed tree
  std::vector<Index> left, taken;    // the arcs that it leaves, and those that it has instead
  std::vector<Score> scores;         // [arcs] of proposals
  std::vector<Index> best;           // [size] heads
  RandomTrees trees;
};

class Sampler {
 public:
  // The heads [size] change with the tree.
  Sampler(const Problem& problem, const DecodeOptions& options, std::span<Index> heads, ClimbWorkspace& climb_workspace,
          SamplerWorkspace& workspace);

  // Starts from the tree in the heads, or, if it is worth nothing, from one drawn from the first-order distribution;
  // false if none that is worth something was found. O(size^3), with any number of roots O(arcs).
  bool set_up();
  // The steps of a sweep, each a draw of a head or of several: as many heads as there are words.
  Index steps() const;
  // One step of a sweep; true if the tree has changed. O(heads of a word) for Gibbs, apart from looks for cycles, and
  // O(size) for a proposal; with extras each tree is valued anew, and a term is shown every change.
  bool step(Index number, double temperature);
  void sweep(double temperature);
  // What the tree is worth, kept up by gains.
  Score value() const { return value_; }
  // Adds it up anew: rounding errors must not grow with the number of steps. O(size).
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
// options.samples sweeps, and leaves the best tree seen in heads. -inf if no tree worth anything was found. `seconds`
// is the time limit; 0: none.
SampleResult sample_best(const Problem& problem, const DecodeOptions& options, double seconds, std::span<Index> heads,
                         ClimbWorkspace& climb_workspace, SamplerWorkspace& workspace);

}  // namespace headlong
