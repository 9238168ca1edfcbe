// Checking arguments.
#pragma once

#include <stdexcept>

namespace headlong {

// Throws std::invalid_argument (ValueError in Python) with the message unless the condition holds.
inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

}  // namespace headlong
