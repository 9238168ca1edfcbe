// Settings of tree decoders for Python; see bind.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "bind_common.hpp"
#include "parser/tree_decoders.hpp"

void bind_tuning(nanobind::module_& m);

// The decoder of that name; an unknown one is a ValueError.
headlong::TreeMethod method_of(const std::string& name);

// Sets how hill climbing starts again: `start` is mixed, nearby, ad3, first-order or uniform.
void set_restarts(headlong::TreeOptions& options, headlong::Index restarts, const std::string& start,
                  std::uint64_t seed);
// The settings of sampling; what cannot be is a ValueError.
headlong::SamplerOptions sampling_of(const std::string& kernel, headlong::Index samples, double temperature);
// Sets the settings of single methods and the tree to favour, [words] heads, if they are given.
void tune(headlong::TreeOptions& options, const headlong::Tuning* tuning,
          const std::optional<headlong::In<headlong::Index, 1>>& toward, std::size_t words);
