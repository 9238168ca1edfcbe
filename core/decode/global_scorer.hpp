// What a search may count beside frames and extras.
#pragma once

#include "base/types.hpp"

namespace headlong {

// Something that values whole trees. A search shows it a tree and then every change, tried or made.
class GlobalScorer {
 public:
  virtual ~GlobalScorer() = default;

  // Looks at a tree.
  virtual void start(std::span<const Index> heads) = 0;
  // Gives a word another head, which is not below it.
  virtual void move(Index word, Index head) = 0;
  // What the tree at hand is worth: the same, up to rounding, however it was reached.
  virtual Score value() = 0;
};

}  // namespace headlong
