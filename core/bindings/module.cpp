// The module `_core`: one submodule per topic. Only this folder knows Python. The bindings check shapes and values,
// release the GIL and call the core.
#include "bindings/unlocked.hpp"

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  using namespace headlong;
  m.doc() = "The compiled core of headlong: kernels over arrays.";
  bind_stop(m);
  nb::module_ trees = m.def_submodule("trees", "Best trees, marginals, reduced costs and random trees.");
  bind_trees(trees);
  bind_random_trees(trees);
  nb::module_ features = m.def_submodule("features", "Templates, codes and feature scores.");
  bind_features(features);
  nb::module_ graph = m.def_submodule("graph", "Factor graphs and their solvers.");
  bind_graph(graph);
  bind_solvers(graph);
  nb::module_ dense = m.def_submodule("dense", "The context encoder: vectors of words, scores of arcs and labels.");
  bind_dense(dense);
  bind_tensor(dense);
  bind_vectors(dense);
  nb::module_ parser = m.def_submodule("parser", "Dependency parsers: models, problems, decoders, training.");
  bind_options(parser);
  bind_parts(parser);
  bind_global_scorer(parser);
  bind_problem(parser);
  bind_parser(parser);
  bind_trainer(parser);
  nb::module_ sequence = m.def_submodule("sequence", "Sequence models: lattices, labeling, training.");
  bind_chain(sequence);
}
