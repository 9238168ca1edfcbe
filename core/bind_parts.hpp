// Parts and their decoders for Python; see bind.cpp.
#pragma once

#include <nanobind/nanobind.h>

void bind_parts(nanobind::module_& m);
