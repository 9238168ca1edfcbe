#include "decode/problem_graph.hpp"

#include <algorithm>

#include "decode/head_automaton.hpp"

namespace headlong {

namespace {

void add_structured(Graph& graph, std::shared_ptr<const StructuredFactor> factor) {
  graph.types.push_back(FactorType::Structured);
  graph.places.push_back(static_cast<Index>(graph.structured.size()));
  graph.structured.push_back(std::move(factor));
  graph.link_begins.push_back(static_cast<Index>(graph.link_variables.size()));
}

}  // namespace

void build_graph(const Problem& problem, Graph& graph) {
  const Frames& frames = *problem.frames;
  graph.types.clear();
  graph.places.clear();
  graph.link_begins.assign(1, 0);
  graph.link_variables.clear();
  graph.logic.clear();
  graph.pairs.clear();
  graph.structured.clear();
  graph.scores.assign(problem.arc_scores.begin(), problem.arc_scores.end());
  std::vector<Arc> arcs(frames.arcs());
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    arcs[arc] = {frames.arc_heads[arc], frames.arc_modifiers[arc]};
    graph.link_variables.push_back(static_cast<Index>(arc));
  }
  add_structured(graph,
                 std::make_shared<TreeFactor>(frames.size, std::move(arcs), problem.rules.root,
                                              problem.rules.projective ? TreeShape::Projective : TreeShape::Any));
  for (Index head = 0; head < frames.size; ++head) {
    if (frames.fan_size(2 * head) + frames.fan_size(2 * head + 1) > 0) {
      append_links(frames, head, graph.link_variables);
      add_structured(graph, std::make_shared<HeadAutomaton>(frames, head));
    } else if (head > 0) {
      for (Index lane = 0; lane < frames.lanes[head]; ++lane)
        graph.scores[frames.arc_begins[head] + lane] += frame_value(frames, head, lane, {}, {});
    }
  }
  graph.link_negated.assign(graph.link_variables.size(), 0);
}

void heads_of(const Frames& frames, std::span<const std::uint8_t> assignment, std::span<Index> heads) {
  std::fill(heads.begin(), heads.end(), NO_HEAD);
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    if (assignment[arc]) heads[frames.arc_modifiers[arc]] = frames.arc_heads[arc];
}

void assignment_of(const Frames& frames, std::span<const Index> heads, std::span<std::uint8_t> assignment) {
  for (std::size_t arc = 0; arc < frames.arcs(); ++arc)
    assignment[arc] = heads[frames.arc_modifiers[arc]] == frames.arc_heads[arc];
}

}  // namespace headlong
