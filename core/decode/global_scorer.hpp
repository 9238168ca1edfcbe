// The interface of scorers for whole trees, which a search can use in addition to frames and extras.
#pragma once

#include "base/types.hpp"

namespace headlong {

// Scores whole trees. A search shows it a tree, and then every change that it tries or makes.
class GlobalScorer {
 public:
  virtual ~GlobalScorer() = default;

  // Starts from a tree.
  virtual void start(std::span<const Index> heads) = 0;
  // Gives a word another head, which must not be below it.
  virtual void move(Index word, Index head) = 0;
  // Returns the value of the current tree. It does not depend, up to rounding, on how the tree was reached.
  virtual Score value() = 0;
};

}  // namespace headlong
