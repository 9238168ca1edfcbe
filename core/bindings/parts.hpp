// Frames and extras for Python; see module.cpp.
#pragma once

#include "bindings/common.hpp"
#include "parts/extras.hpp"

namespace headlong {

// Extras with the frames they belong to.
struct PyExtras {
  nb::object owner;  // of the frames
  const Frames* frames;
  Extras extras;

  PyExtras(nb::object frames_, Extras extras_)
      : owner(std::move(frames_)), frames(nb::cast<const Frames*>(owner)), extras(std::move(extras_)) {}
};

// Builds candidates from their columns (see Frames in Python). Raises ValueError if they are not valid.
Candidates candidates_of(const In<Index, 1>& heads, const In<Index, 1>& begins);

// Raises ValueError unless every word reaches the root.
void require_tree(std::span<const Index> heads);

}  // namespace headlong
