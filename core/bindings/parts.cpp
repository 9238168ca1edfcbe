// Frames and extras for Python.
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
#include "decode/head_automaton.hpp"

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
    require(place > before && place <= frames.fan_size(fan), "the places of a fan must ascend from 1");
    before = place;
  }
  return {view(places).begin(), view(places).end()};
}

}  // namespace

Candidates candidates_of(const In<Index, 1>& heads, const In<Index, 1>& begins) {
  require(begins.size() >= 2, "a sentence must have at least its root");
  const Index size = static_cast<Index>(begins.size()) - 1;
  Candidates candidates;
  candidates.heads.assign(view(heads).begin(), view(heads).end());
  candidates.begins.assign(view(begins).begin(), view(begins).end());
  require(candidates.begins[0] == 0 && candidates.begins[1] == 0, "the root must not have heads");
  for (Index word = 0; word < size; ++word)
    require(candidates.begins[word] <= candidates.begins[word + 1], "begins must not descend");
  require(candidates.begins.back() == static_cast<Index>(heads.size()), "begins must end with the number of heads");
  for (Index word = 1; word < size; ++word) {
    Index before = -1;
    for (Index head : candidates.of(word)) {
      require(head > before && head < size && head != word,
              "the heads of a word must ascend and not include the word itself");
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
      require(steps < size && heads[above] >= 0 && heads[above] < size, "heads must be those of a tree");
      above = heads[above];
    }
  }
}

namespace {

std::size_t checked_kind(Index kind) {
  require(kind >= static_cast<Index>(FRAME_KINDS) && kind < static_cast<Index>(KINDS),
          "kind must be 4 (head bigram), 5 (arbitrary sibling), 6 (non-projective arc) or 7 (path)");
  return kind;
}

void bind_extras(nb::module_& m) {
  nb::class_<PyExtras>(m, "Extras",
                       "The extras over the candidates of frames: head bigrams (kind 4), arbitrary siblings (5),\n"
                       "non-projective arcs (6) and paths (7). See core/parts/extras.hpp.")
      .def(
          "__init__",
          [](PyExtras* self, nb::handle_t<Frames> frames, const std::vector<Index>& kinds) {
            std::array<bool, KINDS> on{};
            for (Index kind : kinds) on[checked_kind(kind)] = true;
            Extras extras;
            lay_out(nb::cast<const Frames&>(frames), on, extras);
            new (self) PyExtras(nb::borrow(frames), std::move(extras));
          },
          "frames"_a, "kinds"_a, "Make the parts of the given kinds with zero scores.")
      .def(
          "slots",
          [](const PyExtras& self, Index kind) {
            std::vector<ExtraSlots> rows;
            std::vector<Index> flat;
            const std::size_t checked = checked_kind(kind);
            if (self.extras.on[checked]) list_extras(*self.frames, self.extras, static_cast<Kind>(kind), rows);
            for (const ExtraSlots& row : rows) flat.insert(flat.end(), row.begin(), row.begin() + KIND_SLOTS[checked]);
            return copied(flat);
          },
          "kind"_a, nb::rv_policy::move, "Return the words of all parts of a kind, part by part: [parts * slots].")
      .def(
          "scores", [](const PyExtras& self, Index kind) { return copied(self.extras.scores[checked_kind(kind)]); },
          "kind"_a, nb::rv_policy::move, "Return the scores of all parts of a kind, in the order of slots().")
      .def(
          "set_scores",
          [](PyExtras& self, Index kind, const In<float, 1>& scores) {
            fill(self.extras.scores[checked_kind(kind)], scores, "expected one score per part");
          },
          "kind"_a, "scores"_a, "Set the scores of a kind, in the order of slots().");
}

}  // namespace

void bind_parts(nb::module_& m) {
  nb::class_<Frames>(
      m, "Frames",
      "The candidate arcs of a sentence, and the scores of the frame parts of each head in the order of\n"
      "its automaton. See core/parts/frames.hpp.")
      .def(
          "__init__",
          [](Frames* self, const In<Index, 1>& heads, const In<Index, 1>& begins, bool triples) {
            const Candidates candidates = candidates_of(heads, begins);
            new (self) Frames();
            lay_out(candidates, static_cast<Index>(begins.size()) - 1, triples, *self);
          },
          "heads"_a, "begins"_a, "triples"_a = false,
          "Make frames with zero scores.\n\n"
          "Args:\n"
          "    heads: [arcs] of the candidates, sorted by modifier.\n"
          "    begins: [size + 1] begins of the words in heads.\n"
          "    triples: whether to make room for tri-siblings.")
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
            fill(frames.pairs, pairs, "expected one score per pair and lane");
            fill(frames.triples, triples, "expected one score per triple");
            fill(frames.grand, grand, "expected one score per place and lane");
          },
          "pairs"_a, "triples"_a, "grand"_a, "Set the scores, in the order of the properties of the same name.")
      .def(
          "value",
          [](const Frames& frames, Index head, Index lane, const In<Index, 1>& left, const In<Index, 1>& right) {
            require_head(frames, head);
            require(lane >= 0 && lane < frames.lanes[head], "the head has no such lane");
            return frame_value(frames, head, lane, places_of(frames, 2 * head, left),
                               places_of(frames, 2 * head + 1, right));
          },
          "head"_a, "lane"_a, "left"_a, "right"_a, "Return the value of a head with these places, without arc scores.")
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
          "head"_a, "Return the automaton of a head as edges: (sources, targets, link_of_edge, scores).");

  bind_extras(m);
}

}  // namespace headlong
