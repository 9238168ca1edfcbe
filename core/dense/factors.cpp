#include "dense/factors.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"

namespace headlong {

namespace {

constexpr std::size_t BLOCK = 512;  // rows of one item of work

template <class Work>
void for_blocks(std::size_t rows, std::size_t threads, Work work) {
  parallel_for((rows + BLOCK - 1) / BLOCK, threads, [&](std::size_t, std::size_t block) {
    work(block, block * BLOCK, std::min(rows, (block + 1) * BLOCK));
  });
}

// Rotates rows and columns p < q of a symmetric matrix so that the element (p, q) becomes zero.
void rotate(std::span<double> matrix, std::size_t count, std::size_t p, std::size_t q, std::span<double> vectors) {
  const double off = matrix[p * count + q];
  const double theta = (matrix[q * count + q] - matrix[p * count + p]) / (2.0 * off);
  const double tangent = (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
  const double cosine = 1.0 / std::sqrt(tangent * tangent + 1.0), sine = tangent * cosine;
  const auto turn = [&](double& first, double& second) {
    const double old = first;
    first = cosine * old - sine * second;
    second = sine * old + cosine * second;
  };
  for (std::size_t i = 0; i < count; ++i) turn(matrix[p * count + i], matrix[q * count + i]);
  for (std::size_t i = 0; i < count; ++i) turn(matrix[i * count + p], matrix[i * count + q]);
  for (std::size_t i = 0; i < count; ++i) turn(vectors[i * count + p], vectors[i * count + q]);
  matrix[p * count + q] = matrix[q * count + p] = 0.0;
}

}  // namespace

void multiply_sparse(const SparseMatrix& matrix, std::span<const float> dense, std::size_t count, std::size_t threads,
                     std::span<float> result) {
  for_blocks(matrix.rows(), threads, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      float* sum = result.data() + row * count;
      std::fill_n(sum, count, 0.0F);
      for (auto place = static_cast<std::size_t>(matrix.begins[row]);
           place < static_cast<std::size_t>(matrix.begins[row + 1]); ++place) {
        const float value = matrix.values[place];
        const float* other = dense.data() + static_cast<std::size_t>(matrix.columns[place]) * count;
        for (std::size_t i = 0; i < count; ++i) sum[i] += value * other[i];
      }
    }
  });
}

void multiply_rows(const Kernels& kernels, std::span<const float> rows, std::size_t width,
                   std::span<const float> matrix, std::size_t count, std::size_t threads, std::span<float> result) {
  std::vector<float> packed;
  const Panels panels = pack(matrix.data(), static_cast<Index>(width), static_cast<Index>(count), count, packed);
  for_blocks(rows.size() / width, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
    kernels.multiply(rows.data() + begin * width, width, panels, static_cast<Index>(end - begin),
                     static_cast<Index>(width), static_cast<Index>(count), nullptr, Into::Set,
                     result.data() + begin * count, count);
  });
}

void multiply_columns(std::span<const float> rows, std::size_t count, std::size_t threads, std::span<double> result) {
  const std::size_t n = rows.size() / count, size = count * count;
  std::fill(result.begin(), result.end(), 0.0);
  // A group of blocks at a time bounds the memory for their sums.
  constexpr std::size_t GROUP = 16;
  std::vector<double> sums(GROUP * size);
  for (std::size_t first = 0; first < n; first += GROUP * BLOCK) {
    const std::size_t here = std::min(n - first, GROUP * BLOCK);
    std::fill(sums.begin(), sums.end(), 0.0);
    for_blocks(here, threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
      for (std::size_t row = first + begin; row < first + end; ++row) {
        const float* values = rows.data() + row * count;
        for (std::size_t i = 0; i < count; ++i) {
          const double value = values[i];
          double* sum = sums.data() + block * size + i * count;
          for (std::size_t j = 0; j < count; ++j) sum[j] += value * static_cast<double>(values[j]);
        }
      }
    });
    for (std::size_t block = 0; block < GROUP; ++block)
      for (std::size_t i = 0; i < size; ++i) result[i] += sums[block * size + i];
  }
}

void diagonalize(std::span<double> matrix, std::size_t count, std::span<double> vectors) {
  std::fill(vectors.begin(), vectors.end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) vectors[i * count + i] = 1.0;
  double total = 0.0;
  for (double value : matrix) total += value * value;
  // Convergence is quadratic; seven sweeps were enough for every matrix of word vectors.
  for (int sweep = 0; sweep < 60; ++sweep) {
    double rest = 0.0;
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t q = p + 1; q < count; ++q) rest += matrix[p * count + q] * matrix[p * count + q];
    if (rest <= 1e-30 * total) return;
    for (std::size_t p = 0; p < count; ++p) {
      poll();
      for (std::size_t q = p + 1; q < count; ++q)
        if (matrix[p * count + q] != 0.0) rotate(matrix, count, p, q, vectors);
    }
  }
}

void find_nearest(const Kernels& kernels, std::span<const float> rows, std::size_t width,
                  std::span<const float> centers, std::span<const float> offsets, std::size_t threads,
                  std::span<Index> nearest) {
  const std::size_t count = offsets.size();
  std::vector<float> packed, bias(count);
  std::transform(offsets.begin(), offsets.end(), bias.begin(), [](float offset) { return -offset; });
  const Panels panels = pack(centers.data(), static_cast<Index>(width), static_cast<Index>(count), count, packed);
  std::vector<std::vector<float>> buffers(useful_threads(nearest.size() / BLOCK + 1, threads));
  parallel_for((nearest.size() + BLOCK - 1) / BLOCK, threads, [&](std::size_t thread, std::size_t block) {
    const std::size_t begin = block * BLOCK, size = std::min(nearest.size() - begin, BLOCK);
    std::vector<float>& scores = buffers[thread];
    scores.resize(BLOCK * count);
    kernels.multiply(rows.data() + begin * width, width, panels, static_cast<Index>(size), static_cast<Index>(width),
                     static_cast<Index>(count), bias.data(), Into::Set, scores.data(), count);
    for (std::size_t i = 0; i < size; ++i) {
      const auto row = scores.begin() + static_cast<std::ptrdiff_t>(i * count);
      nearest[begin + i] = static_cast<Index>(std::max_element(row, row + static_cast<std::ptrdiff_t>(count)) - row);
    }
  });
}

}  // namespace headlong
