// The context encoder of a parser, with the arrays that it refers to.
#pragma once

#include <memory>

#include "bindings/common.hpp"
#include "dense/encoder.hpp"

namespace headlong {

struct PyEncoder {
  In<float, 1> weights;
  In<float, 2> embeddings;
  std::unique_ptr<Encoder> encoder;
};

}  // namespace headlong
