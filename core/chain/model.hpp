// A chain model over sequences of items (words, characters, anything with attribute codes): templates give every item
// rows of a weight table, one column a facet of a label; dense tables score pairs and triples of labels.
#pragma once

#include "chain/lattice.hpp"
#include "features/update.hpp"

namespace headlong {

// Items of sequences laid end to end. Without `begins`, every item may have every label.
struct Sequences {
  std::span<const Code> codes;  // [items][attributes]
  Index attributes = 0;
  std::span<const Index> offsets;     // [sequences + 1]
  std::span<const Index> gold;        // [items], in training
  std::span<const Index> begins;      // [items + 1] ranges of `candidates`
  std::span<const Index> candidates;  // labels

  std::size_t size() const { return offsets.size() - 1; }
};

// Facets: a label's score at an item is the sum of the columns of its facets in the item's rows, so that labels like
// Case=Nom|Number=Sing and Case=Nom|Number=Plur share what is known of Case=Nom. A plain label has one column, its own.
template <class Weight>
struct ChainModel {
  const Templates* item = nullptr;  // one slot, no relations
  const Templates* pair = nullptr;  // one slot, one relation: the previous label; may be null
  Table<Weight> rows;               // of both families
  Index order = 1;
  Index labels = 0;
  std::span<const Index> facet_begins;    // [labels + 1]
  std::span<const Index> facets;          // columns
  std::span<const float> pairs, triples;  // as in Lattice; empty if the order has none
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

// Scores the lattice of one sequence. Items with one candidate are not looked at: their score is the same on every
// path. O(items * templates * columns), and as much for each previous candidate with pair templates.
template <class Weight>
void build_lattice(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t sequence,
                   ChainWorkspace& workspace);

// What a sequence teaches: the sparse differences of features, in the rows and in the tables of pairs and triples (the
// triples come after the pairs).
struct ChainDifference {
  SparseVector rows, transitions;

  void clear() {
    rows.clear();
    transitions.clear();
  }
  double squared_norm() const { return rows.squared_norm() + transitions.squared_norm(); }
};

// After `build_lattice`: gold against the best path, each wrong label earning `cost`, or against the expectation.
// Returns the loss: by how much the other is worth more.
double best_difference(const ChainModel<float>& model, const Sequences& sequences, std::size_t sequence, float cost,
                       ChainWorkspace& workspace, ChainDifference& difference);
double expected_difference(const ChainModel<float>& model, const Sequences& sequences, std::size_t sequence,
                           ChainWorkspace& workspace, ChainDifference& difference);

// The best labels [items] of all sequences.
template <class Weight>
void label_sequences(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                     std::span<Index> labels);

// The probabilities [items] of given labels [items]; 0 for one that is no candidate.
template <class Weight>
void weigh_sequences(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                     std::span<const Index> labels, std::span<double> probabilities);

// Probabilities [items][labels] of all labels of all items; 0 for those that are no candidates.
template <class Weight>
void sequence_marginals(const ChainModel<Weight>& model, const Sequences& sequences, std::size_t threads,
                        std::span<double> marginals);

// The two halves of a training step, as in parser/trainer.hpp.
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
