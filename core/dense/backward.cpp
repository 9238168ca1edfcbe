#include <algorithm>
#include <cmath>
#include <limits>

#include "dense/learning.hpp"

namespace headlong {

void NetworkGradient::clear(const Network& network) {
  const std::size_t width = network.shape.width;
  weights.assign(network.weights.size(), 0.0F);
  embeddings.resize(network.embeddings.size(), 0.0F);
  is_touched.resize(network.embeddings.size() / width, 0);
  for (Index row : touched) {
    std::fill_n(embeddings.data() + row * width, width, 0.0F);
    is_touched[row] = 0;
  }
  touched.clear();
  loss = 0.0;
}

namespace {

class Backward {
 public:
  Backward(const Network& network, const NetworkInput& input, const NetworkGold& gold, const Dropout& dropout,
           NetworkRecord& record, BackwardWorkspace& workspace, NetworkGradient& gradient)
      : network_(network),
        input_(input),
        gold_(gold),
        dropout_(dropout),
        record_(record),
        workspace_(workspace),
        gradient_(gradient),
        shape_(network.shape),
        words_(record.words) {}

  void run(float share, float label_share) {
    if (shape_.scores_words()) {
      values(share);
    } else {
      workspace_.projected.assign(record_.projected.size(), 0.0F);
      arcs(share);
      labels(share * label_share, label_share);
      project();
    }
    for (Index layer = shape_.depth - 1; layer >= 0; --layer) recur(layer);
    convolve();
    embed();
  }

 private:
  // Adds the gradients of a linear map with the given inputs [words][linear.in], `stride` floats apart, and of its
  // inputs, if wanted.
  void linear(const Linear& map, const float* input, std::size_t stride, const std::vector<float>& output, float* below,
              std::size_t below_stride, Into into) {
    const Kernels& kernels = *network_.kernels;
    transpose(input, words_, map.in, stride, workspace_.transposed);
    const Panels panels = pack(output.data(), words_, map.out, map.out, workspace_.packed);
    kernels.multiply(workspace_.transposed.data(), padded(words_), panels, map.in, words_, map.out, nullptr, Into::Add,
                     gradient_.weights.data() + map.begin, map.out);
    float* bias = gradient_.weights.data() + map.bias();
    for (Index word = 0; word < words_; ++word)
      for (Index i = 0; i < map.out; ++i) bias[i] += output[static_cast<std::size_t>(word) * map.out + i];
    kernels.multiply(output.data(), map.out, network_.packed_of(map).transposed, words_, map.out, map.in, nullptr, into,
                     below, below_stride);
  }

  // Turns the gradients of normalized rows into those of the rows before.
  void normalize(const Norm& norm, const std::vector<float>& normal, const std::vector<float>& scales,
                 std::vector<float>& values) {
    const float* gains = network_.weights.data() + norm.begin;
    float *gain = gradient_.weights.data() + norm.begin, *offset = gain + norm.size;
    for (Index word = 0; word < words_; ++word) {
      const float* x = normal.data() + static_cast<std::size_t>(word) * norm.size;
      float* d = values.data() + static_cast<std::size_t>(word) * norm.size;
      float sum = 0.0F, product = 0.0F;
      for (Index i = 0; i < norm.size; ++i) {
        gain[i] += d[i] * x[i];
        offset[i] += d[i];
        d[i] *= gains[i];
        sum += d[i];
        product += d[i] * x[i];
      }
      sum /= static_cast<float>(norm.size);
      product /= static_cast<float>(norm.size);
      for (Index i = 0; i < norm.size; ++i) d[i] = scales[word] * (d[i] - sum - x[i] * product);
    }
  }

  static void multiply_by(const std::vector<float>& mask, bool on, std::vector<float>& values) {
    for (std::size_t i = 0; on && i < values.size(); ++i) values[i] *= mask[i];
  }

  // Replaces scores [count] by the gradient of the loss: probabilities minus what is right.
  void differentiate(float* scores, Index count, Index gold, float share) {
    const float top = *std::max_element(scores, scores + count), right = scores[gold];
    const float sum = network_.kernels->exponentials(scores, count, top);
    gradient_.loss += share * (top + logarithm(sum) - right);
    for (Index i = 0; i < count; ++i) scores[i] *= share / sum;
    scores[gold] -= share;
  }

