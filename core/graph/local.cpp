#include "graph/local.hpp"

#include <algorithm>
#include <cmath>

namespace headlong {

LocalSearch::LocalSearch(const Graph& graph, Fixed fixed, GraphWorkspace& workspace, std::int64_t limit)
    : graph_(graph), workspace_(workspace), fixed_(fixed.begin(), fixed.end()), limit_(limit) {
  const std::size_t variables = graph.scores.size(), links = graph.link_variables.size();
  begins_.assign(variables + 1, 0);
  for (Index variable : graph.link_variables) ++begins_[variable + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  links_.resize(links);
  factor_of_.resize(links);
  std::vector<Index> next(begins_.begin(), begins_.end() - 1);
  for (Index f = 0; f < graph.factors(); ++f)
    for (Index link = graph.link_begins[f]; link < graph.link_begins[f + 1]; ++link) {
      links_[next[graph.link_variables[link]]++] = link;
      factor_of_[link] = f;
    }
  on_.resize(links);
  counts_.resize(graph.types.size());
  ratings_.resize(graph.types.size());
  places_.resize(graph.types.size());
  stamps_.assign(variables, 0);
  for (Score score : graph.scores)
    if (score > NEGATIVE_INFINITY) penalty_ = std::max(penalty_, 10.0 * std::abs(score));
}

void LocalSearch::start(std::span<const std::uint8_t> assignment) {
  assignment_.assign(assignment.begin(), assignment.end());
  value_ = 0.0;
  excess_ = 0;
  violated_.clear();
  std::fill(places_.begin(), places_.end(), -1);
  std::fill(ratings_.begin(), ratings_.end(), Rating{});
  for (Index i = 0; i < graph_.variables(); ++i)
    if (assignment_[i]) value_ += graph_.scores[i];
  for (Index f = 0; f < graph_.factors(); ++f) {
    const Index begin = graph_.link_begins[f], end = graph_.link_begins[f + 1];
    const FactorType type = graph_.types[f];
    const bool has_output = type == FactorType::Logic && graph_.logic[graph_.places[f]].kind == Logic::OrOut;
    counts_[f] = 0;
    for (Index link = begin; link < end; ++link) {
      on_[link] = (assignment_[graph_.link_variables[link]] != 0) != (graph_.link_negated[link] != 0);
      if (!on_[link]) continue;
      if (type == FactorType::Dense) counts_[f] |= Index{1} << (link - begin);
      if (type == FactorType::Logic) counts_[f] += !has_output || link + 1 < end;
    }
    set_rating(f, rate(f));
  }
  work_ = 0;
}

LocalSearch::Rating LocalSearch::rate(Index factor) {
  const Index begin = graph_.link_begins[factor], links = graph_.links(factor), place = graph_.places[factor];
  const Index count = counts_[factor];
  ++work_;
  Score own = 0.0;
  switch (graph_.types[factor]) {
    case FactorType::Logic: {
      const auto& [kind, budget] = graph_.logic[place];
      switch (kind) {
        case Logic::Xor:
          return {std::abs(count - 1), 0.0};
        case Logic::AtMostOne:
          return {std::max(count - 1, 0), 0.0};
        case Logic::Or:
          return {count == 0, 0.0};
        case Logic::OrOut:
          return {(count > 0) != (on_[begin + links - 1] != 0), 0.0};
        case Logic::AtMost:
          return {std::max(count - budget, 0), 0.0};
        default:
          return {std::abs(count - budget), 0.0};
      }
    }
    case FactorType::Pair:
      return {0, on_[begin] && on_[begin + 1] ? graph_.pairs[place].score : 0.0};
    case FactorType::Dense:
      own = graph_.dense[place].scores[count];
      break;
    default:
      work_ += links / 4;
      own = own_score(graph_, factor, std::span(on_).subspan(begin, links), workspace_);
  }
  return own == NEGATIVE_INFINITY ? Rating{1, 0.0} : Rating{0, own};
}

void LocalSearch::set_rating(Index factor, Rating rating) {
  Rating& known = ratings_[factor];
  value_ += rating.own - known.own;
  excess_ += rating.excess - known.excess;
  known = rating;
  if ((rating.excess > 0) == (places_[factor] >= 0)) return;
  if (rating.excess > 0) {
    places_[factor] = static_cast<Index>(violated_.size());
    violated_.push_back(factor);
  } else {
    const Index last = violated_.back();
    violated_[places_[factor]] = last;
    places_[last] = places_[factor];
    places_[factor] = -1;
    violated_.pop_back();
  }
}

void LocalSearch::flip_link(Index link) {
  const Index factor = factor_of_[link];
  on_[link] ^= 1;
  if (graph_.types[factor] == FactorType::Dense)
    counts_[factor] ^= Index{1} << (link - graph_.link_begins[factor]);
  else if (graph_.types[factor] == FactorType::Logic &&
           (graph_.logic[graph_.places[factor]].kind != Logic::OrOut || link + 1 < graph_.link_begins[factor + 1]))
    counts_[factor] += on_[link] ? 1 : -1;
}

void LocalSearch::flip(Index variable) {
  assignment_[variable] ^= 1;
  value_ += assignment_[variable] ? graph_.scores[variable] : -graph_.scores[variable];
  for (Index i = begins_[variable]; i < begins_[variable + 1]; ++i) {
    flip_link(links_[i]);
    set_rating(factor_of_[links_[i]], rate(factor_of_[links_[i]]));
  }
}

// Returns the gain of a flip according to all factors but one (-1: all of them), with a penalty per violation.
double LocalSearch::gain(Index variable, Index without) {
  double sum = assignment_[variable] ? -graph_.scores[variable] : graph_.scores[variable];
  for (Index i = begins_[variable]; i < begins_[variable + 1]; ++i) flip_link(links_[i]);
  for (Index i = begins_[variable]; i < begins_[variable + 1]; ++i) {
    const Index factor = factor_of_[links_[i]];
    // If a variable has several links to one factor, the factor is evaluated once, with all of them flipped.
    if (factor == without || (i > begins_[variable] && factor == factor_of_[links_[i - 1]])) continue;
    const Rating then = rate(factor), now = ratings_[factor];
    sum += then.own - now.own - penalty_ * (then.excess - now.excess);
  }
  for (Index i = begins_[variable]; i < begins_[variable + 1]; ++i) flip_link(links_[i]);
  return sum;
}

void LocalSearch::move(Index variable) {
  flip(variable);
  moved_.push_back(variable);
  stamps_[variable] = stamp_;
}

bool LocalSearch::repair_factor(Index factor) {
  return graph_.types[factor] == FactorType::Structured ? repair_structured(factor) : repair_small(factor);
}

// Makes the flip with the largest gain. Flips that make the factor's own violation worse lose a penalty and need no
// extra rule.
bool LocalSearch::repair_small(Index factor) {
  Index best = -1;
  double most = 0.0;
  for (Index link = graph_.link_begins[factor]; link < graph_.link_begins[factor + 1]; ++link) {
    const Index variable = graph_.link_variables[link];
    if (!is_free(variable)) continue;
    const double found = gain(variable, -1);
    if (best < 0 || found > most) best = variable, most = found;
  }
  if (best < 0) return false;
  move(best);
  return true;
}

// Maximizes the factor, where the score of a link is the gain of turning it on elsewhere. Links that must stay off are
// forbidden. Links that must stay on get a score above everything else, and the result is checked.
bool LocalSearch::repair_structured(Index factor) {
  const Index begin = graph_.link_begins[factor], links = graph_.links(factor);
  scores_.resize(links);
  double sum = 1.0;
  for (Index k = 0; k < links; ++k) {
    const Index variable = graph_.link_variables[begin + k];
    if (!is_free(variable)) continue;
    const double found = gain(variable, factor);
    scores_[k] = on_[begin + k] ? -found : found;
    sum += std::abs(found);
  }
  for (Index k = 0; k < links; ++k)
    if (!is_free(graph_.link_variables[begin + k])) scores_[k] = on_[begin + k] ? 1e3 * sum : NEGATIVE_INFINITY;
  work_ += 4 * links;
  if (maximize(graph_, factor, scores_, workspace_, best_) == NEGATIVE_INFINITY) return false;
  bool changed = false;
  for (Index k = 0; k < links; ++k) {
    if ((best_.on[k] != 0) == (on_[begin + k] != 0)) continue;
    const Index variable = graph_.link_variables[begin + k];
    if (!is_free(variable)) return false;
    move(variable);
    changed = true;
  }
  return changed;
}

// Repairs violated factors, newest first.
bool LocalSearch::finish_chain() {
  while (!violated_.empty() && !is_out_of_work())
    if (!repair_factor(violated_.back())) return false;
  return violated_.empty();
}

void LocalSearch::take_back() {
  for (auto variable = moved_.rbegin(); variable != moved_.rend(); ++variable) flip(*variable);
  moved_.clear();
}

// Ignores differences caused by rounding errors.
bool LocalSearch::is_better(Score before) const {
  return violated_.empty() && value_ > before + 1e-10 * std::max(1.0, std::abs(before));
}

// Each chain continues where the previous one stopped and may again change all variables.
bool LocalSearch::repair() {
  for (int chain = 0; chain < 8 && !is_out_of_work(); ++chain) {
    ++stamp_;
    moved_.clear();
    if (finish_chain()) return true;
    penalty_ *= 2.0;
  }
  return violated_.empty();
}

bool LocalSearch::try_neighbors(Index variable, Score before) {
  for (Index i = begins_[variable]; i < begins_[variable + 1]; ++i) {
    const Index factor = factor_of_[links_[i]];
    if (graph_.types[factor] == FactorType::Structured) continue;
    for (Index link = graph_.link_begins[factor]; link < graph_.link_begins[factor + 1]; ++link) {
      const Index other = graph_.link_variables[link];
      if (!is_free(other) || is_out_of_work()) continue;
      if (value_ + gain(other, -1) <= before) continue;
      if (try_with(other, before)) return true;
    }
  }
  return false;
}

bool LocalSearch::try_with(Index other, Score before) {
  move(other);
  if (is_better(before)) return true;
  flip(other);
  moved_.pop_back();
  stamps_[other] = stamp_ - 1;
  return false;
}

// The cheapest repair of a structured factor: turn off one of its links, such as the other head of a word.
bool LocalSearch::try_swaps(Index factor, Score before) {
  for (Index link = graph_.link_begins[factor]; link < graph_.link_begins[factor + 1]; ++link) {
    const Index other = graph_.link_variables[link];
    if (!on_[link] || !is_free(other) || is_out_of_work()) continue;
    flip_link(link);
    const bool repairs = rate(factor).excess == 0;
    flip_link(link);
    if (repairs && try_with(other, before)) return true;
  }
  return false;
}

bool LocalSearch::try_move(Index variable, bool thorough) {
  const Score before = value_;
  ++stamp_;
  moved_.clear();
  move(variable);
  const auto is_structured = [&](Index factor) { return graph_.types[factor] == FactorType::Structured; };
  const auto structured = std::find_if(violated_.begin(), violated_.end(), is_structured);
  const bool is_cheap = structured == violated_.end();
  if (!is_cheap && try_swaps(*structured, before)) return true;
  if ((is_cheap || thorough) && finish_chain() &&
      (is_better(before) || (moved_.size() == 1 && try_neighbors(variable, before))))
    return true;
  take_back();
  return false;
}

bool LocalSearch::try_structured(Index factor) {
  const Score before = value_;
  ++stamp_;
  moved_.clear();
  if (repair_structured(factor) && finish_chain() && is_better(before)) return true;
  take_back();
  return false;
}

// Tries cheap moves first, and other configurations of structured factors only if nothing else helps.
void LocalSearch::improve() {
  bool thorough = false, improved = true;
  while ((improved || !thorough) && !is_out_of_work()) {
    thorough = !improved;
    improved = false;
    for (Index f = 0; f < graph_.factors() && thorough && !is_out_of_work(); ++f)
      if (graph_.types[f] == FactorType::Structured) improved = try_structured(f) || improved;
    for (Index i = 0; i < graph_.variables() && !is_out_of_work(); ++i)
      if (fixed_[i] < 0) improved = try_move(i, thorough) || improved;
  }
}

}  // namespace headlong
