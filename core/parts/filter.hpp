// Frames with fewer candidates, after some arcs were proved to be in no best tree.
#pragma once

#include "parts/frames.hpp"

namespace headlong {

// Writes the frames of the arcs with keep[arc] set, with their scores. `kept` receives the number of each such arc in
// `frames`. O(remaining scores).
void filter_arcs(const Frames& frames, std::span<const std::uint8_t> keep, Frames& reduced, std::vector<Index>& kept);

}  // namespace headlong
