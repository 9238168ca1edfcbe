// Frames and tree decoders for Python: shapes and numbers are checked here, and the GIL is released.
#include "bindings/parts.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "bindings/common.hpp"
#include "bindings/global_scorer.hpp"
#include "bindings/graph.hpp"
#include "bindings/tuning.hpp"
#include "decode/head_automaton.hpp"
#include "decode/term_decoder.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

// Copies scores into a column of the frames.
void fill(std::vector<float>& column, const In<float, 1>& scores, const char* message) {
  require(scores.size() == column.size(), message);
  require_scores(view(scores));
  std::copy(view(scores).begin(), view(scores).end(), column.begin());
}

void require_head(const Frames& frames, Index head) {
  require(head >= 0 && head < frames.size, "the sentence has no such head");
}

std::vector<Index> places_of(const Frames& frames, Index fan, const In<Index, 1>& places) {
  Index before = 0;
  for (Index place : view(places)) {
    require(place > before && place <= frames.fan_size(fan), "places of a fan must ascend from 1");
    before = place;
  }
  return {view(places).begin(), view(places).end()};
}

}  // namespace

Candidates candidates_of(const In<Index, 1>& heads, const In<Index, 1>& begins) {
  require(begins.size() >= 2, "a sentence has at least its root");
  const Index size = static_cast<Index>(begins.size()) - 1;
  Candidates candidates;
  candidates.heads.assign(view(heads).begin(), view(heads).end());
  candidates.begins.assign(view(begins).begin(), view(begins).end());
  require(candidates.begins[0] == 0 && candidates.begins[1] == 0, "the root has no heads");
  for (Index word = 0; word < size; ++word)
    require(candidates.begins[word] <= candidates.begins[word + 1], "begins must ascend");
  require(candidates.begins.back() == static_cast<Index>(heads.size()), "begins must end with the heads");
  for (Index word = 1; word < size; ++word) {
    Index before = -1;
    for (Index head : candidates.of(word)) {
      require(head > before && head < size && head != word, "heads of a word must ascend, without itself");
      before = head;
    }
  }
  return candidates;
}

void require_tree(std::span<const Index> heads) {
  const Index size = static_cast<Index>(heads.size());
  for (Index word = 1; word < size; ++word) {
    Index above = word;
    for (Index steps = 0; above != 0; ++steps) {
      require(steps < size && heads[above] >= 0 && heads[above] < size, "the heads must be those of a tree");
      above = heads[above];
    }
  }
}

namespace {

// Extras with the frames that they were laid out for.
struct PyExtras {
  nb::object owner;  // of the frames
  const Frames* frames;
  Extras extras;

  PyExtras(nb::object frames_, Extras extras_)
      : owner(std::move(frames_)), frames(nb::cast<const Frames*>(owner)), extras(std::move(extras_)) {}
  static std::size_t checked(Index kind) {
    require(kind >= static_cast<Index>(FRAME_KINDS) && kind < static_cast<Index>(KINDS),
            "the kinds are 4 head bigrams, 5 arbitrary siblings, 6 non-projective arcs and 7 paths");
    return kind;
  }
};

// The extras, or none; they must belong to the frames.
const Extras* extras_of(const Frames& frames, const PyExtras* extras) {
  if (!extras) return nullptr;
  require(extras->frames == &frames, "the extras belong to other frames");
  return &extras->extras;
}

void bind_extras(nb::module_& m) {
  nb::class_<PyExtras>(m, "Extras",
                       "Head bigrams (kind 4), arbitrary siblings (5), non-projective arcs (6) and paths (7) over the\n"
                       "candidates of frames: see core/parts/extras.hpp.")
      .def(
          "__init__",
          [](PyExtras* self, nb::handle_t<Frames> frames, const std::vector<Index>& kinds) {
            std::array<bool, KINDS> on{};
            for (Index kind : kinds) on[PyExtras::checked(kind)] = true;
            Extras extras;
            lay_out(nb::cast<const Frames&>(frames), on, extras);
            new (self) PyExtras(nb::borrow(frames), std::move(extras));
          },
          "frames"_a, "kinds"_a, "The parts of the given kinds. All scores are zero.")
      .def(
          "slots",
          [](const PyExtras& self, Index kind) {
            std::vector<ExtraSlots> rows;
            std::vector<Index> flat;
            const std::size_t checked = PyExtras::checked(kind);
            if (self.extras.on[checked]) list_extras(*self.frames, self.extras, static_cast<Kind>(kind), rows);
            for (const ExtraSlots& row : rows) flat.insert(flat.end(), row.begin(), row.begin() + KIND_SLOTS[checked]);
            return copied(flat);
          },
          "kind"_a, nb::rv_policy::move, "The words of all parts of a kind, part by part: [parts * slots].")
      .def(
          "scores",
          [](const PyExtras& self, Index kind) { return copied(self.extras.scores[PyExtras::checked(kind)]); },
          "kind"_a, nb::rv_policy::move, "The scores of all parts of a kind, in the order of its parts.")
      .def(
          "set_scores",
          [](PyExtras& self, Index kind, const In<float, 1>& scores) {
            fill(self.extras.scores[PyExtras::checked(kind)], scores, "one score a part is needed");
          },
          "kind"_a, "scores"_a, "Sets the scores of a kind, in the order of its parts.");
}

}  // namespace

