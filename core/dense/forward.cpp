#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stop.hpp"
#include "dense/network.hpp"

namespace headlong {

namespace {

// Fills `mask` with 0 for a share of the places and 1 / (1 - share) elsewhere. Draws have eight bits.
void draw_mask(std::size_t count, float share, Random& random, std::vector<float>& mask) {
  const std::uint64_t limit = static_cast<std::uint64_t>(std::lround(share * 256.0F));
  const float kept = 256.0F / static_cast<float>(256 - limit);
  mask.resize(count);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i, bits >>= 8) {
    if (i % 8 == 0) bits = random.bits();
    mask[i] = (bits & 255) < limit ? 0.0F : kept;
  }
}

// Writes input [words][linear.in], in rows of `stride` floats, times the map to output [words][linear.out].
void apply(const Network& network, const Linear& linear, const float* input, std::size_t stride, Index words,
           RoundedRows& rounded, float* output) {
  const PackedLinear& packed = network.packed_of(linear);
  const float* bias = network.weights.data() + linear.bias();
  if (network.purpose == Purpose::Training) {
    network.kernels->multiply(input, stride, packed.panels, words, linear.in, linear.out, bias, Into::Set, output,
                              linear.out);
    return;
  }
  round_rows(input, stride, words, linear.in, rounded);
  multiply_rounded(rounded, packed.rounded, bias, network.instructions, output, linear.out);
}

void apply(const Network& network, const Linear& linear, const float* input, std::size_t stride, NetworkRecord& record,
           std::vector<float>& output) {
  output.resize(static_cast<std::size_t>(record.words) * linear.out);
  apply(network, linear, input, stride, record.words, record.rounded, output.data());
}

// Normalizes every row of `from`, then multiplies by gains and adds offsets.
void normalize_rows(const Network& network, const Norm& norm, const std::vector<float>& from, Index words,
                    std::vector<float>& normal, std::vector<float>& scales, std::vector<float>& to) {
  const float *gains = network.weights.data() + norm.begin, *offsets = gains + norm.size;
  normal.resize(static_cast<std::size_t>(words) * norm.size);
  to.resize(normal.size());
  scales.resize(words);
  for (Index word = 0; word < words; ++word) {
    const std::size_t begin = static_cast<std::size_t>(word) * norm.size;
    scales[word] = network.kernels->normalize(from.data() + begin, norm.size, normal.data() + begin);
    for (Index i = 0; i < norm.size; ++i) to[begin + i] = normal[begin + i] * gains[i] + offsets[i];
  }
}

void multiply_by(const std::vector<float>& mask, std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= mask[i];
}

void embed(const Network& network, const NetworkInput& input, const Dropout& dropout, Random& random,
           NetworkRecord& record) {
  const Index width = network.shape.width;
  record.input.assign(static_cast<std::size_t>(record.words) * width, 0.0F);
  if (dropout.attributes > 0.0F)
    draw_mask(static_cast<std::size_t>(record.words) * input.columns, dropout.attributes, random, record.factors);
  for (Index word = 0; word < record.words; ++word) {
    float* sum = record.input.data() + static_cast<std::size_t>(word) * width;
    const auto rows = input.rows_of(word);
    for (Index column = 0; column < input.columns; ++column) {
      if (rows[column] < 0) continue;
      const float* row = network.embeddings.data() + static_cast<std::size_t>(rows[column]) * width;
      const float factor =
          dropout.attributes > 0.0F ? record.factors[static_cast<std::size_t>(word) * input.columns + column] : 1.0F;
      for (Index i = 0; i < width; ++i) sum[i] += factor * row[i];
    }
  }
  normalize_rows(network, network.layout.input, record.input, record.words, record.normal, record.scales,
                 record.embedded);
  if (dropout.layers > 0.0F) {
    draw_mask(record.embedded.size(), dropout.layers, random, record.mask);
    multiply_by(record.mask, record.embedded);
  }
}

// Copies each word's vector and those of its neighbors; there are zeros beyond the ends of a sentence.
void gather_windows(const NetworkInput& input, Index width, NetworkRecord& record) {
  record.windows.assign(static_cast<std::size_t>(record.words) * 3 * width, 0.0F);
  for (std::size_t s = 0; s + 1 < input.offsets.size(); ++s)
    for (Index word = input.offsets[s]; word < input.offsets[s + 1]; ++word)
      for (Index place = 0; place < 3; ++place) {
        const Index other = word + place - 1;
        if (other < input.offsets[s] || other >= input.offsets[s + 1]) continue;
        std::copy_n(record.embedded.data() + static_cast<std::size_t>(other) * width, width,
                    record.windows.data() + (static_cast<std::size_t>(word) * 3 + place) * width);
      }
}

void convolve(const Network& network, const NetworkInput& input, const Dropout& dropout, Random& random,
              NetworkRecord& record) {
  const Index width = network.shape.width;
  gather_windows(input, width, record);
  apply(network, network.layout.convolution, record.windows.data(), 3 * width, record, record.pieces);
  record.highest.resize(static_cast<std::size_t>(record.words) * width);
  for (Index word = 0; word < record.words; ++word) {
    const float* pieces = record.pieces.data() + static_cast<std::size_t>(word) * 2 * width;
    float* highest = record.highest.data() + static_cast<std::size_t>(word) * width;
    for (Index i = 0; i < width; ++i) highest[i] = std::max(pieces[i], pieces[width + i]);
  }
  normalize_rows(network, network.layout.convolved, record.highest, record.words, record.convolved_normal,
                 record.convolved_scales, record.convolved);
  if (dropout.convolution > 0.0F) {
    draw_mask(record.convolved.size(), dropout.convolution, random, record.convolved_mask);
    multiply_by(record.convolved_mask, record.convolved);
  }
  for (std::size_t i = 0; i < record.convolved.size(); ++i) record.convolved[i] += record.embedded[i];
}

// Runs the recurrence of one direction: cell = value + forget * (cell before - value).
void scan(const LayerRecord& layer, Index hidden, Index first, Index last, Index step, Index offset, float* cells) {
  const std::size_t stride = 6 * static_cast<std::size_t>(hidden), both = 2 * static_cast<std::size_t>(hidden);
  const float* before = nullptr;
  for (Index word = first; word != last; word += step) {
    const float* values = layer.gates.data() + word * stride + offset;
    const float* forget = values + both;
    float* cell = cells + word * both + offset;
    if (before)
      for (Index i = 0; i < hidden; ++i) cell[i] = values[i] + forget[i] * (before[i] - values[i]);
    else
      for (Index i = 0; i < hidden; ++i) cell[i] = values[i] - forget[i] * values[i];
    before = cell;
  }
}

void recur(const Network& network, const NetworkInput& input, const Dropout& dropout, Random& random, Index number,
           const std::vector<float>& from, NetworkRecord& record) {
  const Index hidden = network.shape.hidden, both = 2 * hidden;
  LayerRecord& layer = record.layers[number];
  const Linear& linear = network.layout.layers[number];
  apply(network, linear, from.data(), linear.in, record, layer.gates);
  layer.cells.resize(static_cast<std::size_t>(record.words) * both);
  for (Index word = 0; word < record.words; ++word)
    network.kernels->sigmoid(layer.gates.data() + (static_cast<std::size_t>(word) * 3 + 1) * both, 2 * both);
  for (std::size_t s = 0; s + 1 < input.offsets.size(); ++s) {
    const Index begin = input.offsets[s], end = input.offsets[s + 1];
    scan(layer, hidden, begin, end, 1, 0, layer.cells.data());
    scan(layer, hidden, end - 1, begin - 1, -1, hidden, layer.cells.data());
  }
  normalize_rows(network, network.layout.outputs[number], layer.cells, record.words, layer.normal, layer.scales,
                 layer.output);
  for (Index word = 0; word < record.words; ++word) {
    const float* gates = layer.gates.data() + (static_cast<std::size_t>(word) * 3 + 2) * both;
    float* output = layer.output.data() + static_cast<std::size_t>(word) * both;
    for (Index i = 0; i < both; ++i) output[i] *= gates[i];
  }
  if (dropout.layers > 0.0F) {
    draw_mask(layer.output.size(), dropout.layers, random, layer.mask);
    multiply_by(layer.mask, layer.output);
  }
  if (number > 0)
    for (std::size_t i = 0; i < layer.output.size(); ++i) layer.output[i] += from[i];
}

void project(const Network& network, const Dropout& dropout, Random& random, NetworkRecord& record) {
  const NetworkShape& shape = network.shape;
  const std::size_t stride = shape.projected();
  apply(network, network.layout.projection, record.layers.back().output.data(), 2 * shape.hidden, record,
        record.projected);
  // Labels add head and modifier before they bend the sum; arcs bend each vector.
  for (Index word = 0; word < record.words; ++word) {
    float* row = record.projected.data() + word * stride;
    for (Index i = 0; i < 2 * shape.arc; ++i) row[i] = row[i] > 0.0F ? row[i] : LEAK * row[i];
  }
  if (dropout.layers > 0.0F) {
    draw_mask(record.projected.size(), dropout.layers, random, record.projected_mask);
    multiply_by(record.projected_mask, record.projected);
  }
  const float *heads = record.projected.data(), *modifiers = heads + shape.arc;
  apply(network, network.layout.bilinear, modifiers, stride, record, record.queries);
  apply(network, network.layout.near_modifier, modifiers, stride, record, record.near_modifier);
  apply(network, network.layout.near_head, heads, stride, record, record.near_head);
}

}  // namespace