  void values(float share) {
    const Linear& map = network_.layout.values;
    const Index groups = static_cast<Index>(shape_.groups.size());
    std::vector<float>&scores = workspace_.scores, &group_scores = workspace_.label_scores;
    scores.assign(record_.values.size(), 0.0F);
    for (Index word = 0; word < words_; ++word) {
      std::size_t begin = static_cast<std::size_t>(word) * map.out;
      for (Index group = 0; group < groups; begin += shape_.groups[group++]) {
        const Index gold = gold_.values[static_cast<std::size_t>(word) * groups + group], count = shape_.groups[group];
        if (gold < 0) continue;
        group_scores.assign(padded(count), -std::numeric_limits<float>::infinity());
        std::copy_n(record_.values.data() + begin, count, group_scores.data());
        differentiate(group_scores.data(), padded(count), gold, share);
        std::copy_n(group_scores.data(), count, scores.data() + begin);
      }
    }
    const std::vector<float>& output = record_.layers.back().output;
    workspace_.output.resize(output.size());
    linear(map, output.data(), map.in, scores, workspace_.output.data(), map.in, Into::Set);
  }

  void arcs(float share) {
    workspace_.queries.assign(record_.queries.size(), 0.0F);
    workspace_.near_modifier.assign(record_.near_modifier.size(), 0.0F);
    workspace_.near_head.assign(record_.near_head.size(), 0.0F);
    for (std::size_t s = 0; s + 1 < input_.offsets.size(); ++s)
      sentence_arcs(input_.offsets[s], input_.offsets[s + 1] - input_.offsets[s], share);
  }

  void sentence_arcs(Index begin, Index size, float share) {
    const Index arc = shape_.arc, stride = padded(size);
    const std::size_t projected = shape_.projected();
    std::vector<float>& scores = workspace_.scores;
    arc_scores(network_, record_, begin, size, workspace_.transposed, scores);
    const float scale = bilinear_scale(shape_);
    for (Index modifier = 0; modifier < size; ++modifier) {
      float* row = scores.data() + static_cast<std::size_t>(modifier) * stride;
      const Index gold = gold_.heads[begin + modifier];
      if (gold < 0) {
        std::fill_n(row, stride, 0.0F);
        continue;
      }
      differentiate(row, stride, gold, share);
      for (Index head = 0; head < size; ++head) {
        const Index bin = distance_bin(head, modifier);
        workspace_.near_modifier[static_cast<std::size_t>(begin + modifier) * DISTANCE_BINS + bin] += row[head];
        workspace_.near_head[static_cast<std::size_t>(begin + head) * DISTANCE_BINS + bin] += row[head];
        row[head] *= scale;
      }
    }
    const Kernels& kernels = *network_.kernels;
    kernels.multiply(scores.data(), stride, panels_of_rows(record_.projected.data() + begin * projected, projected),
                     size, size, arc, nullptr, Into::Set,
                     workspace_.queries.data() + static_cast<std::size_t>(begin) * arc, arc);
    transpose(scores.data(), size, size, stride, workspace_.transposed);
    kernels.multiply(workspace_.transposed.data(), stride,
                     panels_of_rows(record_.queries.data() + static_cast<std::size_t>(begin) * arc, arc), size, size,
                     arc, nullptr, Into::Add, workspace_.projected.data() + begin * projected, projected);
  }

  // Returns the word's head, counted in the input, or -1 if its label is not to be learned.
  Index head_of(Index word, Index begin) const {
    return gold_.heads[word] < 0 || gold_.labels[word] < 0 ? -1 : begin + gold_.heads[word];
  }

  template <class Visit>
  void for_each_labeled(Visit visit) const {
    for (std::size_t s = 0; s + 1 < input_.offsets.size(); ++s)
      for (Index word = input_.offsets[s]; word < input_.offsets[s + 1]; ++word)
        if (const Index head = head_of(word, input_.offsets[s]); head >= 0) visit(word, head);
  }

