// Marginals of spanning trees by random walks and subtraction-free elimination.
//
// The textbook method (Koo et al. 2007; Smith and Smith 2007; McDonald and Satta 2007) inverts the Laplacian and
// subtracts two of its entries. If two words strongly prefer each other, these entries agree in all digits and the
// difference is meaningless. This file avoids the subtraction:
//
// - Let a walk at word m step to head h with weight a[m][h] = exp(score(h, m)) and stop at the root. By Wilson (1996),
//   p(h -> m) is proportional, over h, to a[m][h] * escape(h; m), where escape(h; m) is the probability that the walk
//   from h reaches the root before m.
// - Eliminating word k leaves a walk on the other words: a[i][j] += a[i][k] * a[k][j] / d[k], with d[k] = sum_j a[k][j]
//   over the remaining words and the root, j != k (Grassmann, Taksar and Heyman 1985). All numbers are non-negative and
//   are only added, multiplied and divided, so every entry keeps full relative accuracy (O'Cinneide 1993).
// - The product of the pivots d is the determinant of the Laplacian: the partition function (Tutte's theorem).
// - escape(.; m) needs all words but m eliminated. Divide and conquer does this for all m: eliminate one half and
// recurse
//   into the other, then the other way around. The costs of the levels form a geometric series: 0.8 n^3 multiply-adds,
//   plus 0.5 n^3 for the back substitution of escape(.; m), with escape(m; m) = 0.
//
// A single root arc is the limit of root weights scaled by epsilon -> 0. Word entries have order 0 in epsilon; root
// entries and escapes have order 1. So d leaves out the root if any word remains to step to, and nothing else changes.
// A word that can step only to the root breaks this bookkeeping. Then LeadingTerm takes over, which tracks the orders.
//
// Are doubles accurate enough? Weights are scaled to a maximum of 1 per word, and a weight that underflows is lost with
// an absolute error below 1e-307. A lost weight counts once per step of the walk that could have used it. So the matrix
// has a column for the number of steps (weight 1 everywhere), eliminated like the root. The last remaining word finds
// there the total number of steps, which bounds the accumulated error.
#include "trees/matrix_tree.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/stop.hpp"
#include "trees/leading_term.hpp"

