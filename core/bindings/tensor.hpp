// The low-rank tensor of a parser, with the templates and arrays that it refers to.
#pragma once

#include <memory>

#include "bindings/common.hpp"
#include "dense/tensor.hpp"

namespace headlong {

struct PyTensor {
  Templates words, arcs;
  std::array<In<float, 2>, FACTORS> weights;  // without those of head and modifier if they are rounded
  RoundedRowPairs rounded;
  std::unique_ptr<Tensor> tensor;
};

struct Batch;

// Raises ValueError unless the words have what the tensor looks at.
void check_tensor(const PyTensor& tensor, const Batch& batch);

}  // namespace headlong
