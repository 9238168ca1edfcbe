// Parts and their decoders for Python; see bind.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include "bind_common.hpp"
#include "parser/extra_decoder.hpp"

void bind_parts(nanobind::module_& m);

// Candidates from their columns (see Frames in Python); a ValueError says what is wrong with them.
headlong::Candidates candidates_of(const headlong::In<headlong::Index, 1>& heads,
                                   const headlong::In<headlong::Index, 1>& begins);

// Heads are followed upwards, which must come to an end: a ValueError unless they are those of a tree.
void require_tree(std::span<const headlong::Index> heads);

// Extras as a Python object, which keeps the frames that they were laid out for alive.
nanobind::object extras_object(nanobind::object frames, headlong::Extras extras);