void forward(const Network& network, const NetworkInput& input, const Dropout& dropout, Random& random,
             NetworkRecord& record) {
  record.words = input.words();
  record.layers.resize(network.shape.depth);
  embed(network, input, dropout, random, record);
  poll();
  convolve(network, input, dropout, random, record);
  for (Index layer = 0; layer < network.shape.depth; ++layer) {
    poll();
    recur(network, input, dropout, random, layer, layer == 0 ? record.convolved : record.layers[layer - 1].output,
          record);
  }
  poll();
  if (network.shape.scores_words())
    apply(network, network.layout.values, record.layers.back().output.data(), 2 * network.shape.hidden, record,
          record.values);
  else
    project(network, dropout, random, record);
}

float bilinear_scale(const NetworkShape& shape) { return 4.0F / std::sqrt(static_cast<float>(shape.arc)); }

void arc_scores(const Network& network, const NetworkRecord& record, Index begin, Index size,
                std::vector<float>& heads_transposed, std::vector<float>& scores) {
  const Index arc = network.shape.arc, stride = padded(size);
  const std::size_t projected = network.shape.projected();
  transpose(record.projected.data() + begin * projected, size, arc, projected, heads_transposed);
  scores.resize(static_cast<std::size_t>(size) * stride);
  network.kernels->multiply(record.queries.data() + static_cast<std::size_t>(begin) * arc, arc,
                            panels_of_rows(heads_transposed.data(), stride), size, arc, stride, nullptr, Into::Set,
                            scores.data(), stride);
  const float scale = bilinear_scale(network.shape);
  for (Index modifier = 0; modifier < size; ++modifier) {
    float* row = scores.data() + static_cast<std::size_t>(modifier) * stride;
    const float* near_modifier =
        record.near_modifier.data() + static_cast<std::size_t>(begin + modifier) * DISTANCE_BINS;
    for (Index head = 0; head < size; ++head) {
      const Index bin = distance_bin(head, modifier);
      const float* near_head = record.near_head.data() + static_cast<std::size_t>(begin + head) * DISTANCE_BINS;
      row[head] = scale * row[head] + near_modifier[bin] + near_head[bin];
    }
    row[modifier] = -std::numeric_limits<float>::infinity();
    std::fill(row + size, row + stride, -std::numeric_limits<float>::infinity());
  }
}

