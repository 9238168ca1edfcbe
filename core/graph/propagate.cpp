#include "graph/propagate.hpp"

namespace headlong {

Propagator::Propagator(const Graph& graph) : graph_(graph), fixed_(graph.scores.size(), -1) {
  begins_.assign(graph.scores.size() + 1, 0);
  for (Index variable : graph.link_variables) ++begins_[variable + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  factors_.resize(graph.link_variables.size());
  std::vector<Index> next(begins_.begin(), begins_.end() - 1);
  for (Index f = 0; f < graph.factors(); ++f)
    for (Index link = graph.link_begins[f]; link < graph.link_begins[f + 1]; ++link)
      factors_[next[graph.link_variables[link]]++] = f;
  trail_.reserve(graph.scores.size());
}

bool Propagator::start() {
  for (Index f = 0; f < graph_.factors(); ++f)
    if (!visit(f)) return false;
  return run();
}

bool Propagator::fix(Index variable, bool on) {
  if (fixed_[variable] >= 0) return fixed_[variable] == on;
  const std::size_t before = trail_.size();
  fixed_[variable] = on;
  trail_.push_back(variable);
  if (run()) return true;
  undo(before);
  return false;
}

void Propagator::undo(std::size_t count) {
  for (std::size_t i = count; i < trail_.size(); ++i) fixed_[trail_[i]] = -1;
  trail_.resize(count);
  done_ = count;
}

bool Propagator::set_link(Index link, bool on) {
  const Index variable = graph_.link_variables[link];
  const std::int8_t wanted = on != (graph_.link_negated[link] != 0);
  if (fixed_[variable] >= 0) return fixed_[variable] == wanted;
  fixed_[variable] = wanted;
  trail_.push_back(variable);
  return true;
}

bool Propagator::run() {
  for (; done_ < trail_.size(); ++done_)
    for (Index i = begins_[trail_[done_]]; i < begins_[trail_[done_] + 1]; ++i)
      if (!visit(factors_[i])) return false;
  return true;
}

bool Propagator::visit(Index factor) {
  const Index begin = graph_.link_begins[factor], end = graph_.link_begins[factor + 1];
  if (graph_.types[factor] == FactorType::Logic) return visit(graph_.logic[graph_.places[factor]], begin, end);
  if (graph_.types[factor] == FactorType::Dense) return visit(graph_.dense[graph_.places[factor]], begin, end);
  return true;
}

// Sets all free links to one side.
bool Propagator::fill(Index begin, Index end, bool on) {
  for (Index link = begin; link < end; ++link)
    if (fixed_[graph_.link_variables[link]] < 0 && !set_link(link, on)) return false;
  return true;
}

bool Propagator::visit(const LogicFactor& factor, Index begin, Index end) {
  const bool has_output = factor.kind == Logic::OrOut;
  Index on = 0, open = 0;
  for (Index link = begin; link < end - has_output; ++link) {
    const std::int8_t fixed = fixed_[graph_.link_variables[link]];
    open += fixed < 0;
    on += fixed >= 0 && (fixed != 0) != (graph_.link_negated[link] != 0);
  }
  Index least = 0, most = end - begin;
  switch (factor.kind) {
    case Logic::Xor:
      least = most = 1;
      break;
    case Logic::AtMostOne:
      most = 1;
      break;
    case Logic::Or:
      least = 1;
      break;
    case Logic::OrOut: {
      if (on > 0) return set_link(end - 1, true);
      if (open == 0) return set_link(end - 1, false);
      const std::int8_t output = fixed_[graph_.link_variables[end - 1]];
      if (output < 0) return true;
      const bool output_on = (output != 0) != (graph_.link_negated[end - 1] != 0);
      least = output_on;
      most = output_on ? end - begin : 0;
      break;
    }
    case Logic::AtMost:
      most = factor.budget;
      break;
    case Logic::Exactly:
      least = most = factor.budget;
      break;
  }
  if (on > most || on + open < least) return false;
  if (open == 0) return true;
  if (on == most) return fill(begin, end - has_output, false);
  if (on + open == least) return fill(begin, end - has_output, true);
  return true;
}

bool Propagator::visit(const DenseFactor& factor, Index begin, Index end) {
  // Bits that some allowed row sets, and that some allowed row clears.
  std::size_t known = 0, wanted = 0, set = 0, left = 0;
  for (Index link = begin; link < end; ++link) {
    const std::int8_t fixed = fixed_[graph_.link_variables[link]];
    const std::size_t bit = std::size_t{1} << (link - begin);
    if (fixed >= 0) known |= bit;
    if (fixed >= 0 && (fixed != 0) != (graph_.link_negated[link] != 0)) wanted |= bit;
  }
  for (std::size_t row = 0; row < factor.scores.size(); ++row)
    if ((row & known) == wanted && factor.scores[row] > NEGATIVE_INFINITY) set |= row, left |= ~row;
  for (Index link = begin; link < end; ++link) {
    const std::size_t bit = std::size_t{1} << (link - begin);
    if (!(set & bit) && !(left & bit)) return false;
    if (!(set & bit) && !set_link(link, false)) return false;
    if (!(left & bit) && !set_link(link, true)) return false;
  }
  return true;
}

}  // namespace headlong
