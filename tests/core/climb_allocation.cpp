// Counts the allocations of randomized hill climbing on third-order parsing problems. For each kind of restart, and for
// trees of any shape and projective trees, prints one line: the climbs and allocations of a first run with few
// restarts, then those of a second run with many. test_allocation.py compiles and runs it.
#include <cstdio>
#include <random>

#include "counted.hpp"
#include "decode/restarts.hpp"

using namespace headlong;

namespace {

constexpr Index WORDS = 12, NEAREST = 4;

struct Sentence {
  Frames frames;
  std::vector<Score> arc_scores;
};

Sentence random_sentence() {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  Candidates candidates;
  candidates.begins = {0, 0};
  for (Index modifier = 1; modifier <= WORDS; ++modifier) {
    for (Index head = 0; head <= WORDS; ++head)
      if (head != modifier && (head == 0 || std::abs(head - modifier) <= NEAREST)) candidates.heads.push_back(head);
    candidates.begins.push_back(static_cast<Index>(candidates.heads.size()));
  }
  Sentence sentence;
  lay_out(candidates, WORDS + 1, true, sentence.frames);
  for (auto* column : {&sentence.frames.pairs, &sentence.frames.triples, &sentence.frames.grand})
    for (float& score : *column) score = static_cast<float>(normal(generator));
  sentence.arc_scores.resize(sentence.frames.arcs());
  for (Score& score : sentence.arc_scores) score = normal(generator);
  return sentence;
}

}  // namespace

int main() {
  const Sentence sentence = random_sentence();
  for (const ClimbStart start : {ClimbStart::Mixed, ClimbStart::Nearby, ClimbStart::FirstOrder, ClimbStart::Uniform}) {
    for (const bool projective : {false, true}) {
      ClimbWorkspace climb_workspace;
      RestartWorkspace workspace;
      std::vector<Index> heads(WORDS + 1);
      for (const Index restarts : {20, 200}) {
        for (Index word = 0; word <= WORDS; ++word) heads[word] = word - 1;
        DecodeOptions options;
        options.restarts = restarts;
        options.start = start;
        Problem problem;
        problem.frames = &sentence.frames;
        problem.arc_scores = sentence.arc_scores;
        problem.rules.projective = projective;
        const long before = allocations;
        const RestartResult result = climb_with_restarts(problem, options, {}, heads, climb_workspace, workspace);
        std::printf("%d %ld ", result.climbs, allocations - before);
      }
      std::printf("\n");
    }
  }
  return 0;
}
