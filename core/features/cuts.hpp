// Codes of the word pieces that templates look at (prefixes, suffixes, shapes): hashes of their bytes.
#pragma once

#include "base/types.hpp"

namespace headlong {

// What a piece is cut from: the word in lower case, the word as written, or its shape.
enum class CutOf : std::uint8_t { Lower, AsIs, Shape };

// The bytes from `begin` to `end`, with the rules of a Python slice: negative positions count from the end, and
// positions outside the word are clipped. The code of the piece is the CRC-32 of these bytes (as in zlib), continued
// from `seed`.
struct Cut {
  CutOf of;
  Index begin, end;
  Code seed;
};

// Writes codes [words][cuts] of ASCII words; word i is bytes[offsets[i] : offsets[i + 1]]. The shape of a word replaces
// capital letters by X, small letters by x and digits by 9, and shortens runs to two characters. O(bytes * cuts).
void cut_codes(std::span<const std::uint8_t> bytes, std::span<const Index> offsets, std::span<const Cut> cuts,
               std::span<Code> codes);

}  // namespace headlong
