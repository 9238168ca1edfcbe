// Counts the allocations of AD3 during its iterations on a third-order parsing problem: one tree and, for each head and
// side, one automaton for grand-siblings and one for tri-siblings. test_allocation.py compiles and runs it.
#include <cstdio>
#include <random>

#include "counted.hpp"
#include "graph/ad3.hpp"
#include "graph/automaton.hpp"
#include "graph/tree.hpp"

namespace {

using namespace headlong;

constexpr Index WORDS = 12, NEAREST = 6;

struct Enough {};

// A tree factor that records the number of allocations at its first call, at the call that ends the warm-up, and at the
// last call, which ends the run. Everything in between is iterations.
class WatchedTree final : public StructuredFactor {
 public:
  WatchedTree(Index size, std::vector<Arc> arcs, long warm, long last)
      : tree_(size, std::move(arcs), RootRule::Single, TreeShape::Any), warm_(warm), last_(last) {}

  Index links() const override { return tree_.links(); }
  std::unique_ptr<FactorWorkspace> make_workspace() const override { return tree_.make_workspace(); }
  Score own_score(std::span<const std::uint8_t> on, FactorWorkspace& workspace) const override {
    return tree_.own_score(on, workspace);
  }
  std::optional<OwnSize> own_size() const override { return tree_.own_size(); }
  std::optional<Score> lowest_own() const override { return tree_.lowest_own(); }
  Score maximize(std::span<const Score> scores, FactorWorkspace& workspace, Configuration& best) const override {
    ++calls;
    if (calls == 1) at_first = allocations;
    if (calls == warm_) at_warm = allocations;
    if (calls == last_) {
      at_last = allocations;
      throw Enough();
    }
    return tree_.maximize(scores, workspace, best);
  }

  mutable long calls = 0, at_first = 0, at_warm = 0, at_last = 0;

 private:
  TreeFactor tree_;
  long warm_, last_;
};

std::mt19937 generator(7);

Score random_score(double scale) { return std::normal_distribution<double>(0.0, scale)(generator); }

void add(Graph& graph, std::shared_ptr<const StructuredFactor> factor, const std::vector<Index>& variables) {
  graph.types.push_back(FactorType::Structured);
  graph.places.push_back(static_cast<Index>(graph.structured.size()));
  graph.structured.push_back(std::move(factor));
  graph.link_variables.insert(graph.link_variables.end(), variables.begin(), variables.end());
  graph.link_negated.resize(graph.link_variables.size(), 0);
  graph.link_begins.push_back(static_cast<Index>(graph.link_variables.size()));
}

// One of `grandparents` links, then a chain over `modifiers` links. The state is the grandparent and the last modifier.
std::shared_ptr<Automaton> grand_siblings(Index grandparents, Index modifiers) {
  std::vector<AutomatonEdge> edges;
  const Index end = 1 + (modifiers + 1) * grandparents;
  for (Index g = 0; g < grandparents; ++g) {
    edges.push_back({0, 1 + g, g, 0.0});
    for (Index inner = 0; inner <= modifiers; ++inner) {
      for (Index outer = inner + 1; outer <= modifiers; ++outer)
        edges.push_back(
            {1 + inner * grandparents + g, 1 + outer * grandparents + g, grandparents + outer - 1, random_score(1.0)});
      edges.push_back({1 + inner * grandparents + g, end, NO_LINK, random_score(1.0)});
    }
  }
  return std::make_shared<Automaton>(grandparents + modifiers, edges);
}

// The state is the last two modifiers: node 1 + outer * (outer - 1) / 2 + inner, where modifiers count from 1.
std::shared_ptr<Automaton> tri_siblings(Index modifiers) {
  std::vector<AutomatonEdge> edges;
  const auto node = [](Index inner, Index outer) { return 1 + outer * (outer - 1) / 2 + inner; };
  const Index end = node(0, modifiers + 1);
  edges.push_back({0, end, NO_LINK, random_score(1.0)});
  for (Index outer = 1; outer <= modifiers; ++outer) {
    edges.push_back({0, node(0, outer), outer - 1, random_score(1.0)});
    for (Index inner = 0; inner < outer; ++inner) {
      for (Index next = outer + 1; next <= modifiers; ++next)
        edges.push_back({node(inner, outer), node(outer, next), next - 1, random_score(1.0)});
      edges.push_back({node(inner, outer), end, NO_LINK, random_score(1.0)});
    }
  }
  return std::make_shared<Automaton>(modifiers, edges);
}

}  // namespace

int main(int, char** arguments) {
  const long warm = std::atol(arguments[1]), last = std::atol(arguments[2]);
  Graph graph;
  std::vector<Arc> arcs;
  for (Index modifier = 1; modifier <= WORDS; ++modifier)
    for (Index head = 0; head <= WORDS; ++head)
      if (head != modifier && (head == 0 || std::abs(head - modifier) <= NEAREST)) arcs.push_back({head, modifier});
  std::vector<Index> all(arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i)
    all[i] = static_cast<Index>(i), graph.scores.push_back(random_score(1.0));
  const auto tree = std::make_shared<WatchedTree>(WORDS + 1, arcs, warm, last);
  add(graph, tree, all);
  for (Index head = 0; head <= WORDS; ++head) {
    for (const bool left : {true, false}) {
      std::vector<Index> incoming, outgoing;
      for (const Index arc : all) {
        if (arcs[arc].modifier == head) incoming.push_back(arc);
        if (arcs[arc].head == head && (arcs[arc].modifier < head) == left) outgoing.push_back(arc);
      }
      if (outgoing.empty()) continue;
      const Index modifiers = static_cast<Index>(outgoing.size());
      add(graph, tri_siblings(modifiers), outgoing);
      if (incoming.empty()) continue;
      const Index grandparents = static_cast<Index>(incoming.size());
      incoming.insert(incoming.end(), outgoing.begin(), outgoing.end());
      add(graph, grand_siblings(grandparents, modifiers), incoming);
    }
  }

  Ad3Options options;
  options.max_iterations = 1000000;
  options.residual = 0.0;     // never converged
  options.tolerance = -10.0;  // never certified
  GraphWorkspace workspace(graph);
  try {
    ad3(graph, options, workspace);
  } catch (const Enough&) {
    std::printf("%d %ld %ld\n", graph.factors(), tree->at_warm - tree->at_first, tree->at_last - tree->at_warm);
    return 0;
  }
  return 1;
}
