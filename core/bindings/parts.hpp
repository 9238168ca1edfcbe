// Parts and their decoders for Python; see module.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/common.hpp"
#include "decode/extra_decoder.hpp"

namespace headlong {

// Candidates from their columns (see Frames in Python); a ValueError says what is wrong with them.
Candidates candidates_of(const In<Index, 1>& heads, const In<Index, 1>& begins);

// Heads are followed upwards, which must come to an end: a ValueError unless they are those of a tree.
void require_tree(std::span<const Index> heads);

// Extras as a Python object, which keeps the frames that they were laid out for alive.
nanobind::object extras_object(nanobind::object frames, Extras extras);

}  // namespace headlong
