// The rows of known codes in a matrix of weights.
#pragma once

#include <vector>

#include "base/platform.hpp"
#include "base/types.hpp"

namespace headlong {

// The row of each known code: a hash table with open addressing. A code already tells attributes and templates apart.
class Vocabulary {
 public:
  Vocabulary(std::span<const Code> codes, std::span<const Index> rows);
  // Returns the row of a value, or -1 if it is not known.
  Index find(Code code) const {
    Code place = code & mask_;
    while (entries_[place].row >= 0 && entries_[place].code != code) place = (place + 1) & mask_;
    return entries_[place].row;
  }
  // Asks for the entry of a value that will soon be looked up.
  void expect(Code code) const { prefetch(&entries_[code & mask_]); }

 private:
  struct Entry {
    Code code;
    Index row;
  };
  std::vector<Entry> entries_;  // row -1: empty
  Code mask_;
};

}  // namespace headlong
