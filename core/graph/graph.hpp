// Factor graphs over binary variables, and the services of their factors.
//
// A factor sees some variables through links, which can be negated, and offers up to four services:
//   maximize   the best configuration under given link scores
//   project    AD3's quadratic problem: the point of the convex hull nearest to given link values
//   marginals  sum-product: log-partition and link marginals
//   polytope   rows for a linear program (written in Python, from the same description)
// Solvers know nothing else about a factor. Link scores and link values always refer to the link, that is, after
// negation. The graph translates between variables and links.
#pragma once

#include <memory>
#include <optional>

#include "base/types.hpp"

namespace headlong {

// A configuration of a factor: which links are on, and the factor's own score.
struct Configuration {
  std::vector<std::uint8_t> on;  // [links]
  Score own = 0.0;               // the factor's own score, without link scores
};

// How large own scores are. A factor adds up to `terms` numbers for one own score; `sum` is an upper bound on the sum
// of their absolute values in any allowed configuration.
struct OwnSize {
  Score sum = 0.0;
  Index terms = 0;
};

// The logic factors over n links. The last link of OrOut is its output. All others (XOR with output, AND with output,
// IMPLY, NAND, ...) are one of these with negated links.
enum class Logic : std::uint8_t { Xor, AtMostOne, Or, OrOut, AtMost, Exactly };

struct LogicFactor {
  Logic kind;
  Index budget = 0;  // for AtMost and Exactly
};

// Two links, with a score if both are on.
struct PairFactor {
  Score score;
};

// A table of scores over all 2^links configurations. Link 0 is the lowest bit; -inf forbids a configuration.
struct DenseFactor {
  std::vector<Score> scores;
};

// Scratch memory of a structured factor. Each kind of factor derives its own.
struct FactorWorkspace {
  virtual ~FactorWorkspace() = default;
};

// A factor with structure: trees, automata, factors written in Python. There is one level of inheritance. Calls do not
// change the factor: scratch memory is in the workspace, so several threads can solve one graph.
class StructuredFactor {
 public:
  virtual ~StructuredFactor() = default;
  virtual Index links() const = 0;
  virtual std::unique_ptr<FactorWorkspace> make_workspace() const = 0;
  // Finds the best configuration. Returns its value including link scores, or -inf if there is none.
  virtual Score maximize(std::span<const Score> scores, FactorWorkspace& workspace, Configuration& best) const = 0;
  // Returns the factor's own score of a configuration, or -inf if it is not allowed.
  virtual Score own_score(std::span<const std::uint8_t> on, FactorWorkspace& workspace) const = 0;
  // Returns the size of own scores, which limits their rounding errors; nothing if the factor does not know it.
  virtual std::optional<OwnSize> own_size() const = 0;
  // Returns a lower bound on the own scores of all allowed configurations, if one is known (any number if nothing is
  // allowed).
  virtual std::optional<Score> lowest_own() const = 0;
  virtual bool has_marginals() const { return false; }
  // Writes the marginals of the links under exp(score) and returns the log-partition.
  virtual Score marginals(std::span<const Score> scores, FactorWorkspace& workspace, std::span<double> marginals) const;
  // Returns the mean of the own score under the distribution of `marginals`: NaN if unknown, 0 if nothing is allowed.
  virtual double expected_own(std::span<const Score> scores, FactorWorkspace& workspace) const;
  virtual bool has_max_marginals() const { return false; }
  // Writes, for each link, the best value of a configuration with the link on and with it off (-inf: there is none).
  // Returns the best value.
  virtual Score max_marginals(std::span<const Score> scores, FactorWorkspace& workspace, std::span<Score> on,
                              std::span<Score> off) const;
};

enum class FactorType : std::uint8_t { Logic, Pair, Dense, Structured };

// The graph: variables with scores, and factors in the order of their creation. Factor f has the links link_begins[f]
// to link_begins[f + 1]; `places[f]` is its index among the factors of its type.
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
  // Returns how many links each variable has. [variables]
  std::vector<Index> degrees() const;
};

}  // namespace headlong
