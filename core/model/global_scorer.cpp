#include "model/global_scorer.hpp"

namespace headlong {

namespace {

constexpr Anchor ANCHORS[] = {Anchor::Chain, Anchor::Fan, Anchor::Span};

std::size_t number(Anchor anchor) { return static_cast<std::size_t>(anchor); }
std::size_t number(Global kind) { return static_cast<std::size_t>(kind); }

std::size_t hash(const GlobalRow& row) {
  std::uint64_t code = static_cast<std::uint64_t>(row.kind) + 1;
  auto take = [&](std::uint64_t value) { code = (code ^ value) * 0x9e3779b97f4a7c15U, code ^= code >> 29; };
  for (std::size_t i = 0; i < MAX_GLOBAL_SLOTS; i += 2)
    take(static_cast<std::uint64_t>(row.slots[i]) << 32 | static_cast<Code>(row.slots[i + 1]));
  for (std::size_t i = 0; i + 1 < MAX_GLOBAL_RELATIONS; i += 2)
    take(static_cast<std::uint64_t>(row.relations[i]) << 32 | row.relations[i + 1]);
  take(row.relations[MAX_GLOBAL_RELATIONS - 1]);
  return code;
}

}  // namespace

void RowScores::clear() {
  entries_.clear();
  std::fill(slots_.begin(), slots_.end(), -1);
}

void RowScores::grow() {
  slots_.assign(std::max<std::size_t>(2 * slots_.size(), 1024), -1);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t place = hash(entries_[i].row) & (slots_.size() - 1);
    while (slots_[place] >= 0) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = static_cast<Index>(i);
  }
}

RowScores::Entry& RowScores::find(const GlobalRow& row, bool& known) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  std::size_t place = hash(row) & (slots_.size() - 1);
  for (; slots_[place] >= 0; place = (place + 1) & (slots_.size() - 1))
    if (entries_[slots_[place]].row == row) {
      known = true;
      return entries_[slots_[place]];
    }
  known = false;
  slots_[place] = static_cast<Index>(entries_.size());
  entries_.push_back({row, 0.0F});
  return entries_.back();
}

template <class Weight>
void ModelGlobalScorer<Weight>::prepare(const ParserModel<Weight>& model, const Words& words,
                                        const ArcContext& context) {
  model_ = &model;
  context_.words = &context;
  for (std::size_t kind = 0; kind < GLOBALS; ++kind) {
    context_.on[kind] = model.global[kind] != nullptr;
    if (context_.on[kind]) slot_codes(words.attributes, *model.global[kind], codes_[kind]);
  }
  context_.last = words.size() - 1;
  while (context_.last > 0 && (words.traits[context_.last].classes & PUNCTUATION) != 0) --context_.last;
  scores_.clear();
  function_ = model.functions ? words.function : nullptr;
  number_ = words.number;
  function_values_.clear();
}

template <class Weight>
Score ModelGlobalScorer<Weight>::function_value() {
  const auto [place, is_new] = function_values_.try_emplace(tree_.heads, 0.0);
  if (!is_new) return place->second;
  function_features_.clear();
  (*function_)(number_, tree_.heads, function_features_);
  for (const auto& [code, value] : function_features_)
    place->second += static_cast<Score>(value) * model_->parts.weights[code >> model_->parts.shift()];
  place->second *= model_->parts.scale;
  return place->second;
}

template <class Weight>
Score ModelGlobalScorer<Weight>::score(std::span<const GlobalRow> rows) {
  Score sum = 0.0;
  for (const GlobalRow& row : rows) {
    bool known = false;
    RowScores::Entry& entry = scores_.find(row, known);
    if (!known) {
      const std::size_t kind = number(row.kind);
      score_parts(codes_[kind], *model_->global[kind], {row.slots, row.relations, 1}, model_->parts,
                  model_->instructions, std::span(&entry.score, 1));
    }
    sum += entry.score;
  }
  return sum;
}

