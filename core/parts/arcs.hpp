// Arcs as parts: the relations between head and modifier that templates can look at.
#pragma once

#include <array>

#include "features/score.hpp"
#include "parts/candidates.hpp"

namespace headlong {

// What the relations need to know about a word: its coarse tag as a small number, its word classes (bits of Class), and
// the values of the morphological features that can agree (0: absent).
inline constexpr Index AGREEMENT_KEYS = 8;
struct Traits {
  std::uint8_t tag;
  std::uint8_t classes;
  std::uint8_t agreement[AGREEMENT_KEYS];
};
enum Class : std::uint8_t { PUNCTUATION = 1, VERB = 2, CONJUNCTION = 4, ADPOSITION = 8 };

// The relations of an arc, in the order of a template's multipliers. A between part has only `Side`.
enum class Relation : Index { Side, Distance, Agreement, Punctuation, Verbs, Conjunctions, Rivals, Twins, Count };
inline constexpr Index ARC_RELATIONS = static_cast<Index>(Relation::Count);
inline constexpr Index BETWEEN_RELATIONS = 1;
inline constexpr Index MAX_TAGS = 64;  // a set of tags fits into one 64-bit word; all rarer tags share one number

// Parts as growing columns. PartColumns is a view of them.
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

// Counts over a sentence that the enumeration of parts needs, computed once.
struct ArcContext {
  std::span<const Traits> traits;
  std::vector<Index> punctuation, verbs, conjunctions;  // [words + 1] how many come before each position
  std::vector<Index> tag_counts;                        // [(words + 1) * MAX_TAGS] the same, per tag
  std::vector<std::uint64_t> tags;                      // scratch: the tags strictly between a modifier and each head
  Index first[MAX_TAGS] = {};                           // the first word with each tag

  Index size() const { return static_cast<Index>(traits.size()); }
};
void prepare(std::span<const Traits> traits, ArcContext& context);

// Appends the arc (head, modifier) with its relations. O(1).
void add_arc(const ArcContext& context, Index head, Index modifier, Parts& arcs);

// Returns the relations of parts with more than one arc: the given side, then distance, agreement and punctuation
// between two words.
std::array<Code, 4> outer_relations(const ArcContext& context, Code side, Index one, Index other);

// Appends all candidates, ordered by modifier. O(candidates).
void add_arcs(const ArcContext& context, const Candidates& candidates, Parts& arcs);

// Appends one part (head, modifier, word) per head and per distinct tag between head and modifier. `word` is the first
// word of the sentence with that tag. `owners` receives the index of the head in `heads`. O(n + heads * tags).
void add_between(ArcContext& context, std::span<const Index> heads, Index modifier, Parts& between,
                 std::vector<Index>& owners);

}  // namespace headlong
