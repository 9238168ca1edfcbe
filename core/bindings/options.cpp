#include "bindings/options.hpp"

#include <nanobind/stl/string.h>

#include <type_traits>

namespace headlong {

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
