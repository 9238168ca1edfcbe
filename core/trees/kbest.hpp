// The k best trees of arc scores, one after the other.
//
// The trees that are left are kept as disjoint sets (Lawler 1972; Camerini et al. 1980): the words before one have
// fixed heads, that word may not have some heads, and those after it are free. When the best tree of a set is handed
// out, the others of the set are split up by the first word at which they differ from it. The best tree of a set is
// only looked for when no other set can have a better one: until then it has a bound, by the reduced costs of the arcs
// (trees/reduced_costs.hpp) where trees of any kind are asked for, and by the tree it was split off from otherwise.
#pragma once

#include <span>
#include <vector>

#include "trees/eisner.hpp"
#include "trees/mst.hpp"
#include "trees/reduced_costs.hpp"

namespace headlong {

// A set of trees.
struct TreeSet {
  Score bound;                // no tree of the set is worth more; of a solved set, what its best one is worth
  bool solved;                // `heads` is the best tree
  Index free;                 // words before this one have the heads in `heads`
  std::vector<Index> banned;  // heads that the word `free` may not have
  std::vector<Index> heads;   // [size]
  std::uint64_t number;       // in the order in which the sets came up
};

// Scratch memory, kept between sentences: O(size^2), and O(size) a set.
struct KBestWorkspace {
  std::vector<TreeSet> heap;    // the most promising first
  std::vector<TreeSet> unused;  // for their memory
  std::vector<Score> dense;     // [head * size + modifier] within a set
  std::vector<Index> arc_heads, arc_begins;
  std::vector<Score> costs;
  ReducedCostWorkspace reduced_costs;
  MstWorkspace mst;
  EisnerWorkspace eisner;
};

class KBestTrees {
 public:
  // Scores [head * size + modifier] as in trees/mst.hpp; they are read as long as trees are asked for.
  KBestTrees(std::span<const Score> scores, Index size, RootRule rule, bool projective, KBestWorkspace& workspace);

  // Writes the next tree to heads [size]; false if there is none. Trees come by descending score, up to rounding; the
  // order of equal ones is deterministic. O(size^2) (projective: O(size^3)) for each set that has to be looked at:
  // at most `size` a tree, and few as long as scores differ.
  bool next(std::span<Index> heads);

 private:
  // Writes the scores within a set to workspace_.dense: -inf for arcs that none of its trees has.
  void mask(const TreeSet& set);
  // Finds the best tree of a set.
  void solve(TreeSet& set);
  // Splits the trees of a solved set but the best one.
  void split(const TreeSet& set);
  void push(TreeSet&& set);
  TreeSet pop();
  TreeSet make_set();

  std::span<const Score> scores_;
  Index size_;
  RootRule rule_;
  bool projective_;
  KBestWorkspace& workspace_;
  Score slack_ = 0.0;  // what rounding may take from a bound
  std::uint64_t count_ = 0;
};

}  // namespace headlong
