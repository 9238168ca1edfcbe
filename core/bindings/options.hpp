// Decode options for Python; see module.cpp.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "bindings/common.hpp"
#include "decode/options.hpp"

namespace headlong {

// Returns the value of an enumeration by name. An unknown name raises a ValueError that lists the known ones.
template <class Enum>
Enum value_named(const char* what, std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < NAMES<Enum>.size(); ++i) {
    if (NAMES<Enum>[i] == name) return static_cast<Enum>(i);
    known += (known.empty() ? "" : ", ") + std::string(NAMES<Enum>[i]);
  }
  throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(name) + "', expected one of " +
                              known);
}

}  // namespace headlong