void log_probabilities(const Kernels& kernels, float* row, Index count, std::vector<float>& scratch) {
  const float top = *std::max_element(row, row + count);
  scratch.assign(row, row + count);
  const float sum = kernels.exponentials(scratch.data(), count, top);
  const float log_sum = top + static_cast<float>(logarithm(sum));
  for (Index i = 0; i < count; ++i) row[i] -= log_sum;
}

void label_pair(const Network& network, const NetworkRecord& record, Index head, Index modifier, float* pair) {
  const NetworkShape& shape = network.shape;
  const std::size_t stride = shape.projected();
  const float* of_head = record.projected.data() + head * stride + 2 * shape.arc;
  const float* of_modifier = record.projected.data() + modifier * stride + 2 * shape.arc + shape.label;
  for (Index i = 0; i < shape.label; ++i) {
    const float sum = of_head[i] + of_modifier[i];
    pair[i] = sum > 0.0F ? sum : LEAK * sum;
  }
}

void label_probabilities(const Network& network, NetworkRecord& record, Index head, Index modifier, float* out) {
  record.pair.resize(network.shape.label);
  label_pair(network, record, head, modifier, record.pair.data());
  const Linear& linear = network.layout.label;
  apply(network, linear, record.pair.data(), linear.in, 1, record.rounded, out);
  std::fill(out + network.shape.labels, out + linear.out, -std::numeric_limits<float>::infinity());
  log_probabilities(*network.kernels, out, linear.out, record.scratch);
}

}  // namespace headlong
