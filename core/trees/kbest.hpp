// The k best trees, one after another.
//
// The remaining trees are kept as disjoint sets (Lawler 1972; Camerini et al. 1980). In a set, the words before some
// word have fixed heads, that word has some banned heads, and the words after it are free. When the best tree of a set
// has been returned, the other trees of the set are split by the first word whose head differs. The best tree of a set
// is only computed when no other set can contain a better one. Until then the set has a bound: from the reduced costs
// of the arcs (trees/reduced_costs.hpp) for non-projective trees, and otherwise from the tree of the set it was split
// from.
#pragma once

#include <span>
#include <vector>

#include "trees/eisner.hpp"
#include "trees/mst.hpp"
#include "trees/reduced_costs.hpp"

namespace headlong {

// A set of trees.
struct TreeSet {
  Score bound;                // upper bound on the score of the set's trees; in a solved set, the score of the best one
  bool solved;                // `heads` is the best tree
  Index free;                 // words before this one have the heads in `heads`
  std::vector<Index> banned;  // heads that the word `free` must not have
  std::vector<Index> heads;   // [size]
  std::uint64_t number;       // in order of creation
};

// Scratch memory, reused between sentences: O(size^2), and O(size) per set.
struct KBestWorkspace {
  std::vector<TreeSet> heap;    // the set with the highest bound first
  std::vector<TreeSet> unused;  // kept to reuse their memory
  std::vector<Score> dense;     // [head * size + modifier] the scores within one set
  std::vector<Index> arc_heads, arc_begins;
  std::vector<Score> costs;
  ReducedCostWorkspace reduced_costs;
  MstWorkspace mst;
  EisnerWorkspace eisner;
};

class KBestTrees {
 public:
  // Scores are [head * size + modifier] as in trees/mst.hpp and must outlive this object.
  KBestTrees(std::span<const Score> scores, Index size, RootRule rule, bool projective, KBestWorkspace& workspace);

  // Writes the next tree to heads [size], or returns false if there are no more. Trees come in descending order of
  // score, up to rounding; ties are broken deterministically. O(size^2) (projective: O(size^3)) per set that must be
  // solved: at most `size` sets per tree, and few if the scores differ.
  bool next(std::span<Index> heads);

 private:
  // Writes the scores within a set to workspace_.dense. Arcs that no tree of the set has get -inf.
  void mask(const TreeSet& set);
  // Finds the best tree of a set.
  void solve(TreeSet& set);
  // Splits the trees of a solved set, without the best one, into new sets.
  void split(const TreeSet& set);
  void push(TreeSet&& set);
  TreeSet pop();
  TreeSet make_set();

  std::span<const Score> scores_;
  Index size_;
  RootRule rule_;
  bool projective_;
  KBestWorkspace& workspace_;
  Score slack_ = 0.0;  // allowance for rounding in bounds
  std::uint64_t count_ = 0;
};

}  // namespace headlong
