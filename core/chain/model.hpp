// A chain model over sequences of items (words, characters, anything with attribute codes). Templates give every item
// rows of a weight table, with one column per facet of a label. Dense tables score pairs and triples of labels.
#pragma once

#include "chain/lattice.hpp"
#include "features/update.hpp"

namespace headlong {

// The items of all sequences, concatenated. Without `begins`, every item can have every label.
struct Sequences {
  std::span<const Code> codes;  // [items][attributes]
  Index attributes = 0;
  std::span<const Index> offsets;     // [sequences + 1]
  std::span<const Index> gold;        // [items] for training
  std::span<const Index> begins;      // [items + 1] ranges of `candidates`
  std::span<const Index> candidates;  // labels
  std::span<const float> scores;      // [candidates] added to those of the model, or empty

  std::size_t size() const { return offsets.size() - 1; }
};

// Facets: the score of a label at an item is the sum of the columns of its facets in the item's rows. So labels such as
// Case=Nom|Number=Sing and Case=Nom|Number=Plur share the weights of Case=Nom. A plain label has one column of its own.
template <class Weight>
struct ChainModel {
  const Templates* item = nullptr;  // one slot, no relations
  const Templates* pair = nullptr;  // one slot, one relation (the previous label); may be null
  Table<Weight> rows;               // weights of both families
  Index order = 1;
  Index labels = 0;
  std::span<const Index> facet_begins;    // [labels + 1]
  std::span<const Index> facets;          // columns
  std::span<const float> pairs, triples;  // as in Lattice; empty if the order does not use them
  Instructions instructions = Instructions::Scalar;
};

struct ChainWorkspace {
  Lattice lattice;
  LatticeWorkspace recursion;
  SlotCodes codes, pair_codes;
  std::vector<Index> begins, candidates, slots, pair_slots;
  std::vector<Code> relations, scratch;
  std::vector<float> rows;
  std::vector<Score> nodes, item_pairs;
  std::vector<std::size_t> tiles;
  std::vector<Index> chosen, gold;  // [items] indices of candidates
  std::vector<double> probabilities, edges, amounts;
};

// Scores the lattice of one sequence. Skips the node scores of items with a single candidate, because they are the same
// on every path. O(items * templates * columns), and with pair templates as much again per previous candidate.
template <class Weight>
void build_lattice(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t sequence,
                   ChainWorkspace& workspace);

// The sparse differences of features of one sequence: in the rows, and in the tables of pairs and triples (triples come
// after pairs).
struct ChainDifference {
  SparseVector rows, transitions;

  void clear() {
    rows.clear();
    transitions.clear();
  }
  double squared_norm() const { return rows.squared_norm() + transitions.squared_norm(); }
};

// After `build_lattice`: the features of gold minus those of the best path, where each wrong label earns `cost`, or
// minus the expected features. Returns the loss: how much the best path, or all paths together, outscore gold.
double best_difference(const ChainModel<float>& model, const Sequences& sequences, std::size_t sequence, float cost,
                       ChainWorkspace& workspace, ChainDifference& difference);
double expected_difference(const ChainModel<float>& model, const Sequences& sequences, std::size_t sequence,
                           ChainWorkspace& workspace, ChainDifference& difference);

// Writes the best labels [items] of all sequences.
template <class Weight>
void label_sequences(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                     std::span<Index> labels);

// Writes the probabilities [items] of given labels [items]; 0 if a label is not a candidate.
template <class Weight>
void label_probabilities(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                         std::span<const Index> labels, std::span<double> probabilities);

// Writes the probabilities [items][labels] of all labels; 0 for labels that are not candidates.
template <class Weight>
void sequence_marginals(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                        std::span<double> marginals);

// The two halves of a training step: `compute_updates` finds the differences of a mini-batch in parallel, `apply` adds
// one of them to the weights.
struct ChainUpdate {
  ChainWorkspace workspace;
  ChainDifference difference;
  double loss = 0.0;
  double squared_norm = 0.0;
};

struct ChainTrainer {
  const ChainModel<float>* model = nullptr;
  Sequences sequences;
  TrainingTable rows, transitions;
  std::vector<ChainUpdate> updates;  // of the current mini-batch

  void compute_updates(std::span<const Index> batch, bool expected, float cost, std::size_t threads);
  void apply(std::size_t update, float step, float time);
};

}  // namespace headlong