nb::object extras_object(nb::object frames, Extras extras) {
  return nb::cast(PyExtras(std::move(frames), std::move(extras)));
}

void bind_parts(nb::module_& m) {
  nb::class_<Frames>(m, "Frames",
                     "Candidate arcs of a sentence, and the scores of parts around each head in the order of its\n"
                     "automaton: see core/parts/frames.hpp.")
      .def(
          "__init__",
          [](Frames* self, const In<Index, 1>& heads, const In<Index, 1>& begins, bool triples) {
            const Candidates candidates = candidates_of(heads, begins);
            new (self) Frames();
            lay_out(candidates, static_cast<Index>(begins.size()) - 1, triples, *self);
          },
          "heads"_a, "begins"_a, "triples"_a = false,
          "The candidates: heads [arcs] sorted by modifier, begins [size + 1] of each word. All scores are zero.")
      .def_prop_ro("size", [](const Frames& frames) { return frames.size; })
      .def_prop_ro(
          "fan_arcs", [](const Frames& frames) { return copied(frames.fan_arcs); }, nb::rv_policy::move)
      .def_prop_ro(
          "fan_begins", [](const Frames& frames) { return copied(frames.fan_begins); }, nb::rv_policy::move)
      .def_prop_ro(
          "strides", [](const Frames& frames) { return copied(frames.strides); }, nb::rv_policy::move)
      .def_prop_ro(
          "pairs", [](const Frames& frames) { return copied(frames.pairs); }, nb::rv_policy::move)
      .def_prop_ro(
          "triples", [](const Frames& frames) { return copied(frames.triples); }, nb::rv_policy::move)
      .def_prop_ro(
          "grand", [](const Frames& frames) { return copied(frames.grand); }, nb::rv_policy::move)
      .def(
          "set_scores",
          [](Frames& frames, const In<float, 1>& pairs, const In<float, 1>& triples, const In<float, 1>& grand) {
            fill(frames.pairs, pairs, "one score a pair and lane is needed");
            fill(frames.triples, triples, "one score a triple is needed");
            fill(frames.grand, grand, "one score a place and lane is needed");
          },
          "pairs"_a, "triples"_a, "grand"_a, "Sets the scores, in the order of the columns of the same name.")
      .def(
          "value",
          [](const Frames& frames, Index head, Index lane, const In<Index, 1>& left, const In<Index, 1>& right) {
            require_head(frames, head);
            require(lane >= 0 && lane < frames.lanes[head], "the head has no such lane");
            return frame_value(frames, head, lane, places_of(frames, 2 * head, left),
                               places_of(frames, 2 * head + 1, right));
          },
          "head"_a, "lane"_a, "left"_a, "right"_a, "What a head is worth with these places, without arc scores.")
      .def(
          "tree_value",
          [](const Frames& frames, const In<double, 1>& arc_scores, const In<Index, 1>& heads, const PyExtras* extras,
             PyGlobalScorer* term) {
            require(arc_scores.size() == frames.arcs(), "one score an arc is needed");
            require(heads.size() == static_cast<std::size_t>(frames.size), "one head a word is needed");
            if (extras || term) require_tree(view(heads));
            ClimbWorkspace workspace;
            nb::gil_scoped_release unlocked;
            std::unique_lock<std::mutex> turn;
            return tree_value(frames, view(arc_scores), view(heads), workspace, extras_of(frames, extras),
                              term_of(term, turn));
          },
          "arc_scores"_a, "heads"_a, "extras"_a.none() = nb::none(), "term"_a.none() = nb::none(),
          "What a tree is worth: its arcs and all parts. With extras or a term the heads must be those of a tree.")
      .def(
          "edges",
          [](const Frames& frames, Index head) {
            require_head(frames, head);
            std::vector<Index> sources, targets, links;
            std::vector<Score> scores;
            for (const auto& [source, target, link, score] : HeadAutomaton(frames, head).edges()) {
              sources.push_back(source);
              targets.push_back(target);
              links.push_back(link);
              scores.push_back(score);
            }
            return std::make_tuple(copied(sources), copied(targets), copied(links), copied(scores));
          },
          "head"_a, "The automaton of a head as edges: (sources, targets, link_of_edge, scores).")
      .def(
          "graph",
          [](const Frames& frames, const In<double, 1>& arc_scores, bool single_root, bool projective,
             const PyExtras* extras) {
            require(arc_scores.size() == frames.arcs(), "one score an arc is needed");
            require(frames.size > 1, "a sentence without words has no graph");
            require_scores(view(arc_scores));
            Graph graph;
            build_tree_graph(frames, view(arc_scores), {single_root ? RootRule::Single : RootRule::Multi, projective},
                             graph);
            std::vector<ExtraVariable> variables;
            if (extras) add_extras(frames, *extras_of(frames, extras), projective, graph, variables);
            return graph;
          },
          "arc_scores"_a, "single_root"_a = true, "projective"_a = false, "extras"_a.none() = nb::none(),
          nb::keep_alive<0, 1>(),
          "The factor graph of the sentence: the tree, then the automata of the heads with modifiers, then extras.")
      .def(
          "solve",
          [](const Frames& frames, const In<double, 1>& arc_scores, const std::string& method, bool single_root,
             bool projective, Index max_iterations, Index max_nodes, Index max_sweeps, double time_limit,
             double tolerance, const PyExtras* extras, Index restarts, const std::string& start, std::uint64_t seed,
             const std::optional<In<Index, 1>>& tree, const Tuning* tuning, const std::optional<In<Index, 1>>& guide,
             PyGlobalScorer* term, std::size_t threads) {
            require(arc_scores.size() == frames.arcs(), "one score an arc is needed");
            require(max_iterations >= 1, "max_iterations must be positive");
            require(max_nodes >= 0 && max_sweeps >= 0, "max_nodes and max_sweeps must not be negative");
            require(tolerance >= 0.0, "tolerance must not be negative");
            require_scores(view(arc_scores));
            TreeOptions options;
            options.method = method_of(method);
            options.rules = {single_root ? RootRule::Single : RootRule::Multi, projective};
            options.max_iterations = max_iterations;
            options.max_nodes = max_nodes;
            options.max_sweeps = max_sweeps;
            options.time_limit = time_limit;
            options.tolerance = tolerance;
            set_restarts(options, restarts, start, seed);
            options.restarts.threads = threads;
            if (tree) {
              require(tree->size() == static_cast<std::size_t>(frames.size), "one head a word is needed");
              require_tree(view(*tree));
              const auto roots = std::count(view(*tree).begin(), view(*tree).end(), 0);
              require(!single_root || roots <= 1, "the tree has more than one root");
              options.tree = view(*tree);
            }
            tune(options, tuning, guide, frames.size);
            TreeSolution solution;
            const Extras* checked = extras_of(frames, extras);
            {
              nb::gil_scoped_release unlocked;
              TreeWorkspace workspace;
              std::unique_lock<std::mutex> turn;
              const Extras none;
              solve_tree(frames, checked ? *checked : none, term_of(term, turn), view(arc_scores), options, workspace,
                         solution);
            }
            nb::typed<nb::dict, nb::str, nb::any> answer;
            answer["heads"] = copied(solution.heads);
            answer["score"] = solution.score;
            answer["bound"] = solution.bound;
            answer["certified"] = solution.certified;
            answer["status"] = name_of(solution.status);
            answer["sweeps"] = solution.sweeps;
            answer["iterations"] = solution.iterations;
            answer["arcs"] = solution.arcs;
            return answer;
          },
          "arc_scores"_a, "method"_a = "ad3", "single_root"_a = true, "projective"_a = false, "max_iterations"_a = 1000,
          "max_nodes"_a = 1000, "max_sweeps"_a = 64, "time_limit"_a = 0.0, "tolerance"_a = 1e-9,
          "extras"_a.none() = nb::none(), "restarts"_a = RestartOptions().restarts, "start"_a = "mixed", "seed"_a = 0,
          "tree"_a.none() = nb::none(), "tuning"_a.none() = nb::none(), "guide"_a = nb::none(),
          "term"_a.none() = nb::none(), "threads"_a = 1,
          "The best tree under scores of arcs [arcs] and of all parts. A dictionary: heads [size], score, bound,\n"
          "certified, status, sweeps of the descent, iterations of the solver behind it, and how many arcs it was "
          "left.")
      .def(
          "sampled_trees",
          [](const Frames& frames, const In<double, 1>& arc_scores, bool single_root, bool projective,
             const std::string& kernel, double temperature, Index count, Index burn_in, std::uint64_t seed,
             const PyExtras* extras, PyGlobalScorer* term) {
            require(arc_scores.size() == frames.arcs(), "one score an arc is needed");
            require_scores(view(arc_scores));
            require(count >= 0 && burn_in >= 0, "count and burn_in must not be negative");
            SamplerOptions options = sampling_of(kernel, 1, temperature);
            options.seed = seed;
            const Extras* checked = extras_of(frames, extras);
            const std::size_t size = frames.size;
            std::vector<Index> rows;
            {
              nb::gil_scoped_release unlocked;
              TreeWorkspace workspace;
              std::unique_lock<std::mutex> turn;
              const TreeRules rules{single_root ? RootRule::Single : RootRule::Multi, projective};
              std::vector<Index> heads(size, NO_HEAD);
              if (size > 1) best_tree(frames, view(arc_scores), rules, heads, workspace);
              Sampler sampler(frames, view(arc_scores), rules.root, projective, options, heads, workspace.climb,
                              workspace.sampler, checked, term_of(term, turn));
              const Index sweeps = sampler.set_up() ? burn_in + count : 0;
              for (Index sweep = 0; sweep < sweeps; ++sweep) {
                sampler.sweep(temperature);
                if (sweep >= burn_in) rows.insert(rows.end(), heads.begin(), heads.end());
              }
            }
            return copied<Out<Index, 2>>(rows, {rows.size() / size, size});
          },
          "arc_scores"_a, "single_root"_a, "projective"_a, "kernel"_a, "temperature"_a, "count"_a, "burn_in"_a,
          "seed"_a, "extras"_a.none() = nb::none(), "term"_a.none() = nb::none(),
          nb::sig("def sampled_trees(self, arc_scores: numpy.typing.NDArray[numpy.float64], single_root: bool, "
                  "projective: bool, kernel: str, temperature: float, count: int, burn_in: int, seed: int, extras: "
                  "Extras | None = None, term: GlobalScorer | None = None) -> numpy.typing.NDArray[numpy.int32]"),
          "Trees of a Markov chain whose distribution is exp(score / temperature), one after each sweep: [count, "
          "size]; no rows\nif no tree that is worth anything was found.");

  bind_extras(m);
}

}  // namespace headlong
