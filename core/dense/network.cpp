#include "dense/network.hpp"

#include <algorithm>

#include "base/require.hpp"

namespace headlong {

void NetworkShape::check() const {
  for (Index size : {width, hidden, arc, label})
    require(size >= PANEL && size <= 1024 && size % PANEL == 0, "a layer size must be a multiple of 16 up to 1024");
  require(depth >= 1 && depth <= 8, "depth must be 1 to 8");
  require(labels >= 1 && labels <= 1024, "labels must be 1 to 1024");
  require(vectors >= 0 && vectors <= 4096, "vectors must be 0 to 4096");
}

NetworkLayout::NetworkLayout(const NetworkShape& shape) {
  const auto norm = [&](Index count) {
    const Norm made{count, size};
    size = made.end();
    return made;
  };
  const auto linear = [&](Index in, Index out) {
    const Linear made{in, out, size};
    size = made.end();
    return made;
  };
  const Index both = 2 * shape.hidden;
  input = norm(shape.width);
  convolution = linear(3 * shape.width, 2 * shape.width);
  convolved = norm(shape.width);
  for (Index layer = 0; layer < shape.depth; ++layer) {
    layers.push_back(linear(layer == 0 ? shape.width : both, 3 * both));
    outputs.push_back(norm(both));
  }
  projection = linear(both, shape.projected());
  bilinear = linear(shape.arc, shape.arc);
  near_modifier = linear(shape.arc, DISTANCE_BINS);
  near_head = linear(shape.arc, DISTANCE_BINS);
  label = linear(shape.label, padded(shape.labels));
  vectors = size;
  size += static_cast<std::size_t>(shape.vectors) * shape.width;
}

std::vector<const Linear*> NetworkLayout::linears() const {
  std::vector<const Linear*> found{&convolution};
  for (const Linear& layer : layers) found.push_back(&layer);
  for (const Linear* one : {&projection, &bilinear, &near_modifier, &near_head, &label}) found.push_back(one);
  return found;
}

Index distance_bin(Index head, Index modifier) {
  constexpr Index BEGINS[] = {2, 3, 4, 5, 6, 8, 11, 16, 26};  // of all bins but the first
  const Index distance = head < modifier ? modifier - head : head - modifier;
  const Index bin = static_cast<Index>(std::upper_bound(std::begin(BEGINS), std::end(BEGINS), distance) - BEGINS);
  return head < modifier ? bin : bin + 10;
}

Network::Network(const NetworkShape& shape, std::span<const float> weights, std::span<const float> embeddings,
                 Instructions instructions)
    : shape(shape),
      layout(shape),
      weights(weights),
      embeddings(embeddings),
      instructions(instructions),
      kernels(&headlong::kernels(instructions)) {
  shape.check();
  require(weights.size() == layout.size, "the weights of the network do not fit its shape");
  require(embeddings.size() % shape.width == 0, "embeddings must have the width of the network");
  packed.resize(layout.linears().size());
}

void Network::repack(Purpose wanted) {
  purpose = wanted;
  const auto linears = layout.linears();
  std::vector<float> transposed;
  for (std::size_t i = 0; i < linears.size(); ++i) {
    const Linear& linear = *linears[i];
    PackedLinear& one = packed[i];
    const float* matrix = weights.data() + linear.begin;
    if (purpose == Purpose::Use) {
      round_columns(matrix, linear.in, linear.out, one.rounded);
      continue;
    }
    one.panels = pack(matrix, linear.in, linear.out, linear.out, one.forward);
    transpose(matrix, linear.in, linear.out, linear.out, transposed);
    one.transposed = pack(transposed.data(), linear.out, linear.in, padded(linear.in), one.backward);
  }
}

const PackedLinear& Network::packed_of(const Linear& linear) const {
  const auto linears = layout.linears();
  return packed[std::find_if(linears.begin(), linears.end(),
                             [&](const Linear* one) { return one->begin == linear.begin; }) -
                linears.begin()];
}

}  // namespace headlong
