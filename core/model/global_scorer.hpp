// Parts of whole trees with their weights: what they are worth, and their features.
#pragma once

#include <map>

#include "decode/global_scorer.hpp"
#include "model/scored_arcs.hpp"
#include "parts/globals.hpp"

namespace headlong {

// The scores of the parts met so far in a sentence: trees that a search visits have most of them in common.
class RowScores {
 public:
  struct Entry {
    GlobalRow row;
    float score;
  };

  void clear();
  // The place of a row, with `known` whether it has a score; a new one takes it from the caller.
  Entry& find(const GlobalRow& row, bool& known);

 private:
  void grow();

  std::vector<Entry> entries_;
  std::vector<Index> slots_;  // indices into entries_, -1 if free; a power of two, at least twice as many
};

// The parts of whole trees of one sentence, and what functions find. Values are kept by anchor: a change of a head asks
// for those anew that it touches. What functions find is asked for once for every tree. It is its own workspace.
template <class Weight>
class ModelGlobalScorer final : public GlobalScorer {
 public:
  // Takes a sentence, whose context must stay. O(words * templates).
  void prepare(const ParserModel<Weight>& model, const Words& words, const ArcContext& context);

  void start(std::span<const Index> heads) override;
  void move(Index word, Index head) override;
  Score value() override;

  // All parts of a tree with their scores; those of functions are not among them.
  void list(std::span<const Index> heads, std::vector<GlobalRow>& rows, std::vector<float>& scores);

  // Adds `amount` times the features of a tree.
  void add_tree(std::span<const Index> heads, float amount, SparseVector& out);

 private:
  Score score(std::span<const GlobalRow> rows);
  Score anchored(Anchor anchor, Index word);
  Score found_value();
  void all_rows();
  void touch(Anchor anchor, Index word);

  const ParserModel<Weight>* model_ = nullptr;
  GlobalContext context_;
  TreeView tree_;
  std::array<SlotCodes, GLOBALS> codes_;
  RowScores scores_;
  std::array<std::vector<Score>, 3> values_;  // [size] of each Anchor
  std::array<std::vector<Index>, 3> touched_;
  std::vector<std::uint8_t> marks_;  // [size] scratch
  std::vector<GlobalRow> rows_;
  const FeatureFunction* function_ = nullptr;
  std::size_t number_ = 0;
  std::vector<NamedFeature> found_;                   // scratch
  std::map<std::vector<Index>, Score> found_values_;  // of the trees met so far
};

}  // namespace headlong