template <class Weight>
Score ModelGlobalScorer<Weight>::anchored(Anchor anchor, Index word) {
  if (word == 0) return 0.0;
  rows_.clear();
  add_globals(context_, tree_, anchor, word, rows_);
  return score(rows_);
}

template <class Weight>
void ModelGlobalScorer<Weight>::start(std::span<const Index> heads) {
  tree_.build(heads);
  marks_.assign(heads.size(), 0);
  for (Anchor anchor : ANCHORS) {
    values_[number(anchor)].resize(heads.size());
    for (Index word = 0; word < tree_.size(); ++word) values_[number(anchor)][word] = anchored(anchor, word);
  }
}

template <class Weight>
void ModelGlobalScorer<Weight>::touch(Anchor anchor, Index word) {
  const auto bit = static_cast<std::uint8_t>(1U << number(anchor));
  if (word <= 0 || (marks_[word] & bit) != 0) return;
  marks_[word] |= bit;
  touched_[number(anchor)].push_back(word);
}

template <class Weight>
void ModelGlobalScorer<Weight>::move(Index word, Index head) {
  const Index old = tree_.heads[word];
  if (old == head) return;
  touch(Anchor::Chain, word);
  tree_.each_modifier(word, [&](Index below) {
    touch(Anchor::Chain, below);
    tree_.each_modifier(below, [&](Index deeper) { touch(Anchor::Chain, deeper); });
  });
  for (Index anchor : {word, old, head, tree_.heads[old], tree_.heads[head]}) {
    touch(Anchor::Fan, anchor);
    touch(Anchor::Span, anchor);
  }
  const Index* heads = tree_.heads.data();
  for (Index above = old; above > 0; above = heads[above]) {
    touch(Anchor::Span, above);
    if (is_above(tree_.heads, above, head)) break;
  }
  for (Index above = head; above > 0; above = heads[above]) {
    touch(Anchor::Span, above);
    if (is_above(tree_.heads, above, old)) break;
  }
  tree_.move(word, head);
  for (Anchor anchor : ANCHORS) {
    for (Index touched : touched_[number(anchor)]) {
      values_[number(anchor)][touched] = anchored(anchor, touched);
      marks_[touched] = 0;
    }
    touched_[number(anchor)].clear();
  }
}

template <class Weight>
Score ModelGlobalScorer<Weight>::value() {
  rows_.clear();
  add_globals(context_, tree_, rows_);
  Score sum = score(rows_);
  for (const auto& values : values_)
    for (Score value : values) sum += value;
  return function_ ? sum + function_value() : sum;
}

template <class Weight>
void ModelGlobalScorer<Weight>::all_rows() {
  rows_.clear();
  for (Anchor anchor : ANCHORS)
    for (Index word = 1; word < tree_.size(); ++word) add_globals(context_, tree_, anchor, word, rows_);
  add_globals(context_, tree_, rows_);
}

template <class Weight>
void ModelGlobalScorer<Weight>::list(std::span<const Index> heads, std::vector<GlobalRow>& rows,
                                     std::vector<float>& scores) {
  tree_.build(heads);
  all_rows();
  rows = rows_;
  scores.clear();
  for (const GlobalRow& row : rows) scores.push_back(static_cast<float>(score(std::span(&row, 1))));
}

template <class Weight>
void ModelGlobalScorer<Weight>::add_tree(std::span<const Index> heads, float amount, SparseVector& out) {
  tree_.build(heads);
  all_rows();
  std::vector<Code> scratch;
  for (const GlobalRow& row : rows_) {
    const std::size_t kind = number(row.kind);
    add_features(codes_[kind], *model_->global[kind], row.slots.data(), row.relations.data(), model_->parts.shift(), 1,
                 0, amount, scratch, out);
  }
  if (!function_) return;
  function_features_.clear();
  (*function_)(number_, heads, function_features_);
  for (const auto& [code, value] : function_features_) out.add(code >> model_->parts.shift(), amount * value);
}

template class ModelGlobalScorer<float>;
template class ModelGlobalScorer<std::int16_t>;

}  // namespace headlong
