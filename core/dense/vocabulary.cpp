#include "dense/vocabulary.hpp"

#include <bit>

namespace headlong {

Vocabulary::Vocabulary(std::span<const Code> codes, std::span<const Index> rows)
    : entries_(std::bit_ceil(2 * codes.size() + 2), {0, -1}), mask_(static_cast<Code>(entries_.size() - 1)) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    Code place = codes[i] & mask_;
    while (entries_[place].row >= 0) place = (place + 1) & mask_;
    entries_[place] = {codes[i], rows[i]};
  }
}

}  // namespace headlong
