// Factor graphs and their solvers for Python; see module.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include "graph/solver.hpp"

namespace headlong {

const char* name_of(Status status);

}  // namespace headlong
