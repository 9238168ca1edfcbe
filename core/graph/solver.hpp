// What all solvers of factor graphs share: results, starting points, bounds and rounding.
#pragma once

#include <string_view>

#include "base/exact_sum.hpp"
#include "graph/services.hpp"

namespace headlong {

enum class Status : std::uint8_t {
  Optimal,      // an assignment whose value equals the bound up to rounding errors
  Tolerance,    // an assignment whose value is within the tolerance of the bound, which is more than rounding errors
  Fractional,   // the relaxation is solved, but its solution is not integral
  Unconverged,  // a limit was reached
  Infeasible,   // no assignment satisfies all factors
  Approximate   // the method does not attempt a proof
};

// One row of a convergence trace.
struct TracePoint {
  Index iteration;
  Score value;  // value of the best assignment so far; -inf if there is none
  Score bound;  // the best upper bound so far
  double primal_residual, dual_residual;
  double seconds;
  Index solved = 0;  // factors solved in this iteration, if the solver can skip some; otherwise 0
};

struct SolverResult {
  std::vector<double> relaxed;              // [variables] the solution of the relaxation (or beliefs), in [0, 1]
  std::vector<std::uint8_t> assignment;     // [variables] the best feasible assignment found; empty if none
  Score value = NEGATIVE_INFINITY;          // value of `assignment`
  Score relaxed_value = NEGATIVE_INFINITY;  // value of `relaxed`
  // Upper bound on the value of all assignments; if the status is Optimal, the value.
  Score bound = std::numeric_limits<Score>::infinity();
  // The same, with rounding errors if the status is Optimal.
  Score upper = std::numeric_limits<Score>::infinity();
  Status status = Status::Unconverged;
  Index iterations = 0;
  double primal_residual = 0.0, dual_residual = 0.0;
  std::vector<double> multipliers;  // [links] the final multipliers of AD3
  std::vector<TracePoint> trace;    // filled on request
};

// Variables fixed by the caller, e.g. branch and bound: -1 free, 0 or 1. Empty: all are free.
using Fixed = std::span<const std::int8_t>;

// Turns relaxed values into an assignment, for problems that have a better way than `round`. The solver keeps the
// assignment if it is feasible and better than the best one so far.
class Rounder {
 public:
  virtual ~Rounder() = default;
  // Writes the assignment [variables]. Returns false if there is none to try.
  virtual bool round(std::span<const double> relaxed, std::span<std::uint8_t> assignment) = 0;
};

// What a run can start from.
struct Start {
  Rounder* rounder = nullptr;                // replaces `round`
  std::span<const std::uint8_t> assignment;  // [variables] an initial assignment, or empty
  std::span<const double> multipliers;       // [links] initial multipliers; empty: zeros
};

// A graph as the dual methods see it: the score of each variable is split evenly among its links. Fixed variables
// (including those with a score of -inf, fixed at 0) are handled exactly. A link that must be off gets the score -inf.
// A link that must be on is pinned: its multiplier is free, and the Lagrangian has the term multiplier * (z - 1), so no
// score has to represent infinity.
struct Split {
  std::vector<std::int8_t> fixed;    // [variables] -1, 0, 1: the given ones and what they imply
  std::vector<Index> degrees;        // [variables]
  std::vector<Score> scores;         // [links]
  std::vector<std::uint8_t> pinned;  // [links] must be on
  std::vector<Score> link_scores;    // [links] scratch: scores with multipliers
  std::vector<double> sums;          // [variables] scratch
  std::vector<ExactSum> remainders;  // [variables] scratch: what the links leave of each score
  std::vector<OwnSize> own_sizes;    // [factors]
  Configuration best;                // scratch
  ExactSum constant;                 // score of fixed variables, and of variables without links
  Score lowest =
      0.0;  // lower bound on the value of all assignments (a guess for Python factors that do not report theirs)
  Score scale = 1.0;     // magnitude of the scores
  Score rounding = 0.0;  // gaps up to this are rounding errors
  Score step = 0.0;      // values that differ do so by at least this; 0: unknown
  bool feasible = true;  // false: proved infeasible
};

Split split_scores(const Graph& graph, Fixed fixed, GraphWorkspace& workspace);

// Certificates. The rounding error of a graph is 2^-48 (8 + n) times the sum of the absolute scores of its variables
// and factors, where n is the largest number of terms that a factor adds up. A certified value is at most this much
// below the value of the best assignment, in exact arithmetic. (`Split::rounding` is three quarters of it; the rest is
// for the error of the value itself.) If all scores are multiples of a larger number, a certified assignment is the
// best one exactly.

// A bound while it is summed: local maxima and constants, with a limit on all rounding errors.
class BoundSum {
 public:
  // Sets `link_scores` of the split. Starts with everything but the factors. What the links of a free variable leave of
  // its score, because multipliers sum to zero only up to rounding errors, is added where it is positive.
  BoundSum(const Graph& graph, Split& split, std::span<const double> multipliers);
  // Adds the maximum of a factor under `link_scores`.
  void add(const Graph& graph, const Split& split, Index factor, Score maximum);
  // Returns the sum, or an upper bound on it that includes rounding errors; -inf if a factor allows nothing.
  Score value() const { return is_possible_ ? sum_.value() : NEGATIVE_INFINITY; }
  Score upper() const;

