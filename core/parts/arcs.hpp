// Arcs as parts: the relations between head and modifier that templates may look at.
#pragma once

#include <array>

#include "features/score.hpp"
#include "parts/candidates.hpp"

namespace headlong {

// What relations need to know of a word: its coarse tag as a small number, what it is (bits of Class), and the values
// of the morphological features that can agree (0: absent).
inline constexpr Index AGREEMENT_KEYS = 8;
struct Traits {
  std::uint8_t tag;
  std::uint8_t classes;
  std::uint8_t agreement[AGREEMENT_KEYS];
};
enum Class : std::uint8_t { PUNCTUATION = 1, VERB = 2, CONJUNCTION = 4, ADPOSITION = 8 };

// The relations of an arc, in the order of a template's multipliers. `Side` is all that a between part has.
enum class Relation : Index { Side, Distance, Agreement, Punctuation, Verbs, Conjunctions, Rivals, Twins, Count };
inline constexpr Index ARC_RELATIONS = static_cast<Index>(Relation::Count);
inline constexpr Index BETWEEN_RELATIONS = 1;
inline constexpr Index MAX_TAGS = 64;  // sets of tags are machine words; rarer tags are folded into one

// Parts as growing columns: what PartColumns is a view of.
struct Parts {
  std::vector<Index> slots;
  std::vector<Code> relations;
  std::size_t count = 0;

  PartColumns view() const { return {slots, relations, count}; }
  void clear() {
    slots.clear();
    relations.clear();
    count = 0;
  }
};

// What enumeration needs to know of a sentence, prepared once.
struct ArcContext {
  std::span<const Traits> traits;
  std::vector<Index> punctuation, verbs, conjunctions;  // [words + 1] how many stand before each position
  std::vector<Index> tag_counts;                        // [(words + 1) * MAX_TAGS] the same for each tag
  std::vector<std::uint64_t> tags;                      // scratch: tags strictly between a modifier and each head
  Index first[MAX_TAGS] = {};                           // the first word with each tag

  Index size() const { return static_cast<Index>(traits.size()); }
};
void prepare(std::span<const Traits> traits, ArcContext& context);

// Appends the arc (head, modifier) with its relations. O(1).
void add_arc(const ArcContext& context, Index head, Index modifier, Parts& arcs);

// What templates of larger parts may look at: the given side, the distance, agreement and punctuation between two
// words.
std::array<Code, 4> outer_relations(const ArcContext& context, Code side, Index one, Index other);

// Appends all candidates, modifier by modifier. O(candidates).
void add_arcs(const ArcContext& context, const Candidates& candidates, Parts& arcs);

// Appends one part (head, modifier, word) for each of the heads and each different tag between head and modifier;
// `word` is the first of the sentence with that tag and `owners` takes the head's place in `heads`. O(n + heads *
// tags).
void add_between(ArcContext& context, std::span<const Index> heads, Index modifier, Parts& between,
                 std::vector<Index>& owners);

}  // namespace headlong
