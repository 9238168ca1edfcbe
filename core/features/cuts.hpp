// Codes of the pieces of words that templates look at: prefixes, suffixes, shapes, all of them hashes of bytes.
#pragma once

#include "base/types.hpp"

namespace headlong {

// Of what a piece is cut.
enum class CutOf : std::uint8_t { Small, AsIs, Shape };

// The bytes from `begin` to `end`, as in a slice of Python: negative places count from behind, and what is beyond the
// ends is not there. Its code is their CRC-32 (that of zlib), continued from `seed`.
struct Cut {
  CutOf of;
  Index begin, end;
  Code seed;
};

// Writes codes [words][cuts] of words in ASCII; word i is bytes[offsets[i] : offsets[i + 1]]. In the shape of a word
// capital letters are X, small ones x, digits 9, and runs are shortened to two. O(bytes * cuts).
void cut_codes(std::span<const std::uint8_t> bytes, std::span<const Index> offsets, std::span<const Cut> cuts,
               std::span<Code> codes);

}  // namespace headlong
