#include "chain/model.hpp"

#include <algorithm>
#include <tuple>

#include "base/threads.hpp"

namespace headlong {

namespace {

// Finds the table rows of an item's features. `relation` is the code of the previous label, for pair templates.
std::span<const Code> find_features(const Templates& templates, const SlotCodes& codes, Index item, Code relation,
                                    int shift, std::vector<Code>& scratch) {
  scratch.resize(templates.count);
  feature_indices(codes, templates, &item, &relation, shift, scratch.data());
  return scratch;
}

Code previous_code(Index label) { return mix(static_cast<Code>(label) + 1); }

template <class Weight>
std::span<const Index> facets_of(const ChainModel<Weight>& model, Index label) {
  return model.facets.subspan(model.facet_begins[label], model.facet_begins[label + 1] - model.facet_begins[label]);
}

template <class Weight>
Score label_score(const ChainModel<Weight>& model, const float* row, Index label) {
  Score score = 0.0;
  for (const Index column : facets_of(model, label)) score += row[column];
  return score;
}

template <class Weight>
void choose_candidates(const ChainModel<Weight>& model, const Sequences& sequences, Index begin, Index size,
                       ChainWorkspace& w) {
  w.begins.resize(size + 1);
  if (!sequences.begins.empty()) {
    const Index first = sequences.begins[begin];
    for (Index item = 0; item <= size; ++item) w.begins[item] = sequences.begins[begin + item] - first;
    w.lattice.candidates = sequences.candidates.subspan(first, w.begins[size]);
  } else {
    const std::size_t count = static_cast<std::size_t>(size) * model.labels;
    for (std::size_t node = w.candidates.size(); node < count; ++node)
      w.candidates.push_back(static_cast<Index>(node % model.labels));
    for (Index item = 0; item <= size; ++item) w.begins[item] = item * model.labels;
    w.lattice.candidates = std::span<const Index>(w.candidates).first(count);
  }
  w.lattice.begins = w.begins;
}

template <class Weight>
void score_nodes(const ChainModel<Weight>& model, const Attributes& attributes, std::span<const float> extra,
                 ChainWorkspace& w) {
  const Lattice& lattice = w.lattice;
  slot_codes(attributes, *model.item, w.codes);
  w.slots.clear();
  for (Index item = 0; item < lattice.size(); ++item)
    if (lattice.width(item) > 1) w.slots.push_back(item);
  w.rows.resize(w.slots.size() * model.rows.stride);
  score_rows(w.codes, *model.item, {w.slots, {}, w.slots.size()}, model.rows, model.instructions, w.rows);
  w.nodes.assign(lattice.candidates.size(), 0.0);
  for (std::size_t p = 0; p < w.slots.size(); ++p)
    for (Index node = w.begins[w.slots[p]]; node < w.begins[w.slots[p] + 1]; ++node)
      w.nodes[node] = label_score(model, w.rows.data() + p * model.rows.stride, lattice.candidates[node]);
  for (std::size_t node = 0; node < extra.size(); ++node) w.nodes[node] += extra[node];
}

template <class Weight>
void score_pairs(const ChainModel<Weight>& model, const Attributes& attributes, ChainWorkspace& w) {
  const Lattice& lattice = w.lattice;
  slot_codes(attributes, *model.pair, w.pair_codes);
  w.pair_slots.clear();
  w.relations.clear();
  w.tiles.assign(1, 0);
  for (Index item = 0; item < lattice.size(); ++item) {
    for (Index previous = 0; previous < lattice.width(item - 1); ++previous) {
      w.pair_slots.push_back(item);
      w.relations.push_back(previous_code(lattice.label(item - 1, previous)));
    }
    w.tiles.push_back(w.tiles.back() + static_cast<std::size_t>(lattice.width(item - 1)) * lattice.width(item));
  }
  w.rows.resize(w.pair_slots.size() * model.rows.stride);
  score_rows(w.pair_codes, *model.pair, {w.pair_slots, w.relations, w.pair_slots.size()}, model.rows,
             model.instructions, w.rows);
  w.item_pairs.resize(w.tiles.back());
  Score* out = w.item_pairs.data();
  for (std::size_t p = 0; p < w.pair_slots.size(); ++p)
    for (Index node = w.begins[w.pair_slots[p]]; node < w.begins[w.pair_slots[p] + 1]; ++node)
      *out++ = label_score(model, w.rows.data() + p * model.rows.stride, lattice.candidates[node]);
}

// Adds `amount` to the pair and the triple that end at an item of a path.
void add_transitions(const ChainModel<float>& model, Index before, Index previous, Index label, float amount,
                     SparseVector& out) {
  const Code labels = static_cast<Code>(model.labels);
  if (!model.pairs.empty()) out.add(previous * labels + label, amount);
  if (!model.triples.empty())
    out.add((labels + 1) * labels + (previous * labels + label) * (labels + 1) + before, amount);
}

void find_gold(const Sequences& sequences, Index begin, ChainWorkspace& w) {
  w.gold.resize(w.lattice.size());
  for (Index item = 0; item < w.lattice.size(); ++item) {
    w.gold[item] = 0;
    for (Index c = 1; c < w.lattice.width(item); ++c)
      if (w.lattice.label(item, c) == sequences.gold[begin + item]) w.gold[item] = c;
  }
}

// Adds `amounts` [columns] times an item's features to the difference.
void add_columns(std::span<const Code> rows, Index stride, std::span<const double> amounts, SparseVector& out) {
  for (std::size_t column = 0; column < amounts.size(); ++column)
    if (amounts[column] != 0.0)
      for (const Code row : rows)
        out.add(row * static_cast<Code>(stride) + static_cast<Code>(column), static_cast<float>(amounts[column]));
}

void add_label(const ChainModel<float>& model, Index label, double amount, std::vector<double>& amounts) {
  for (const Index column : facets_of(model, label)) amounts[column] += amount;
}

// Builds the lattice of each sequence and calls visit(sequence, workspace).
template <class Weight, class Visit>
void visit_lattices(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads, Visit visit) {
  std::vector<ChainWorkspace> workspaces(useful_threads(sequences.size(), threads));
  parallel_for(sequences.size(), threads, [&](std::size_t thread, std::size_t sequence) {
    build_lattice(model, sequences, sequence, workspaces[thread]);
    visit(sequence, workspaces[thread]);
  });
}

// Calls visit(item, label, probability) for all candidates of all items.
template <class Weight, class Visit>
void visit_nodes(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads, Visit visit) {
  visit_lattices(model, sequences, threads, [&](std::size_t sequence, ChainWorkspace& w) {
    w.probabilities.resize(w.nodes.size());
    path_marginals(w.lattice, w.probabilities, w.recursion);
    for (Index item = 0; item < w.lattice.size(); ++item)
      for (Index node = w.begins[item]; node < w.begins[item + 1]; ++node)
        visit(sequences.offsets[sequence] + item, w.lattice.candidates[node], w.probabilities[node]);
  });
}

}  // namespace

template <class Weight>
void build_lattice(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t sequence,
                   ChainWorkspace& w) {
  const Index begin = sequences.offsets[sequence], size = sequences.offsets[sequence + 1] - begin;
  const Attributes attributes{sequences.codes.subspan(static_cast<std::size_t>(begin) * sequences.attributes,
                                                      static_cast<std::size_t>(size) * sequences.attributes),
                              size, sequences.attributes};
  w.lattice.order = model.order;
  w.lattice.labels = model.labels;
  choose_candidates(model, sequences, begin, size, w);
  std::span<const float> extra;
  if (!sequences.scores.empty()) extra = sequences.scores.subspan(sequences.begins[begin], w.begins[size]);
  score_nodes(model, attributes, extra, w);
  w.lattice.nodes = w.nodes;
  w.lattice.pairs = model.pairs.empty() ? nullptr : model.pairs.data();
  w.lattice.triples = model.triples.empty() ? nullptr : model.triples.data();
  w.lattice.item_pairs = {};
  if (model.pair && model.order > 0) {
    score_pairs(model, attributes, w);
    w.lattice.item_pairs = w.item_pairs;
    w.lattice.tiles = w.tiles;
  }
}

double best_difference(const ChainModel<float>& model, const Sequences& sequences, std::size_t sequence, float cost,
                       ChainWorkspace& w, ChainDifference& difference) {
  const Lattice& lattice = w.lattice;
  difference.clear();
  find_gold(sequences, sequences.offsets[sequence], w);
  const Score gold_score = path_score(lattice, w.gold);
  for (Index item = 0; item < lattice.size(); ++item)
    for (Index c = 0; c < lattice.width(item); ++c)
      if (c != w.gold[item]) w.nodes[w.begins[item] + c] += cost;
  w.chosen.resize(lattice.size());
  const Score found_score = best_path(lattice, w.chosen, w.recursion);
  w.amounts.assign(model.rows.columns, 0.0);
  const int shift = model.rows.shift();
  for (Index item = 0; item < lattice.size(); ++item) {
    auto label = [&](const std::vector<Index>& path, Index i) { return lattice.label(i, i < 0 ? 0 : path[i]); };
    const Index gold = label(w.gold, item), found = label(w.chosen, item);
    const Index gold_previous = label(w.gold, item - 1), found_previous = label(w.chosen, item - 1);
    auto add = [&](Index target, double amount) { add_label(model, target, amount, w.amounts); };
    if (gold != found) {
      add(gold, 1.0);
      add(found, -1.0);
      add_columns(find_features(*model.item, w.codes, item, 0, shift, w.scratch), model.rows.stride, w.amounts,
                  difference.rows);
      std::fill(w.amounts.begin(), w.amounts.end(), 0.0);
    }
    const Index gold_before = label(w.gold, item - 2), found_before = label(w.chosen, item - 2);
    if (model.order == 0 || (gold == found && gold_previous == found_previous && gold_before == found_before)) continue;
    add_transitions(model, gold_before, gold_previous, gold, 1.0F, difference.transitions);
    add_transitions(model, found_before, found_previous, found, -1.0F, difference.transitions);
    if (!model.pair || (gold == found && gold_previous == found_previous)) continue;
    for (const auto& [previous, target, amount] :
         {std::tuple{gold_previous, gold, 1.0}, std::tuple{found_previous, found, -1.0}}) {
      add(target, amount);
      add_columns(find_features(*model.pair, w.pair_codes, item, previous_code(previous), shift, w.scratch),
                  model.rows.stride, w.amounts, difference.rows);
      std::fill(w.amounts.begin(), w.amounts.end(), 0.0);
    }
  }
  return found_score - gold_score;
}

double expected_difference(const ChainModel<float>& model, const Sequences& sequences, std::size_t sequence,
                           ChainWorkspace& w, ChainDifference& difference) {
  const Lattice& lattice = w.lattice;
  difference.clear();
  find_gold(sequences, sequences.offsets[sequence], w);
  w.probabilities.resize(w.nodes.size());
  const Score log_partition = path_marginals(lattice, w.probabilities, w.recursion);
  w.amounts.assign(model.rows.columns, 0.0);
  const int shift = model.rows.shift();
  auto flush = [&](std::span<const Code> rows) {
    add_columns(rows, model.rows.stride, w.amounts, difference.rows);
    std::fill(w.amounts.begin(), w.amounts.end(), 0.0);
  };
  for (Index item = 0; item < lattice.size(); ++item) {
    const Index width = lattice.width(item), wider = lattice.width(item - 1), gold = w.gold[item];
    if (width > 1) {
      for (Index c = 0; c < width; ++c)
        add_label(model, lattice.label(item, c), (c == gold) - w.probabilities[w.begins[item] + c], w.amounts);
      flush(find_features(*model.item, w.codes, item, 0, shift, w.scratch));
    }
    if (model.order == 0) continue;
    edge_marginals(lattice, item, log_partition, w.recursion, w.edges);
    // Gold minus expectation: the gold step counts with probability 1.
    const bool triples = model.order == 2;
    const Index kept = triples ? wider : 1, sums = triples ? lattice.width(item - 2) : wider;
    auto gold_at = [&](Index i) { return i < 0 ? 0 : w.gold[i]; };
    for (double& edge : w.edges) edge = -edge;
    w.edges[(static_cast<std::size_t>(triples ? gold_at(item - 1) : 0) * width + gold) * sums +
            gold_at(triples ? item - 2 : item - 1)] += 1.0;
    const double* edge = w.edges.data();
    for (Index k = 0; k < kept; ++k)
      for (Index c = 0; c < width; ++c)
        for (Index s = 0; s < sums; ++s, ++edge)
          if (*edge != 0.0)
            add_transitions(model, lattice.label(item - 2, triples ? s : 0), lattice.label(item - 1, triples ? k : s),
                            lattice.label(item, c), static_cast<float>(*edge), difference.transitions);
    if (!model.pair) continue;
    for (Index previous = 0; previous < wider; ++previous) {
      for (Index c = 0; c < width; ++c) {
        double amount = 0.0;
        for (Index s = 0; s < (triples ? sums : 1); ++s)
          amount +=
              w.edges[(static_cast<std::size_t>(triples ? previous : 0) * width + c) * sums + (triples ? s : previous)];
        add_label(model, lattice.label(item, c), amount, w.amounts);
      }
      flush(find_features(*model.pair, w.pair_codes, item, previous_code(lattice.label(item - 1, previous)), shift,
                          w.scratch));
    }
  }
  return log_partition - path_score(lattice, w.gold);
}

template <class Weight>
void label_sequences(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                     std::span<Index> labels) {
  visit_lattices(model, sequences, threads, [&](std::size_t sequence, ChainWorkspace& w) {
    w.chosen.resize(w.lattice.size());
    best_path(w.lattice, w.chosen, w.recursion);
    for (Index item = 0; item < w.lattice.size(); ++item)
      labels[sequences.offsets[sequence] + item] = w.lattice.label(item, w.chosen[item]);
  });
}

template <class Weight>
void label_probabilities(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                         std::span<const Index> labels, std::span<double> probabilities) {
  std::fill(probabilities.begin(), probabilities.end(), 0.0);
  visit_nodes(model, sequences, threads, [&](Index item, Index label, double probability) {
    if (labels[item] == label) probabilities[item] = probability;
  });
}

template <class Weight>
void sequence_marginals(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                        std::span<double> marginals) {
  std::fill(marginals.begin(), marginals.end(), 0.0);
  visit_nodes(model, sequences, threads, [&](Index item, Index label, double probability) {
    marginals[static_cast<std::size_t>(item) * model.labels + label] = probability;
  });
}

void ChainTrainer::compute_updates(std::span<const Index> batch, bool expected, float cost, std::size_t threads) {
  if (updates.size() < batch.size()) updates.resize(batch.size());
  parallel_for(batch.size(), threads, [&](std::size_t, std::size_t i) {
    ChainUpdate& update = updates[i];
    const std::size_t sequence = batch[i];
    build_lattice(*model, sequences, sequence, update.workspace);
    update.loss = expected ? expected_difference(*model, sequences, sequence, update.workspace, update.difference)
                           : best_difference(*model, sequences, sequence, cost, update.workspace, update.difference);
    update.squared_norm = update.difference.squared_norm();
  });
}

void ChainTrainer::apply(std::size_t update, float step, float time) {
  apply_step(updates[update].difference.rows, step, time, rows);
  apply_step(updates[update].difference.transitions, step, time, transitions);
}

#define HEADLONG_INSTANTIATE(Weight)                                                                                  \
  template void build_lattice(const ChainModel<Weight>&, const Sequences&, std::size_t, ChainWorkspace&);             \
  template void label_sequences(const ChainModel<Weight>&, const Sequences&, std::size_t, std::span<Index>);          \
  template void label_probabilities(const ChainModel<Weight>&, const Sequences&, std::size_t, std::span<const Index>, \
                                    std::span<double>);                                                               \
  template void sequence_marginals(const ChainModel<Weight>&, const Sequences&, std::size_t, std::span<double>);
HEADLONG_INSTANTIATE(float)
HEADLONG_INSTANTIATE(std::int16_t)
#undef HEADLONG_INSTANTIATE

}  // namespace headlong
