// Kernels for word vectors: products with a sparse matrix, the products of columns, the eigenvectors of a small matrix,
// and the nearest of some centers. Sums have a fixed order, so results do not depend on the number of threads.
#pragma once

#include "dense/kernels.hpp"

namespace headlong {

// A sparse matrix by rows: row r has the values at begins[r] to begins[r + 1], each with its column.
struct SparseMatrix {
  std::span<const std::int64_t> begins;
  std::span<const Index> columns;
  std::span<const float> values;

  std::size_t rows() const { return begins.size() - 1; }
};

// Writes matrix * dense: [rows][count] from dense [columns][count]. O(values * count).
void multiply_sparse(const SparseMatrix& matrix, std::span<const float> dense, std::size_t count, std::size_t threads,
                     std::span<float> result);

// Writes rows [n][width] * matrix [width][count], where the count is a multiple of PANEL. O(n width count).
void multiply_rows(const Kernels& kernels, std::span<const float> rows, std::size_t width,
                   std::span<const float> matrix, std::size_t count, std::size_t threads, std::span<float> result);

// Writes the products of all pairs of columns [count][count] of rows [n][count]. O(n count^2).
void multiply_columns(std::span<const float> rows, std::size_t count, std::size_t threads, std::span<double> result);

// Turns a symmetric matrix [count][count] into the diagonal matrix of its eigenvalues, and writes its eigenvectors as
// the columns of `vectors` [count][count], by Jacobi's rotations. Eigenvalues are in no order. O(count^3).
void diagonalize(std::span<double> matrix, std::size_t count, std::span<double> vectors);

// Writes for each row [n][width] the center with the largest product minus offset, the first among equals. `centers`
// are transposed, [width][count]; `offsets` are [count]; the count is a multiple of PANEL. O(n width count).
void find_nearest(const Kernels& kernels, std::span<const float> rows, std::size_t width,
                  std::span<const float> centers, std::span<const float> offsets, std::size_t threads,
                  std::span<Index> nearest);

}  // namespace headlong
