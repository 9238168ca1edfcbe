// Frames with fewer candidates: what is left when arcs have been proved to be in no best tree.
#pragma once

#include "parts/frames.hpp"

namespace headlong {

// Writes the frames of the arcs to keep [arcs], with their scores, and the number in `frames` of each of them to
// `kept`. O(places of the scores that are kept).
void filter_arcs(const Frames& frames, std::span<const std::uint8_t> keep, Frames& reduced, std::vector<Index>& kept);

}  // namespace headlong