  void labels(float share, float label_share) {
    if (label_share == 0.0F) return;
    const Linear& map = network_.layout.label;
    std::vector<float>&pairs = workspace_.pairs, &scores = workspace_.label_scores;
    pairs.assign(static_cast<std::size_t>(words_) * shape_.label, 0.0F);
    for_each_labeled([&](Index word, Index head) {
      label_pair(network_, record_, head, word, pairs.data() + static_cast<std::size_t>(word) * shape_.label);
    });
    scores.resize(static_cast<std::size_t>(words_) * map.out);
    network_.kernels->multiply(pairs.data(), map.in, network_.packed_of(map).panels, words_, map.in, map.out,
                               network_.weights.data() + map.bias(), Into::Set, scores.data(), map.out);
    std::vector<std::uint8_t> used(words_, 0);
    for_each_labeled([&](Index word, Index) {
      float* row = scores.data() + static_cast<std::size_t>(word) * map.out;
      used[word] = 1;
      std::fill(row + shape_.labels, row + map.out, -std::numeric_limits<float>::infinity());
      differentiate(row, map.out, gold_.labels[word], share);
      std::fill(row + shape_.labels, row + map.out, 0.0F);
    });
    for (Index word = 0; word < words_; ++word)
      if (!used[word]) std::fill_n(scores.data() + static_cast<std::size_t>(word) * map.out, map.out, 0.0F);
    workspace_.below.resize(pairs.size());
    linear(map, pairs.data(), map.in, scores, workspace_.below.data(), map.in, Into::Set);
    const std::size_t projected = shape_.projected();
    for_each_labeled([&](Index word, Index head) {
      const float* d = workspace_.below.data() + static_cast<std::size_t>(word) * shape_.label;
      const float* pair = pairs.data() + static_cast<std::size_t>(word) * shape_.label;
      float* of_head = workspace_.projected.data() + head * projected + 2 * shape_.arc;
      float* of_modifier = workspace_.projected.data() + word * projected + 2 * shape_.arc + shape_.label;
      for (Index i = 0; i < shape_.label; ++i) {
        const float moved = pair[i] > 0.0F ? d[i] : LEAK * d[i];
        of_head[i] += moved;
        of_modifier[i] += moved;
      }
    });
  }

  void project() {
    const std::size_t stride = shape_.projected();
    const NetworkLayout& layout = network_.layout;
    const float *heads = record_.projected.data(), *modifiers = heads + shape_.arc;
    float *below = workspace_.projected.data(), *below_modifiers = below + shape_.arc;
    linear(layout.bilinear, modifiers, stride, workspace_.queries, below_modifiers, stride, Into::Add);
    linear(layout.near_modifier, modifiers, stride, workspace_.near_modifier, below_modifiers, stride, Into::Add);
    linear(layout.near_head, heads, stride, workspace_.near_head, below, stride, Into::Add);
    multiply_by(record_.projected_mask, dropout_.layers > 0.0F, workspace_.projected);
    for (Index word = 0; word < words_; ++word)
      for (Index i = 0; i < 2 * shape_.arc; ++i)
        if (record_.projected[word * stride + i] <= 0.0F) workspace_.projected[word * stride + i] *= LEAK;
    const std::vector<float>& output = record_.layers.back().output;
    workspace_.output.resize(output.size());
    linear(layout.projection, output.data(), layout.projection.in, workspace_.projected, workspace_.output.data(),
           layout.projection.in, Into::Set);
  }

  // Runs the recurrence of one direction backward: from the gradients of cells to those of values and forget gates.
  void scan(const LayerRecord& layer, Index first, Index last, Index step, Index offset) {
    const Index hidden = shape_.hidden;
    const std::size_t both = 2 * static_cast<std::size_t>(hidden);
    std::vector<float> carried(hidden, 0.0F);
    for (Index word = last - step; word != first - step; word -= step) {
      const float* values = layer.gates.data() + word * 3 * both + offset;
      const float* forget = values + both;
      const float* before = word == first ? nullptr : layer.cells.data() + (word - step) * both + offset;
      const float* cell = workspace_.cells.data() + word * both + offset;
      float* value_gradient = workspace_.gates.data() + word * 3 * both + offset;
      float* forget_gradient = value_gradient + both;
      for (Index i = 0; i < hidden; ++i) {
        const float d = cell[i] + carried[i], earlier = before ? before[i] : 0.0F;
        value_gradient[i] = d - d * forget[i];
        forget_gradient[i] = d * (earlier - values[i]) * forget[i] * (1.0F - forget[i]);
        carried[i] = d * forget[i];
      }
    }
  }

