// Extras in the factor graph of a sentence: a sequence factor for head bigrams, pairs for arbitrary siblings, and
// variables with logic factors for paths and non-projective arcs.
#pragma once

#include "decode/problem_graph.hpp"
#include "parts/extras.hpp"

namespace headlong {

// A variable that comes after those of the arcs, in the order of the graph.
struct ExtraVariable {
  enum class Type : std::uint8_t {
    Path,     // there is a path from word `one` to word `other`
    Flow,     // arc `one` is in the tree, on the path from the root to word `other`
    Crossing  // some word spanned by arc `one` does not descend from its head, whether or not the arc is in the tree
  } type;
  Index one, other;
};

// Adds the extras of a problem to a graph that `build_graph` made from the same frames.
//
// Paths follow Martins 2010, section 4.2: each word k draws one unit of flow from the root. An arc may carry flow only
// if it is in the tree. There is a path from word m to word k if and only if an arc into m carries flow to k, and then
// also an arc out of m does. The arc into k always carries its flow and needs no variable. An arc from h is
// non-projective if one of the paths from h to the words it spans is missing (Martins 2011a, table 1). Only reachable
// words have paths. Without path scores, flows exist only to words that lie under a candidate with a score for being
// non-projective. With projective trees there are no non-projective arcs, and their scores are left out. O(size * arcs)
// with paths or non-projective arcs, otherwise O(parts).
void add_extra_factors(const Problem& problem, Graph& graph, std::vector<ExtraVariable>& variables);

// Writes the assignment of all variables for a tree of candidates. O(variables * depth).
void extra_assignment(const Frames& frames, std::span<const ExtraVariable> variables, std::span<const Index> heads,
                      std::span<std::uint8_t> assignment);

}  // namespace headlong
