// The options of decoding. The fields have the names of `headlong.parser.DecodeOptions`, which documents them and
// checks their values; bindings/options.cpp binds the fields that `visit_fields` lists.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/require.hpp"
#include "base/types.hpp"

namespace headlong {

enum class Method : std::uint8_t {
  Arcs,         // the best tree of the arc scores alone; no bound
  Greedy,       // one arc at a time (greedy.hpp); no bound
  GreedyPP,     // the same with predictions of incomplete parts
  Sample,       // the best tree that a sampler visits (sampler.hpp); no bound
  Rerank,       // the best of the k best trees of the arc scores; no bound
  Climb,        // the descent, then hill climbing with restarts; without `proof`, no descent and no bound
  Ad3,          // the descent, then AD3
  Subgradient,  // the descent, then the subgradient method
  Exact         // the descent, then branch and bound
};

// Where climbs after the first one start.
enum class ClimbStart : std::uint8_t {
  Mixed,       // half of the restarts as Nearby, then, if none helps, half as FirstOrder; long sentences: all as Nearby
  Nearby,      // from the best tree so far, with one or two arcs forced into it
  FirstOrder,  // from trees drawn in proportion to exp(arc score)
  Uniform,     // from trees drawn uniformly
  Ad3          // as Mixed, but the first climb starts from the tree that AD3 finds
};

// How to treat parts that need some candidate to be absent from the tree.
enum class Absence : std::uint8_t {
  Charge,  // they count, and are lost when such an arc is chosen
  Ignore,  // they count as if they did not need this
  Omit     // they do not count (Tchernowitz 2016, footnote 1)
};

enum class SamplerKernel : std::uint8_t { Gibbs, Metropolis };

// The names of the values of an enumeration, in order.
template <class Enum>
inline constexpr std::array<std::string_view, 0> NAMES{};
template <>
inline constexpr auto NAMES<Method> = std::to_array<std::string_view>(
    {"arcs", "greedy", "greedy-pp", "sample", "rerank", "climb", "ad3", "subgradient", "exact"});
template <>
inline constexpr auto NAMES<ClimbStart> =
    std::to_array<std::string_view>({"mixed", "nearby", "first-order", "uniform", "ad3"});
template <>
inline constexpr auto NAMES<Absence> = std::to_array<std::string_view>({"charge", "ignore", "omit"});
template <>
inline constexpr auto NAMES<SamplerKernel> = std::to_array<std::string_view>({"gibbs", "mh"});

struct DecodeOptions {
  Method method = Method::Exact;
  bool projective = false;
  Index max_iterations = 1000;
  double time_limit = 0.0;  // seconds per sentence; 0: none
  std::size_t threads = 1;
  // Climb.
  Index restarts = 100;
  ClimbStart start = ClimbStart::Mixed;
  std::uint64_t seed = 0;  // also of Sample
  bool proof = true;
  // Greedy and GreedyPP.
  double alpha = 1.0;
  double beta = 0.5;
  Index beam = 1;
  Index swaps = 5;
  Absence absence = Absence::Charge;
  double gamma1 = 0.2, gamma2 = 0.0, gamma3 = 0.0;
  // Rerank.
  Index kbest = 64;
  // Sample.
  SamplerKernel kernel = SamplerKernel::Gibbs;
  Index samples = 100;
  double temperature = 1.0;
  // For tests and experiments.
  Index max_nodes = -1;     // of branch and bound; -1: NODES_PER_ITERATION per iteration
  Index max_sweeps = 64;    // of the descent; 0: no descent
  double tolerance = 1e-9;  // largest relative gap between bound and score that counts as a certificate

  // Nodes of branch and bound that count as one iteration: a node is quick, and hard sentences have thousands.
  static constexpr Index NODES_PER_ITERATION = 100;

  Index node_limit() const {
    constexpr Index MOST = std::numeric_limits<Index>::max() / NODES_PER_ITERATION;
    return max_nodes >= 0 ? max_nodes : NODES_PER_ITERATION * (max_iterations < MOST ? max_iterations : MOST);
  }
  // Returns the number of sweeps of the descent. Only Climb can run without a proof.
  Index sweep_limit() const { return method == Method::Climb && !proof ? 0 : max_sweeps; }

  // Throws std::invalid_argument for numbers that would break a decoder.
  void check() const {
    require(max_iterations >= 1, "max_iterations must be at least 1");
    require(max_nodes >= -1 && max_sweeps >= 0, "max_nodes must be at least -1 and max_sweeps at least 0");
    require(time_limit >= 0.0, "time_limit must not be negative");
    require(tolerance >= 0.0, "tolerance must not be negative");
    require(threads >= 1, "threads must be positive");
    require(restarts >= 0, "restarts must not be negative");
    require(alpha >= 0.0 && std::isfinite(alpha), "alpha must be finite and not negative");
    require(beta >= 0.0 && beta <= 1.0, "beta must be between 0 and 1");
    require(beam >= 1 && kbest >= 1, "beam and kbest must be positive");
    require(swaps >= 0, "swaps must not be negative");
    for (double gamma : {gamma1, gamma2, gamma3}) require(std::abs(gamma) < 1e30, "gammas must be finite");
    require(samples >= 1, "samples must be positive");
    require(temperature > 0.0 && std::isfinite(temperature), "temperature must be positive and finite");
  }

  // Calls visit(name, pointer to member) for every field that Python sets.
  template <class Visit>
  static void visit_fields(Visit visit) {
    visit("method", &DecodeOptions::method);
    visit("projective", &DecodeOptions::projective);
    visit("max_iterations", &DecodeOptions::max_iterations);
    visit("time_limit", &DecodeOptions::time_limit);
    visit("threads", &DecodeOptions::threads);
    visit("restarts", &DecodeOptions::restarts);
    visit("start", &DecodeOptions::start);
    visit("seed", &DecodeOptions::seed);
    visit("proof", &DecodeOptions::proof);
    visit("alpha", &DecodeOptions::alpha);
    visit("beta", &DecodeOptions::beta);
    visit("beam", &DecodeOptions::beam);
    visit("swaps", &DecodeOptions::swaps);
    visit("absence", &DecodeOptions::absence);
    visit("gamma1", &DecodeOptions::gamma1);
    visit("gamma2", &DecodeOptions::gamma2);
    visit("gamma3", &DecodeOptions::gamma3);
    visit("kbest", &DecodeOptions::kbest);
    visit("kernel", &DecodeOptions::kernel);
    visit("samples", &DecodeOptions::samples);
    visit("temperature", &DecodeOptions::temperature);
    visit("max_nodes", &DecodeOptions::max_nodes);
    visit("max_sweeps", &DecodeOptions::max_sweeps);
    visit("tolerance", &DecodeOptions::tolerance);
  }
};

}  // namespace headlong
