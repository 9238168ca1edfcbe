// The types that the whole core shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace headlong {

// Word positions. Word 0 is the root in every array; heads[0] is NO_HEAD.
using Index = std::int32_t;

// Hashed strings, slot codes and relation values.
using Code = std::uint32_t;

// Scores of arcs, parts and trees.
using Score = double;

inline constexpr Index NO_HEAD = -1;
inline constexpr Score NEGATIVE_INFINITY = -std::numeric_limits<Score>::infinity();

// How many words may be attached to the root: exactly one, or any number.
enum class RootRule : std::uint8_t { Single, Multi };

}  // namespace headlong
