// Factor graphs over binary variables, and the services of their factors.
//
// A factor sees some variables through links, each of which may be negated, and offers up to four services over them:
//   maximize   the best configuration under given link scores
//   project    AD3's quadratic problem: the point of the convex hull nearest to given link values
//   marginals  sum-product: log-partition and link marginals
//   polytope   rows for a linear program (written in Python, from the same description)
// Solvers know nothing else of a factor. Link scores and link values are always those of the link, that is, after
// negation; a graph translates between variables and links.
#pragma once

#include <memory>
#include <optional>

#include "base/types.hpp"

namespace headlong {

// What a configuration is worth and which links are on in it.
struct Configuration {
  std::vector<std::uint8_t> on;  // [links]
  Score own = 0.0;               // the factor's own scores in it, without link scores
};

// The logic factors, all over n links; the last link of OrOut is its output. Everything else (XOR with output, AND with
// output, IMPLY, NAND, ...) is one of these with negated links.
enum class Logic : std::uint8_t { Xor, AtMostOne, Or, OrOut, AtMost, Exactly };

struct LogicFactor {
  Logic kind;
  Index budget = 0;  // AtMost, Exactly
};

// Two links with a score for both being on.
struct PairFactor {
  Score score;
};

// A table of scores over all 2^links configurations, link 0 being the lowest bit; -inf forbids.
struct DenseFactor {
  std::vector<Score> scores;
};

// Scratch memory of one call into a structured factor; each factor kind derives its own.
struct FactorWorkspace {
  virtual ~FactorWorkspace() = default;
};

// A factor with structure: trees, automata, factors written in Python. One level of inheritance, no state that a call
// changes: scratch memory is in the workspace, so that several threads may solve one graph.
class StructuredFactor {
 public:
  virtual ~StructuredFactor() = default;
  virtual Index links() const = 0;
  virtual std::unique_ptr<FactorWorkspace> make_workspace() const = 0;
  // The best configuration; returns its value, link scores included, or -inf if there is none.
  virtual Score maximize(std::span<const Score> scores, FactorWorkspace& workspace, Configuration& best) const = 0;
  // The factor's own score of a configuration, -inf if it is not allowed.
  virtual Score own_score(std::span<const std::uint8_t> on, FactorWorkspace& workspace) const = 0;
  // A lower bound on the own scores of all allowed configurations, if one is known (any number if there are none).
  virtual std::optional<Score> lowest_own() const = 0;
  virtual bool has_marginals() const { return false; }
  // Writes the marginals of the links under exp(score) and returns the log-partition.
  virtual Score marginals(std::span<const Score> scores, FactorWorkspace& workspace, std::span<double> marginals) const;
  // The mean of the own score under the distribution of `marginals`; NaN if it is not known, 0 if nothing is allowed.
  virtual double expected_own(std::span<const Score> scores, FactorWorkspace& workspace) const;
  virtual bool has_max_marginals() const { return false; }
  // Writes for each link the best value of a configuration with it on, and with it off (-inf: there is none); returns
  // the best value of all.
  virtual Score max_marginals(std::span<const Score> scores, FactorWorkspace& workspace, std::span<Score> on,
                              std::span<Score> off) const;
};

enum class FactorType : std::uint8_t { Logic, Pair, Dense, Structured };

// The graph: variables with scores, and factors in the order in which they were added. Factor f has the links
// link_begins[f] to link_begins[f + 1]; `places[f]` is its index among the factors of its type.
struct Graph {
  std::vector<Score> scores;  // [variables]
  std::vector<FactorType> types;
  std::vector<Index> places;
  std::vector<Index> link_begins{0};
  std::vector<Index> link_variables;
  std::vector<std::uint8_t> link_negated;
  std::vector<LogicFactor> logic;
  std::vector<PairFactor> pairs;
  std::vector<DenseFactor> dense;
  std::vector<std::shared_ptr<const StructuredFactor>> structured;

  Index variables() const { return static_cast<Index>(scores.size()); }
  Index factors() const { return static_cast<Index>(types.size()); }
  Index links(Index factor) const { return link_begins[factor + 1] - link_begins[factor]; }
  // How many links each variable has. [variables]
  std::vector<Index> degrees() const;
};

}  // namespace headlong
