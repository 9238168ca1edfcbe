// Settings of tree decoders for Python; see module.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "bindings/common.hpp"
#include "decode/tree_decoders.hpp"

namespace headlong {

// The decoder of that name; an unknown one is a ValueError.
TreeMethod method_of(const std::string& name);

// Sets how hill climbing starts again: `start` is mixed, nearby, ad3, first-order or uniform.
void set_restarts(TreeOptions& options, Index restarts, const std::string& start, std::uint64_t seed);
// The settings of sampling; what cannot be is a ValueError.
SamplerOptions sampling_of(const std::string& kernel, Index samples, double temperature);
// Sets the settings of single methods and the tree to favour, [words] heads, if they are given.
void tune(TreeOptions& options, const Tuning* tuning, const std::optional<In<Index, 1>>& guide, std::size_t words);

}  // namespace headlong
