// The products of matrices behind `Kernels::multiply`, where they are described.
#pragma once

#include "dense/kernels.hpp"

namespace headlong {

void multiply_plain(const float* left, std::size_t left_stride, const Panels& right, Index n, Index k, Index m,
                    const float* bias, Into into, float* result, std::size_t result_stride);
void multiply_avx2(const float* left, std::size_t left_stride, const Panels& right, Index n, Index k, Index m,
                   const float* bias, Into into, float* result, std::size_t result_stride);
void multiply_avx512(const float* left, std::size_t left_stride, const Panels& right, Index n, Index k, Index m,
                     const float* bias, Into into, float* result, std::size_t result_stride);

}  // namespace headlong