  void recur(Index number) {
    const Index both = 2 * shape_.hidden;
    const LayerRecord& layer = record_.layers[number];
    const Norm& norm = network_.layout.outputs[number];
    const float *gains = network_.weights.data() + norm.begin, *offsets = gains + norm.size;
    workspace_.gates.resize(layer.gates.size());
    workspace_.cells = workspace_.output;
    multiply_by(layer.mask, dropout_.layers > 0.0F, workspace_.cells);
    for (Index word = 0; word < words_; ++word)
      for (Index i = 0; i < both; ++i) {
        const std::size_t place = static_cast<std::size_t>(word) * both + i;
        const std::size_t gate_place = (static_cast<std::size_t>(word) * 3 + 2) * both + i;
        const float gate = layer.gates[gate_place], d = workspace_.cells[place];
        workspace_.gates[gate_place] = d * (layer.normal[place] * gains[i] + offsets[i]) * gate * (1.0F - gate);
        workspace_.cells[place] = d * gate;
      }
    normalize(norm, layer.normal, layer.scales, workspace_.cells);
    for (std::size_t s = 0; s + 1 < input_.offsets.size(); ++s) {
      const Index begin = input_.offsets[s], end = input_.offsets[s + 1];
      scan(layer, begin, end, 1, 0);
      scan(layer, end - 1, begin - 1, -1, shape_.hidden);
    }
    const std::vector<float>& from = number == 0 ? record_.convolved : record_.layers[number - 1].output;
    const Linear& map = network_.layout.layers[number];
    if (number == 0) workspace_.output.resize(from.size());
    linear(map, from.data(), map.in, workspace_.gates, workspace_.output.data(), map.in,
           number == 0 ? Into::Set : Into::Add);
  }

  void convolve() {
    const Index width = shape_.width;
    const Linear& map = network_.layout.convolution;
    workspace_.cells = workspace_.output;
    multiply_by(record_.convolved_mask, dropout_.convolution > 0.0F, workspace_.cells);
    normalize(network_.layout.convolved, record_.convolved_normal, record_.convolved_scales, workspace_.cells);
    workspace_.gates.assign(record_.pieces.size(), 0.0F);
    for (Index word = 0; word < words_; ++word)
      for (Index i = 0; i < width; ++i) {
        const std::size_t row = static_cast<std::size_t>(word) * 2 * width;
        const bool second = record_.pieces[row + width + i] > record_.pieces[row + i];
        workspace_.gates[row + (second ? width : 0) + i] = workspace_.cells[static_cast<std::size_t>(word) * width + i];
      }
    workspace_.windows.resize(record_.windows.size());
    linear(map, record_.windows.data(), map.in, workspace_.gates, workspace_.windows.data(), map.in, Into::Set);
    for (std::size_t s = 0; s + 1 < input_.offsets.size(); ++s)
      for (Index word = input_.offsets[s]; word < input_.offsets[s + 1]; ++word)
        for (Index place = 0; place < 3; ++place) {
          const Index other = word + place - 1;
          if (other < input_.offsets[s] || other >= input_.offsets[s + 1]) continue;
          const float* from = workspace_.windows.data() + (static_cast<std::size_t>(word) * 3 + place) * width;
          float* to = workspace_.output.data() + static_cast<std::size_t>(other) * width;
          for (Index i = 0; i < width; ++i) to[i] += from[i];
        }
  }

  void embed() {
    const Index width = shape_.width;
    multiply_by(record_.mask, dropout_.layers > 0.0F, workspace_.output);
    normalize(network_.layout.input, record_.normal, record_.scales, workspace_.output);
    for (Index word = 0; word < words_; ++word) {
      const float* d = workspace_.output.data() + static_cast<std::size_t>(word) * width;
      const auto rows = input_.rows_of(word);
      for (Index column = 0; column < input_.columns; ++column) {
        const Index row = rows[column];
        if (row < 0) continue;
        const float factor = dropout_.attributes > 0.0F
                                 ? record_.factors[static_cast<std::size_t>(word) * input_.columns + column]
                                 : 1.0F;
        if (factor == 0.0F) continue;
        if (!gradient_.is_touched[row]) gradient_.is_touched[row] = 1, gradient_.touched.push_back(row);
        float* to = gradient_.embeddings.data() + static_cast<std::size_t>(row) * width;
        for (Index i = 0; i < width; ++i) to[i] += factor * d[i];
      }
    }
  }

  const Network& network_;
  const NetworkInput& input_;
  const NetworkGold& gold_;
  const Dropout& dropout_;
  NetworkRecord& record_;
  BackwardWorkspace& workspace_;
  NetworkGradient& gradient_;
  const NetworkShape& shape_;
  Index words_;
};

}  // namespace

void backward(const Network& network, const NetworkInput& input, const NetworkGold& gold, const Dropout& dropout,
              float share, float label_share, NetworkRecord& record, BackwardWorkspace& workspace,
              NetworkGradient& gradient) {
  Backward(network, input, gold, dropout, record, workspace, gradient).run(share, label_share);
}

}  // namespace headlong
