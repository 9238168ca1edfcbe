// Factor graphs for Python; see bind.cpp.
#pragma once

#include <nanobind/nanobind.h>

void bind_graph(nanobind::module_& m);
