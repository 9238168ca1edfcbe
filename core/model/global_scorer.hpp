// Globals with their weights: the values of whole trees, and their features.
#pragma once

#include <map>

#include "decode/global_scorer.hpp"
#include "model/scored_arcs.hpp"
#include "parts/globals.hpp"

namespace headlong {

// A hash table of the parts seen so far in a sentence with their scores. The trees that a search visits share most of
// their parts.
class RowScores {
 public:
  struct Entry {
    GlobalRow row;
    float score;
  };

  void clear();
  // Returns the entry of a row. Sets `known` to false if the entry is new; the caller then fills in the score.
  Entry& find(const GlobalRow& row, bool& known);

 private:
  void grow();

  std::vector<Entry> entries_;
  std::vector<Index> slots_;  // indices into entries_, -1 if free; a power of two, at least twice as many
};

// Scores the globals of one sentence, and the features that feature functions find. Values are stored per anchor, and a
// change of a head recomputes those that it affects. Feature functions are called once per tree. The object is its own
// workspace.
template <class Weight>
class ModelGlobalScorer final : public GlobalScorer {
 public:
  // Prepares a sentence. The context must outlive its use. O(words * templates).
  void prepare(const ParserModel<Weight>& model, const Words& words, const ArcContext& context);

  void start(std::span<const Index> heads) override;
  void move(Index word, Index head) override;
  Score value() override;

  // Lists all parts of a tree with their scores, without the features of functions.
  void list(std::span<const Index> heads, std::vector<GlobalRow>& rows, std::vector<float>& scores);

  // Adds `amount` times the features of a tree.
  void add_tree(std::span<const Index> heads, float amount, SparseVector& out);

 private:
  Score score(std::span<const GlobalRow> rows);
  Score anchored(Anchor anchor, Index word);
  Score function_value();
  void all_rows();
  void touch(Anchor anchor, Index word);

  const ParserModel<Weight>* model_ = nullptr;
  GlobalContext context_;
  TreeView tree_;
  std::array<SlotCodes, GLOBALS> codes_;
  RowScores scores_;
  std::array<std::vector<Score>, 3> values_;  // [size] per Anchor
  std::array<std::vector<Index>, 3> touched_;
  std::vector<std::uint8_t> marks_;  // [size] scratch
  std::vector<GlobalRow> rows_;
  const FeatureFunction* function_ = nullptr;
  std::size_t number_ = 0;
  std::vector<NamedFeature> function_features_;          // scratch
  std::map<std::vector<Index>, Score> function_values_;  // of the trees seen so far
};

}  // namespace headlong
