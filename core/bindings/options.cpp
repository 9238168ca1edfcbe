#include "bindings/options.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace headlong {

void require_valid(const DecodeOptions& options) {
  require(options.max_iterations >= 1, "max_iterations must be at least 1");
  require(options.max_nodes >= -1 && options.max_sweeps >= 0,
          "max_nodes must be at least -1 and max_sweeps at least 0");
  require(options.time_limit >= 0.0, "time_limit must not be negative");
  require(options.tolerance >= 0.0, "tolerance must not be negative");
  require(options.threads >= 1, "threads must be positive");
  require(options.restarts >= 0, "restarts must not be negative");
  require(options.alpha >= 0.0 && std::isfinite(options.alpha), "alpha must be finite and not negative");
  require(options.beta >= 0.0 && options.beta <= 1.0, "beta must be between 0 and 1");
  require(options.beam >= 1 && options.kbest >= 1, "beam and kbest must be positive");
  require(options.swaps >= 0, "swaps must not be negative");
  for (double gamma : {options.gamma1, options.gamma2, options.gamma3})
    require(std::abs(gamma) < 1e30, "gammas must be finite");
  require(options.samples >= 1, "samples must be positive");
  require(options.temperature > 0.0 && std::isfinite(options.temperature), "temperature must be positive and finite");
}

namespace {

// Binds a field as a property; enumerations are strings in Python.
template <class Field>
void bind_field(nb::class_<DecodeOptions>& bound, const char* name, Field DecodeOptions::* field) {
  if constexpr (std::is_enum_v<Field>) {
    bound.def_prop_rw(
        name,
        [field](const DecodeOptions& self) { return std::string(NAMES<Field>[static_cast<std::size_t>(self.*field)]); },
        [field, name](DecodeOptions& self, const std::string& value) {
          self.*field = value_named<Field>(name, value);
        });
  } else {
    bound.def_rw(name, field);
  }
}

}  // namespace

void bind_options(nb::module_& m) {
  nb::class_<DecodeOptions> bound(
      m, "DecodeOptions", "Options of decoding. headlong.parser.DecodeOptions documents and checks the fields.");
  bound.def(nb::init<>());
  DecodeOptions::visit_fields([&](const char* name, auto field) { bind_field(bound, name, field); });
}

}  // namespace headlong
