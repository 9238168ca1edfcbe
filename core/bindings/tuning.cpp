// Settings of tree decoders for Python: names and numbers are checked here.
#include "bindings/tuning.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <map>

using namespace nanobind::literals;

namespace headlong {

void set_restarts(TreeOptions& options, Index restarts, const std::string& start, std::uint64_t seed) {
  require(restarts >= 0, "restarts must not be negative");
  static const std::map<std::string, ClimbStart> starts = {{"mixed", ClimbStart::Mixed},
                                                           {"nearby", ClimbStart::Nearby},
                                                           {"ad3", ClimbStart::Mixed},
                                                           {"first-order", ClimbStart::FirstOrder},
                                                           {"uniform", ClimbStart::Uniform}};
  const auto found = starts.find(start);
  require(found != starts.end(), "unknown start");
  options.restarts.restarts = restarts;
  options.restarts.start = found->second;
  options.restarts.seed = seed;
  options.climbs_from_ad3 = start == "ad3";
}

TreeMethod method_of(const std::string& name) {
  static const std::map<std::string, TreeMethod> methods = {
      {"arcs", TreeMethod::Arcs},     {"climb", TreeMethod::Climb},
      {"greedy", TreeMethod::Greedy}, {"greedy-pp", TreeMethod::GreedyPP},
      {"sample", TreeMethod::Sample}, {"rerank", TreeMethod::Rerank},
      {"ad3", TreeMethod::Ad3},       {"subgradient", TreeMethod::Subgradient},
      {"exact", TreeMethod::Exact}};
  require(methods.contains(name),
          "the methods are arcs, climb, greedy, greedy-pp, sample, rerank, ad3, subgradient and exact");
  return methods.at(name);
}

SamplerOptions sampling_of(const std::string& kernel, Index samples, double temperature) {
  require(kernel == "gibbs" || kernel == "mh", "the kernels are gibbs and mh");
  require(samples >= 1, "samples must be positive");
  require(temperature > 0.0 && std::isfinite(temperature), "the temperature must be a positive number");
  SamplerOptions options;
  options.kernel = kernel == "mh" ? SamplerKernel::Metropolis : SamplerKernel::Gibbs;
  options.samples = samples;
  options.temperature = temperature;
  return options;
}

void tune(TreeOptions& options, const Tuning* tuning, const std::optional<In<Index, 1>>& guide, std::size_t words) {
  if (tuning) options.tuning = *tuning;
  if (!guide) return;
  require(guide->size() == words, "the tree to favour needs one head a word");
  options.guide = view(*guide);
}

void bind_tuning(nb::module_& m) {
  nb::class_<Tuning>(m, "Tuning", "Settings of single decoders: see headlong.inference.Tuning.")
      .def(
          "__init__",
          [](Tuning* self, double alpha, double beta, Index beam, Index swaps, Index absence,
             const std::array<double, 3>& gammas, Index trees, const std::string& kernel, Index samples,
             double temperature) {
            require(alpha >= 0.0 && std::isfinite(alpha), "alpha must be a number from 0 on");
            require(beta >= 0.0 && beta <= 1.0, "beta must be between 0 and 1");
            require(beam >= 1 && swaps >= 0 && trees >= 1, "beam and trees must be positive, swaps not negative");
            require(absence >= 0 && absence <= static_cast<Index>(Absence::Omit), "absence is 0, 1 or 2");
            for (double gamma : gammas) require(std::abs(gamma) < 1e30, "gammas must be numbers");
            new (self) Tuning{{true, alpha, beta, beam, swaps, static_cast<Absence>(absence), gammas},
                              trees,
                              sampling_of(kernel, samples, temperature)};
          },
          "alpha"_a, "beta"_a, "beam"_a, "swaps"_a, "absence"_a, "gammas"_a, "trees"_a, "kernel"_a, "samples"_a,
          "temperature"_a, "Absence: 0 charge, 1 ignore, 2 omit. Kernel: gibbs or mh.");
}

}  // namespace headlong
