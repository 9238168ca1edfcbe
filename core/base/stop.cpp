#include "base/stop.hpp"

#include <algorithm>

namespace headlong {

namespace {

using std::chrono::steady_clock;

// Throws if the call must end.
void check_call(StopState& state, StopState::Time now) {
  if (state.call && state.call->is_cancelled()) throw Interrupted();
  if (!state.asks || now < state.next_question) return;
  state.next_question = now + ASK_EVERY;
  try {
    state.call->ask();
  } catch (...) {
    state.call->cancelled = true;  // the helping threads stop too
    throw;
  }
}

}  // namespace

StopState& stop_state() {
  thread_local StopState state;
  return state;
}

void poll() {
  StopState& state = stop_state();
  const auto now = steady_clock::now();
  check_call(state, now);
  if (now >= state.hard_limit) throw OutOfTime();
}

bool out_of_time() {
  StopState& state = stop_state();
  const auto now = steady_clock::now();
  check_call(state, now);
  return now >= state.soft_limit;
}

TimeLimit::TimeLimit(double seconds) : soft_before_(stop_state().soft_limit), hard_before_(stop_state().hard_limit) {
  // A limit of more than a year is none; it would overflow the clock.
  if (!(seconds > 0.0 && seconds < 3e7)) return;
  const auto after = [now = steady_clock::now()](double wait) {
    return now + std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(wait));
  };
  StopState& state = stop_state();
  state.soft_limit = std::min(soft_before_, after(seconds));
  state.hard_limit = std::min(hard_before_, after(1.1 * seconds + 0.01));
}

TimeLimit::~TimeLimit() {
  stop_state().soft_limit = soft_before_;
  stop_state().hard_limit = hard_before_;
}

}  // namespace headlong
