// Kernels for word vectors for Python.
#include "bindings/unlocked.hpp"
#include "dense/factors.hpp"

namespace headlong {

using namespace nb::literals;

namespace {

Out<float, 2> product(const In<std::int64_t, 1>& begins, const In<Index, 1>& columns, const In<float, 1>& values,
                      const In<float, 2>& dense, std::size_t threads) {
  require(begins.size() >= 1 && begins(0) == 0, "begins must begin with 0");
  for (std::size_t i = 1; i < begins.size(); ++i) require(begins(i) >= begins(i - 1), "begins must not decrease");
  require(columns.size() == values.size() && static_cast<std::size_t>(begins(begins.size() - 1)) == values.size(),
          "columns, values and the last of begins must agree");
  const auto known = static_cast<Index>(dense.shape(0));
  for (Index column : view(columns)) require(column >= 0 && column < known, "a column is out of range");
  auto found = new_array<Out<float, 2>>({begins.size() - 1, dense.shape(1)});
  const std::span result(found.data(), found.size());
  const Unlocked unlocked;
  multiply_sparse({view(begins), view(columns), view(values)}, view(dense), dense.shape(1), threads, result);
  return found;
}

Out<float, 2> row_products(const In<float, 2>& rows, const In<float, 2>& matrix, std::size_t threads) {
  require(matrix.shape(0) == rows.shape(1) && rows.shape(1) >= 1, "the matrix must have a row per column of the rows");
  require(matrix.shape(1) >= PANEL && matrix.shape(1) % PANEL == 0, "the matrix must have a multiple of 16 columns");
  auto found = new_array<Out<float, 2>>({rows.shape(0), matrix.shape(1)});
  const std::span result(found.data(), found.size());
  const Unlocked unlocked;
  multiply_rows(kernels(best_instructions()), view(rows), rows.shape(1), view(matrix), matrix.shape(1), threads,
                result);
  return found;
}

Out<double, 2> column_products(const In<float, 2>& rows, std::size_t threads) {
  const std::size_t count = rows.shape(1);
  require(count >= 1, "rows must have columns");
  auto found = new_array<Out<double, 2>>({count, count});
  const std::span result(found.data(), found.size());
  const Unlocked unlocked;
  multiply_columns(view(rows), count, threads, result);
  return found;
}

nb::tuple eigenvectors(const In<double, 2>& matrix) {
  const std::size_t count = matrix.shape(0);
  require(matrix.shape(1) == count, "the matrix must be square");
  for (double value : view(matrix)) require(std::abs(value) < 1e150, "the matrix must be finite, below 1e150");
  std::vector<double> work(view(matrix).begin(), view(matrix).end()), values(count);
  auto vectors = new_array<Out<double, 2>>({count, count});
  {
    const std::span columns(vectors.data(), vectors.size());
    const Unlocked unlocked;
    diagonalize(work, count, columns);
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = work[i * count + i];
  return nb::make_tuple(copied(values), vectors);
}

Out<Index, 1> nearest(const In<float, 2>& rows, const In<float, 2>& centers, const In<float, 1>& offsets,
                      std::size_t threads) {
  require(centers.shape(0) == rows.shape(1) && rows.shape(1) >= 1, "centers must be [width, count]");
  require(centers.shape(1) == offsets.size() && offsets.size() >= 1 && offsets.size() % PANEL == 0,
          "there must be one offset per center, and a multiple of 16 centers");
  auto found = new_array<Out<Index, 1>>({rows.shape(0)});
  const std::span result(found.data(), found.size());
  const Unlocked unlocked;
  find_nearest(kernels(best_instructions()), view(rows), rows.shape(1), view(centers), view(offsets), threads, result);
  return found;
}

}  // namespace

void bind_vectors(nb::module_& m) {
  m.def("product", &product, "begins"_a, "columns"_a, "values"_a, "dense"_a, "threads"_a,
        "Return the product of a sparse matrix by rows with a dense matrix.");
  m.def("row_products", &row_products, "rows"_a, "matrix"_a, "threads"_a,
        "Return rows times a matrix with a multiple of 16 columns.");
  m.def("column_products", &column_products, "rows"_a, "threads"_a,
        "Return the products of all pairs of columns of a matrix.");
  m.def("eigenvectors", &eigenvectors, "matrix"_a,
        nb::sig("def eigenvectors(matrix: numpy.typing.NDArray[numpy.float64]) -> "
                "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
        "Return the eigenvalues of a symmetric matrix, in no order, and its eigenvectors as columns.");
  m.def("nearest", &nearest, "rows"_a, "centers"_a, "offsets"_a, "threads"_a,
        "Return for each row the center with the largest product minus offset.\n\n"
        "Args:\n"
        "    centers: [width, count], a multiple of 16 columns.\n"
        "    offsets: [count]; infinity for a column that is no center.");
}

}  // namespace headlong
