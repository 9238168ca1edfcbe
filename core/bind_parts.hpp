// Parts and their decoders for Python; see bind.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "parser/extra_decoder.hpp"

void bind_parts(nanobind::module_& m);

// The decoder of that name; an unknown one is a ValueError.
headlong::TreeMethod method_of(const std::string& name);

// Extras as a Python object, which keeps the frames that they were laid out for alive.
nanobind::object extras_object(nanobind::object frames, headlong::Extras extras);
