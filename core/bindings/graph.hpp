// What the bindings of solvers share.
#pragma once

#include <nanobind/nanobind.h>

#include "graph/solver.hpp"

namespace headlong {

// Returns the name of a status in Python.
const char* name_of(Status status);

}  // namespace headlong
