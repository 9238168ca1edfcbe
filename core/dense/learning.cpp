#include "dense/learning.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"

namespace headlong {

namespace {

// base^exponent by repeated squaring, the same on every machine.
float power(float base, Index exponent) {
  float result = 1.0F;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

// Moves weights [count] by one step of Adam. `rate` includes the correction of both moments for their start at zero.
void adam(const AdamOptions& options, std::size_t count, const float* gradient, float clip, float rate,
          float correction, float* first, float* second, float* weights) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = clip * gradient[i];
    first[i] += (1.0F - options.beta1) * (g - first[i]);
    second[i] += (1.0F - options.beta2) * (g * g - second[i]);
    weights[i] -= rate * first[i] / (std::sqrt(second[i] * correction) + options.epsilon);
  }
}

double squared_norm(std::span<const float> values) {
  double sum = 0.0;
  for (float value : values) sum += static_cast<double>(value) * value;
  return sum;
}

}  // namespace

NetworkTrainer::NetworkTrainer(const NetworkShape& shape, std::span<float> weights, std::span<float> embeddings,
                               Instructions instructions)
    : network_(shape, weights, embeddings, instructions),
      weights_(weights),
      embeddings_(embeddings),
      first_mapped_(static_cast<Index>(embeddings.size() / shape.width)) {
  for (auto* moment : {&state_.first, &state_.second}) moment->assign(weights.size(), 0.0F);
  for (auto* moment : {&state_.row_first, &state_.row_second}) moment->assign(embeddings.size(), 0.0F);
}

double NetworkTrainer::step(const NetworkInput& corpus, const NetworkGold& gold, std::span<const Index> sentences,
                            const Dropout& dropout, float label_share, float rate, std::uint64_t seed,
                            std::size_t threads) {
  network_.repack(Purpose::Training);
  Index words = 0;
  for (Share& share : shares_) {
    for (auto* column : {&share.rows, &share.heads, &share.labels}) column->clear();
    share.offsets.assign(1, 0);
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    Share& share = shares_[i % SHARES];
    const Index begin = corpus.offsets[sentences[i]], end = corpus.offsets[sentences[i] + 1];
    const auto rows = corpus.rows.subspan(static_cast<std::size_t>(begin) * corpus.columns,
                                          static_cast<std::size_t>(end - begin) * corpus.columns);
    share.rows.insert(share.rows.end(), rows.begin(), rows.end());
    share.heads.insert(share.heads.end(), gold.heads.begin() + begin, gold.heads.begin() + end);
    share.labels.insert(share.labels.end(), gold.labels.begin() + begin, gold.labels.begin() + end);
    share.offsets.push_back(share.offsets.back() + end - begin);
    words += end - begin - 1;
  }
  for (const Share& share : shares_) map_vectors(share.rows);
  parallel_for(SHARES, threads, [&](std::size_t, std::size_t i) {
    Share& share = shares_[i];
    share.gradient.clear(network_);
    if (share.offsets.back() == 0) return;
    const NetworkInput input{share.rows, share.offsets, corpus.columns};
    Random random(scatter(seed) + i);
    forward(network_, input, dropout, random, share.record);
    backward(network_, input, {share.heads, share.labels}, dropout, 1.0F / static_cast<float>(std::max(words, 1)),
             label_share, share.record, share.workspace, share.gradient);
  });
  double loss = 0.0;
  for (const Share& share : shares_) loss += share.gradient.loss;
  move(rate);
  return loss;
}

void NetworkTrainer::set_vectors(std::span<const float> vectors) {
  vectors_ = vectors;
  mapped_until_.assign(vectors.size() / network_.shape.vectors, -1);
  first_mapped_ = static_cast<Index>(embeddings_.size() / network_.shape.width - mapped_until_.size());
}

// Computes the embeddings of the words with vectors among `rows`.
void NetworkTrainer::map_vectors(std::span<const Index> rows) {
  const std::size_t width = network_.shape.width, size = network_.shape.vectors;
  for (Index row : rows) {
    if (row < first_mapped_ || mapped_until_[row - first_mapped_] == state_.steps) continue;
    mapped_until_[row - first_mapped_] = state_.steps;
    const float* vector = vectors_.data() + (row - first_mapped_) * size;
    const float* map = weights_.data() + network_.layout.vectors;
    float* embedding = embeddings_.data() + row * width;
    std::fill_n(embedding, width, 0.0F);
    for (std::size_t i = 0; i < size; ++i, map += width)
      for (std::size_t k = 0; k < width; ++k) embedding[k] += vector[i] * map[k];
  }
}