 private:
  ExactSum sum_;
  double error_ = 0.0;
  bool is_possible_ = true;
};

// Returns the bound that multipliers [links] give on the value of all assignments, rounding errors included. Centers
// the multipliers first: those of one free variable must sum to zero (after negation). -inf: infeasible.
Score dual_bound(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace);

// Makes the multipliers of every free variable sum to zero again; rounding errors accumulate over time.
void center(const Graph& graph, Split& split, std::span<double> multipliers);

// Returns whether a bound is below the value of every assignment, even with rounding errors: the problem is infeasible.
bool is_below_all(const Split& split, Score bound);

// Returns whether the dual decreases forever along a direction of the multipliers [links], which is overwritten. Such a
// direction is a Farkas certificate that the relaxation, and hence the problem, is infeasible: far enough along it, the
// bound is below the value of any assignment.
bool proves_infeasible(const Graph& graph, Split& split, std::span<double> direction, GraphWorkspace& workspace);

// Returns the result of a solver that ran out of time before its first iteration.
SolverResult unsolved(const Graph& graph);

// Returns whether `value` equals `bound` up to the tolerance, which is relative to the bound, or to 1 if that is larger
// (to `scale` if that is smaller than 1).
bool closes(Score value, Score bound, double tolerance, Score scale = 1.0);

// Returns whether a result is within the tolerance, or within rounding errors if these are to be used for a proof.
bool is_close(const Split& split, const SolverResult& result, double tolerance, bool proves);

// Returns whether `value` equals `bound` up to rounding errors: a certificate. Throws std::logic_error if the value is
// above the bound by more than that, which means that some factor does not find its maximum.
bool is_proved(const Split& split, Score value, Score bound);

// Completes a result whose bound is a true upper bound: sets `upper`, and the bound to the value if it is Optimal.
void finish_bound(const Split& split, SolverResult& result);

// Lowers the bound of multipliers [links] toward the value of the result's assignment until that proves it optimal or
// little changes (proof.cpp). Changes the multipliers and the bound, which never increases. Returns whether it is
// proved.
bool prove(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace,
           SolverResult& result);

// Sets the status of a run that found no proof of infeasibility: Optimal if `prove` succeeds (tried if `proves` and the
// gap is small), Tolerance if the gap is within the tolerance. Otherwise leaves it as it is.
void conclude(const Graph& graph, Split& split, std::span<double> multipliers, GraphWorkspace& workspace,
              double tolerance, bool proves, SolverResult& result);

// Sets the status of a run that ran out of time: Tolerance if the gap is within the tolerance, otherwise Unconverged.
void conclude_early(const Split& split, double tolerance, SolverResult& result);

// Returns the value of an assignment: variable scores plus own scores of all factors; -inf if a factor forbids it.
Score value(const Graph& graph, std::span<const std::uint8_t> assignment, GraphWorkspace& workspace);

// Keeps the assignment in the result if it is feasible, agrees with `fixed` and beats the current one. Returns whether
// it did.
bool offer(const Graph& graph, Fixed fixed, std::span<const std::uint8_t> assignment, GraphWorkspace& workspace,
           SolverResult& result);

// Rounds relaxed values to a feasible assignment (rounding.cpp). Maximizes each structured factor in turn with the
// relaxed values as link scores, weighted strongly and then weakly against the variable scores, and adopts its
// configuration. The other variables follow in order of certainty, each with what it implies. If this fails, repairs
// violated factors one by one, and then fixes variables by depth-first search. Finally, local search (local.hpp)
// improves the result. Each of these three visits at most about 4096 + 200 * links links, so the total time is
// O(links). Nothing is random. Keeps the better of `result.assignment` and the new assignment.
//
// Measured on the 840 feasible ones of 1000 random graphs with 9 variables and 3 to 7 factors of all kinds. Relaxed
// values after 3 iterations of AD3 are always rounded to a feasible assignment (76 % without the searches), and to an
// optimal one for 96 % (66 % of those found). After 30 iterations: always (89 %), and optimal for 98 % (91 %). The mean
// gap to the optimum falls from 0.44 to 0.03, and from 0.10 to 0.01. For random sentences of ten words with grandparent
// and sibling scores, AD3's solutions are rounded to 30.5 instead of 28.4; the optimum is 31.6. A call on the small
// graphs takes 50 us instead of 20 us.
void round(const Graph& graph, std::span<const double> relaxed, GraphWorkspace& workspace, SolverResult& result,
           Fixed fixed = {});

// Rounds with the user's rounder if there is one, and otherwise as above.
void round(const Graph& graph, const Start& start, std::span<const double> relaxed, GraphWorkspace& workspace,
           SolverResult& result, Fixed fixed);

}  // namespace headlong
