#include "chain/lattice.hpp"

#include <algorithm>
#include <cmath>

#include "base/semiring.hpp"
#include "base/stop.hpp"

namespace headlong {

namespace {

// The step into an item: `kept` labels stay visible, the recursion sums over `sums` labels, and `width` labels are new.
struct Step {
  Index kept = 1, sums = 1, width = 1;
};

Step find_step(const Lattice& lattice, Index item) {
  if (lattice.order == 2) return {lattice.width(item - 1), lattice.width(item - 2), lattice.width(item)};
  if (lattice.order == 1) return {1, lattice.width(item - 1), lattice.width(item)};
  return {1, 1, lattice.width(item)};
}

// Returns the score of a pair of labels, without triples.
Score pair_score(const Lattice& lattice, Index item, Index previous, Index candidate) {
  Score score = 0.0;
  if (lattice.pairs)
    score += lattice.pairs[static_cast<std::size_t>(lattice.label(item - 1, previous)) * lattice.labels +
                           lattice.label(item, candidate)];
  if (!lattice.item_pairs.empty())
    score +=
        lattice.item_pairs[lattice.tiles[item] + static_cast<std::size_t>(previous) * lattice.width(item) + candidate];
  return score;
}

// Fills a row over the labels that are summed over: the score of the step, including its node, for one kept and one new
// label.
void fill_edge_row(const Lattice& lattice, Index item, const Step& step, Index kept, Index candidate, Score* row) {
  const Score node = lattice.nodes[lattice.begins[item] + candidate];
  if (lattice.order < 2) {
    for (Index s = 0; s < step.sums; ++s)
      row[s] = node + (lattice.order == 1 ? pair_score(lattice, item, s, candidate) : 0.0);
    return;
  }
  const Score base = node + pair_score(lattice, item, kept, candidate);
  if (!lattice.triples) {
    std::fill_n(row, step.sums, base);
    return;
  }
  const std::size_t labels = lattice.labels, previous = lattice.label(item - 1, kept);
  const float* triples = lattice.triples + (previous * labels + lattice.label(item, candidate)) * (labels + 1);
  if (item < 2) {
    row[0] = base + triples[labels];
    return;
  }
  const Index* before = lattice.candidates.data() + lattice.begins[item - 2];
  for (Index s = 0; s < step.sums; ++s) row[s] = base + triples[before[s]];
}

void lay_out(const Lattice& lattice, LatticeWorkspace& w) {
  w.states.assign(1, 0);
  for (Index item = 0; item < lattice.size(); ++item) {
    const Step step = find_step(lattice, item);
    w.states.push_back(w.states.back() + static_cast<std::size_t>(step.kept) * step.width);
  }
  w.inside.resize(w.states.back());
}

template <class Semiring>
Score sum_states(const LatticeWorkspace& w, Index item) {
  Score total = Semiring::zero();
  for (std::size_t state = w.states[item]; state < w.states[item + 1]; ++state)
    total = Semiring::plus(total, w.inside[state]);
  return total;
}

// Fills w.row with the states before a step that keep label `kept`, one per label that is summed over. With order 0,
// all paths so far form a single state.
template <class Semiring>
void gather_states_before(const Lattice& lattice, Index item, const Step& step, Index kept, LatticeWorkspace& w) {
  w.row.resize(step.sums);
  if (item == 0)
    std::fill(w.row.begin(), w.row.end(), Semiring::one());
  else if (lattice.order == 0)
    w.row[0] = sum_states<Semiring>(w, item - 1);
  else
    for (Index s = 0; s < step.sums; ++s)
      w.row[s] = w.inside[w.states[item - 1] + static_cast<std::size_t>(s) * step.kept + kept];
}

template <class Semiring>
Score run_forward(const Lattice& lattice, LatticeWorkspace& w) {
  lay_out(lattice, w);
  WorkCounter work;
  for (Index item = 0; item < lattice.size(); ++item) {
    const Step step = find_step(lattice, item);
    work.add(static_cast<std::size_t>(step.kept) * step.width * step.sums);
    w.edges.resize(step.sums);
    Score* inside = w.inside.data() + w.states[item];
    for (Index kept = 0; kept < step.kept; ++kept) {
      gather_states_before<Semiring>(lattice, item, step, kept, w);
      for (Index c = 0; c < step.width; ++c) {
        fill_edge_row(lattice, item, step, kept, c, w.edges.data());
        *inside++ = Semiring::dot(w.row.data(), w.edges.data(), step.sums);
      }
    }
  }
  return lattice.size() == 0 ? Semiring::one() : sum_states<Semiring>(w, lattice.size() - 1);
}

void run_backward(const Lattice& lattice, LatticeWorkspace& w) {
  w.outside.assign(w.states.back(), LogSumExp::one());
  WorkCounter work;
  for (Index item = lattice.size() - 1; item > 0; --item) {
    const Step step = find_step(lattice, item);
    work.add(static_cast<std::size_t>(step.kept) * step.width * step.sums);
    const std::size_t width = step.width;
    w.edges.resize(step.sums);
    w.more.resize(step.sums * width);
    for (Index kept = 0; kept < step.kept; ++kept) {
      for (std::size_t c = 0; c < width; ++c) {
        fill_edge_row(lattice, item, step, kept, static_cast<Index>(c), w.edges.data());
        for (Index s = 0; s < step.sums; ++s) w.more[s * width + c] = w.edges[s];
      }
      const Score* after = w.outside.data() + w.states[item] + kept * width;
      for (Index s = 0; s < step.sums; ++s) {
        const Score total = LogSumExp::dot(w.more.data() + s * width, after, width);
        if (lattice.order == 0)
          std::fill(w.outside.begin() + w.states[item - 1], w.outside.begin() + w.states[item], total);
        else
          w.outside[w.states[item - 1] + static_cast<std::size_t>(s) * step.kept + kept] = total;
      }
    }
  }
}

}  // namespace

Score best_path(const Lattice& lattice, std::span<Index> chosen, LatticeWorkspace& w) {
  const Score best = run_forward<MaxPlus>(lattice, w);
  if (lattice.size() == 0) return best;
  // Finds the best last state, then from each state its best predecessor. No back-pointers are stored.
  const Index last = lattice.size() - 1;
  auto best_state = [&](Index item) {
    const auto begin = w.inside.begin() + w.states[item], end = w.inside.begin() + w.states[item + 1];
    return static_cast<Index>(std::max_element(begin, end) - begin);
  };
  Index state = best_state(last);
  for (Index item = last; item >= 0; --item) {
    const Step step = find_step(lattice, item);
    const Index kept = state / step.width, candidate = state % step.width;
    chosen[item] = candidate;
    if (item == 0) break;
    if (lattice.order == 0) {
      state = best_state(item - 1);
      continue;
    }
    gather_states_before<MaxPlus>(lattice, item, step, kept, w);
    w.edges.resize(step.sums);
    fill_edge_row(lattice, item, step, kept, candidate, w.edges.data());
    Index from = 0;
    for (Index s = 1; s < step.sums; ++s)
      if (w.row[s] + w.edges[s] > w.row[from] + w.edges[from]) from = s;
    state = from * step.kept + kept;
  }
  return best;
}

Score path_marginals(const Lattice& lattice, std::span<double> probabilities, LatticeWorkspace& w) {
  const Score log_partition = run_forward<LogSumExp>(lattice, w);
  std::fill(probabilities.begin(), probabilities.end(), 0.0);
  if (log_partition == NEGATIVE_INFINITY) return log_partition;
  run_backward(lattice, w);
  for (Index item = 0; item < lattice.size(); ++item) {
    const Index width = lattice.width(item);
    for (std::size_t state = w.states[item]; state < w.states[item + 1]; ++state)
      probabilities[lattice.begins[item] + (state - w.states[item]) % width] +=
          std::exp(w.inside[state] + w.outside[state] - log_partition);
  }
  return log_partition;
}

void edge_marginals(const Lattice& lattice, Index item, Score log_partition, LatticeWorkspace& w,
                    std::vector<double>& probabilities) {
  const Step step = find_step(lattice, item);
  probabilities.resize(static_cast<std::size_t>(step.kept) * step.width * step.sums);
  w.edges.resize(step.sums);
  double* out = probabilities.data();
  for (Index kept = 0; kept < step.kept; ++kept) {
    gather_states_before<LogSumExp>(lattice, item, step, kept, w);
    for (Index c = 0; c < step.width; ++c) {
      fill_edge_row(lattice, item, step, kept, c, w.edges.data());
      const Score after = w.outside[w.states[item] + static_cast<std::size_t>(kept) * step.width + c] - log_partition;
      for (Index s = 0; s < step.sums; ++s) *out++ = std::exp(w.row[s] + w.edges[s] + after);
    }
  }
}

Score path_score(const Lattice& lattice, std::span<const Index> chosen) {
  Score total = 0.0;
  std::vector<Score> row;
  for (Index item = 0; item < lattice.size(); ++item) {
    const Step step = find_step(lattice, item);
    auto at = [&](Index i) { return i < 0 ? 0 : chosen[i]; };
    row.resize(step.sums);
    fill_edge_row(lattice, item, step, lattice.order == 2 ? at(item - 1) : 0, chosen[item], row.data());
    total += row[lattice.order == 2 ? at(item - 2) : lattice.order == 1 ? at(item - 1) : 0];
  }
  return total;
}

}  // namespace headlong