// Passes the gradients of embeddings that are computed from vectors on to the map, and forgets them.
void NetworkTrainer::learn_map(NetworkGradient& gradient) const {
  const std::size_t width = network_.shape.width, size = network_.shape.vectors;
  for (Index row : gradient.touched) {
    if (row < first_mapped_) continue;
    const float* vector = vectors_.data() + (row - first_mapped_) * size;
    float* map = gradient.weights.data() + network_.layout.vectors;
    float* embedding = gradient.embeddings.data() + row * width;
    for (std::size_t i = 0; i < size; ++i, map += width)
      for (std::size_t k = 0; k < width; ++k) map[k] += vector[i] * embedding[k];
    std::fill_n(embedding, width, 0.0F);
    gradient.is_touched[row] = 0;
  }
  std::erase_if(gradient.touched, [&](Index row) { return row >= first_mapped_; });
}

void NetworkTrainer::move(float rate) {
  const std::size_t width = network_.shape.width;
  NetworkGradient& sum = shares_[0].gradient;
  for (std::size_t i = 1; i < SHARES; ++i) {
    const NetworkGradient& other = shares_[i].gradient;
    for (std::size_t k = 0; k < sum.weights.size(); ++k) sum.weights[k] += other.weights[k];
    for (Index row : other.touched) {
      if (!sum.is_touched[row]) sum.is_touched[row] = 1, sum.touched.push_back(row);
      for (std::size_t k = row * width; k < (row + 1) * width; ++k) sum.embeddings[k] += other.embeddings[k];
    }
  }
  learn_map(sum);
  double norm = squared_norm(sum.weights);
  for (Index row : sum.touched) norm += squared_norm(std::span(sum.embeddings).subspan(row * width, width));
  norm = std::sqrt(norm);
  const float clip = norm > options_.largest_norm ? static_cast<float>(options_.largest_norm / norm) : 1.0F;
  ++state_.steps;
  decay1_ *= options_.beta1;
  decay2_ *= options_.beta2;
  const float corrected = static_cast<float>(rate / (1.0 - decay1_));
  const float correction = static_cast<float>(1.0 / (1.0 - decay2_));
  adam(options_, weights_.size(), sum.weights.data(), clip, corrected, correction, state_.first.data(),
       state_.second.data(), weights_.data());
  for (std::size_t k = 0; k < state_.average.size(); ++k)
    state_.average[k] += options_.average_rate * (weights_[k] - state_.average[k]);
  for (Index row : sum.touched) {
    catch_up(row);
    const std::size_t begin = row * width;
    adam(options_, width, sum.embeddings.data() + begin, clip, corrected, correction, state_.row_first.data() + begin,
         state_.row_second.data() + begin, embeddings_.data() + begin);
  }
}

// Averages a row over the steps since its last change, before it changes again.
void NetworkTrainer::catch_up(Index row) {
  if (state_.row_average.empty()) return;
  const Index count = state_.steps - 1 - state_.averaged_until[row];
  state_.averaged_until[row] = state_.steps - 1;
  const float share = 1.0F - power(1.0F - options_.average_rate, count);
  const std::size_t width = network_.shape.width;
  for (std::size_t k = row * width; k < (row + 1) * width; ++k)
    state_.row_average[k] += share * (embeddings_[k] - state_.row_average[k]);
}

void NetworkTrainer::restore(State state) {
  state_ = std::move(state);
  std::fill(mapped_until_.begin(), mapped_until_.end(), -1);
  decay1_ = decay2_ = 1.0;
  for (Index step = 0; step < state_.steps; ++step) decay1_ *= options_.beta1, decay2_ *= options_.beta2;
}

void NetworkTrainer::start_average() {
  state_.average.assign(weights_.begin(), weights_.end());
  state_.row_average.assign(embeddings_.begin(), embeddings_.end());
  state_.averaged_until.assign(embeddings_.size() / network_.shape.width, state_.steps);
}

void NetworkTrainer::average(std::span<float> weights, std::span<float> embeddings) {
  if (state_.average.empty()) {
    std::copy(weights_.begin(), weights_.end(), weights.begin());
    std::copy(embeddings_.begin(), embeddings_.end(), embeddings.begin());
    return;
  }
  ++state_.steps;  // `catch_up` looks at the step before
  for (std::size_t row = 0; row < state_.averaged_until.size(); ++row) catch_up(static_cast<Index>(row));
  --state_.steps;
  std::copy(state_.average.begin(), state_.average.end(), weights.begin());
  std::copy(state_.row_average.begin(), state_.row_average.end(), embeddings.begin());
}

}  // namespace headlong