namespace headlong {
namespace {

using namespace numbers;

// Each row is [root, steps, words...].
constexpr std::size_t ROOT = 0;
constexpr std::size_t STEPS = 1;
constexpr std::size_t WORDS = 2;

// One elimination: the first `kept` words of the level remain, the others are eliminated, last word first. Row i of an
// eliminated word holds its step probabilities to the columns before its own, which were left at that point.
template <class Number>
struct Level {
  std::size_t count;
  std::size_t kept;
  Number* matrix;  // count rows of count + WORDS columns
  Number* pivots;
  Index* words;
};

template <class Number>
struct Problem {
  std::size_t words;
  bool root_in_pivots;
  EliminationMemory<Number>& memory;
  Level<Number> levels[32];
  std::size_t size;             // words + 1, for the marginals
  std::span<double> marginals;  // [head * size + modifier]
  Score log_partition = 0.0;    // with the scaled weights
  std::int64_t order = 0;       // of the partition function
  WorkCounter work{};
};

// Computes sum_k a[k] * b[k] in four interleaved sums. In a single sum, each addition would wait for the previous one.
template <class Number>
Number product_sum(const Number* a, const Number* b, std::size_t count) {
  Number sums[4] = {};
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[k + lane] * b[k + lane];
  }
  for (; k < count; ++k) sums[k % 4] += a[k] * b[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Number>
void add_multiple(Number* __restrict row, const Number* __restrict other, Number factor, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) row[k] += factor * other[k];
}

// Eliminates all but the first `kept` words of the level. Returns false if some word cannot step anywhere.
template <class Number>
bool eliminate(const Level<Number>& level, bool root_in_pivots, WorkCounter& work) {
  const std::size_t stride = level.count + WORDS;
  for (std::size_t word = level.count; word-- > level.kept;) {
    work.add(word * word);
    Number* row = level.matrix + word * stride;
    Number pivot = root_in_pivots ? row[ROOT] : Number{};
    for (std::size_t column = WORDS; column < word + WORDS; ++column) pivot += row[column];
    if (is_zero(pivot)) return false;
    level.pivots[word] = pivot;
    for (std::size_t column = 0; column < word + WORDS; ++column) row[column] = row[column] / pivot;
    for (std::size_t other = 0; other < word; ++other) {
      Number* other_row = level.matrix + other * stride;
      const Number factor = other_row[word + WORDS];
      if (!is_zero(factor)) add_multiple(other_row, row, factor, word + WORDS);
    }
  }
  return true;
}

bool is_trustworthy(double escape, double steps, double largest) {
  // At most size^2 losses of 1e-307 per step. An overflow or NaN makes the test fail.
  return escape > 1e-285 * largest * steps && std::isfinite(escape);
}
bool is_trustworthy(const LeadingTerm& escape, const LeadingTerm&, const LeadingTerm&) { return !is_zero(escape); }

double larger(double a, double b) { return a < b ? b : a; }
LeadingTerm larger(const LeadingTerm& a, const LeadingTerm&) { return a; }

// Only one word remains: substitutes back, from the last elimination to the first, and writes that word's marginals.
template <class Number>
bool finish_word(Problem<Number>& problem, std::size_t depth, const Number* last_row, Index last) {
  problem.work.add(problem.words * problem.words);
  EliminationMemory<Number>& memory = problem.memory;
  Number* escape = memory.escape.data();
  Number* ordered = memory.ordered.data();
  Number largest = one<Number>();
  ordered[ROOT] = one<Number>();
  ordered[STEPS] = Number{};
  escape[last] = Number{};
  for (std::size_t d = depth; d-- > 0;) {
    const Level<Number>& level = problem.levels[d];
    for (std::size_t word = 0; word < level.kept; ++word) ordered[WORDS + word] = escape[level.words[word]];
    for (std::size_t word = level.kept; word < level.count; ++word) {
      const Number* row = level.matrix + word * (level.count + WORDS);
      ordered[WORDS + word] = product_sum(row, ordered, word + WORDS);
      escape[level.words[word]] = ordered[WORDS + word];
      largest = larger(largest, ordered[WORDS + word]);
    }
  }
  if (!is_trustworthy(last_row[ROOT], last_row[STEPS], largest)) return false;

  if (last == 0) {  // once: every elimination gives the same determinant
    problem.log_partition = log_of(last_row[ROOT]);
    problem.order = order_of(last_row[ROOT]);
    for (std::size_t d = 0; d < depth; ++d) {
      for (std::size_t word = problem.levels[d].kept; word < problem.levels[d].count; ++word) {
        problem.log_partition += log_of(problem.levels[d].pivots[word]);
        problem.order += order_of(problem.levels[d].pivots[word]);
      }
    }
  }

  const Number* row = &memory.weights[last * (problem.words + WORDS)];
  for (std::size_t word = 0; word < problem.words; ++word) escape[word] = row[WORDS + word] * escape[word];
  Number total = row[ROOT];
  for (std::size_t word = 0; word < problem.words; ++word) total += escape[word];
  double* column = &problem.marginals[last + 1];
  column[0] = ratio(row[ROOT], total);
  for (std::size_t word = 0; word < problem.words; ++word)
    column[(word + 1) * problem.size] = ratio(escape[word], total);
  return true;
}

// Computes the marginals of the given words. `matrix` holds their walk; all other words are eliminated.
template <class Number>
bool solve(Problem<Number>& problem, std::size_t depth, const Number* matrix, std::size_t stride, const Index* words,
           std::size_t count) {
  if (count == 1) return finish_word(problem, depth, matrix, words[0]);
  Level<Number>& level = problem.levels[depth];
  const std::size_t front = count - count / 2;
  level.count = count;
  for (const bool keep_front : {true, false}) {
    level.kept = keep_front ? front : count - front;
    const std::size_t start = keep_front ? 0 : front;  // the words that remain come first, the others follow
    for (std::size_t row = 0; row < count; ++row) {
      const std::size_t from = (row + start) % count;
      level.words[row] = words[from];
      const Number* source = matrix + from * stride;
      Number* target = level.matrix + row * (count + WORDS);
      std::copy(source, source + WORDS, target);
      std::copy(source + WORDS + start, source + WORDS + count, target + WORDS);
      std::copy(source + WORDS, source + WORDS + start, target + WORDS + count - start);
    }
    if (!eliminate(level, problem.root_in_pivots, problem.work)) return false;
    if (!solve(problem, depth + 1, level.matrix, count + WORDS, level.words, level.kept)) return false;
  }
  return true;
}

// Scores with one shift per word subtracted, so that the largest weight of each word is 1. With a single root arc, all
// root weights share a separate shift. It cancels, so a root that scores lower than all words does no harm.
struct Shifted {
  std::span<const Score> scores;
  std::size_t size;
  RootRule rule;
  std::span<const Score> shifts;
  Score root_shift;
};

// Computes marginals and log-partition. Returns false if there is no tree or the numbers are not accurate enough.
template <class Number>
bool run(const Shifted& input, std::span<double> marginals, EliminationMemory<Number>& memory, Score& log_partition) {
  const std::size_t words = input.size - 1;
  const bool single = input.rule == RootRule::Single;
  // Doubles must leave the vanishing root out of the pivots. LeadingTerm does so by its orders.
  const bool root_in_pivots = !single || std::is_same_v<Number, LeadingTerm>;
  const std::size_t stride = words + WORDS;
  memory.weights.resize(words * stride);
  memory.escape.resize(words);
  memory.ordered.resize(stride);
  for (std::size_t word = 0; word < words; ++word) {
    Number* row = &memory.weights[word * stride];
    const Score* column = &input.scores[word + 1];
    const Score shift = input.shifts[word];
    assign(row[ROOT], column[0] - shift - input.root_shift, single ? 1 : 0);
    row[STEPS] = one<Number>();
    for (std::size_t head = 0; head < words; ++head) {
      if (head == word) {
        row[WORDS + head] = Number{};
      } else {
        assign(row[WORDS + head], column[(head + 1) * input.size] - shift, 0);
      }
    }
  }

  Problem<Number> problem{words, root_in_pivots, memory, {}, input.size, marginals};
  std::size_t cells = 0;
  std::size_t rows = 0;
  for (std::size_t count = words; count > 1; count -= count / 2) {
    cells += count * (count + WORDS);
    rows += count;
  }
  memory.levels.resize(cells);
  memory.pivots.resize(rows);
  memory.words.resize(rows + words);
  cells = rows = 0;
  std::size_t depth = 0;
  for (std::size_t count = words; count > 1; count -= count / 2) {
    problem.levels[depth++] = {0, 0, &memory.levels[cells], &memory.pivots[rows], &memory.words[rows]};
    cells += count * (count + WORDS);
    rows += count;
  }
  Index* all_words = &memory.words[rows];
  for (std::size_t word = 0; word < words; ++word) all_words[word] = static_cast<Index>(word);

  const bool solved = solve(problem, 0, memory.weights.data(), stride, all_words, words);
  // LeadingTerm loses nothing, so a dead end is real. If the partition function has a higher order than the number of
  // root arcs allowed, every tree has too many of them.
  const bool known_order = std::is_same_v<Number, LeadingTerm>;
  if (!solved || (known_order && problem.order != (single ? 1 : 0))) return false;
  log_partition = problem.log_partition;
  return true;
}

}  // namespace

Score tree_marginals(std::span<const Score> scores, Index size, RootRule rule, std::span<double> marginals,
                     MatrixTreeWorkspace& workspace, Range range) {
  std::fill(marginals.begin(), marginals.end(), 0.0);
  if (size == 1) return 0.0;
  const std::size_t count = size;
  const bool single = rule == RootRule::Single;
  workspace.shifts.assign(count - 1, NEGATIVE_INFINITY);
  for (std::size_t head = single ? 1 : 0; head < count; ++head) {
    for (std::size_t modifier = 1; modifier < count; ++modifier) {
      Score& shift = workspace.shifts[modifier - 1];
      if (head != modifier) shift = std::max(shift, scores[head * count + modifier]);
    }
  }
  Score root_shift = single ? NEGATIVE_INFINITY : 0.0;
  Score constant = 0.0;
  for (std::size_t modifier = 1; modifier < count; ++modifier) {
    Score& shift = workspace.shifts[modifier - 1];
    if (shift == NEGATIVE_INFINITY) shift = scores[modifier];
    if (shift == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;  // the word has no head
    if (single) root_shift = std::max(root_shift, scores[modifier] - shift);
    constant += shift;
  }
  if (root_shift == NEGATIVE_INFINITY) return NEGATIVE_INFINITY;  // the root has no modifier
  if (single) constant += root_shift;

  const Shifted input{scores, count, rule, workspace.shifts, root_shift};
  Score log_partition = NEGATIVE_INFINITY;
  if (range == Range::Automatic && run(input, marginals, workspace.fast, log_partition))
    return log_partition + constant;
  ++workspace.wide_runs;
  if (run(input, marginals, workspace.wide, log_partition)) return log_partition + constant;
  std::fill(marginals.begin(), marginals.end(), 0.0);
  return NEGATIVE_INFINITY;
}

}  // namespace headlong
