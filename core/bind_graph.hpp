// Factor graphs and their solvers for Python; see bind.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include "solvers/solver.hpp"

void bind_graph(nanobind::module_& m);
void bind_solvers(nanobind::module_& m);

const char* name_of(headlong::Status status);
