// Stopping early. Time limits and interrupts share one poll, which kernels call every millisecond or so.
//
// The state belongs to the thread: kernels several calls below a decoder poll without an argument in between. Loops
// that can stop with a result ask `out_of_time`. Everything else that can take long calls `poll`, which throws once the
// limit has passed by a tenth and 10 ms: by then a loop above should have ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace headlong {

// Thrown by `poll` when the call has been cancelled.
struct Interrupted {};

// Thrown by `poll` when the time limit is long past. Whoever set the limit catches it and returns what there is.
struct OutOfTime {};

// Cancels calls from another thread.
using CancelFlag = std::atomic<bool>;

// A call from outside the core. Its threads throw Interrupted after one of the flags is set.
struct Call {
  const CancelFlag* flag;  // set by others; may be null
  void (*ask)();           // called now and then on the calling thread; throws to end the call; may be null
  CancelFlag cancelled{false};

  bool is_cancelled() const {
    return cancelled.load(std::memory_order_relaxed) || (flag && flag->load(std::memory_order_relaxed));
  }
};

// What the polls of a thread look at.
struct StopState {
  using Time = std::chrono::steady_clock::time_point;

  Call* call = nullptr;
  bool asks = false;              // whether this is the calling thread
  Time next_question = {};        // when it asks again
  Time soft_limit = Time::max();  // for `out_of_time`
  Time hard_limit = Time::max();  // for `poll`
};

// How often the calling thread asks.
inline constexpr std::chrono::milliseconds ASK_EVERY{50};

// Returns the state of this thread.
StopState& stop_state();

// Throws Interrupted, OutOfTime, or what the caller's `ask` throws, if the work must stop. About 30 ns.
void poll();

// Returns whether the time limit has passed. Throws if the call must end, but not OutOfTime.
bool out_of_time();

// Replaces the state of this thread for its lifetime.
class StopScope {
 public:
  explicit StopScope(const StopState& state) : saved_(stop_state()) { stop_state() = state; }
  ~StopScope() { stop_state() = saved_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  StopState saved_;
};

// Limits the time of this thread for its lifetime. An earlier limit outside of it still holds. 0 seconds: no limit.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  StopState::Time soft_before_, hard_before_;
};

// Polls once per million units of work, where a unit is about a nanosecond.
class WorkCounter {
 public:
  void add(std::size_t work) {
    if ((done_ += work) < POLL_EVERY) return;
    done_ = 0;
    poll();
  }

 private:
  static constexpr std::size_t POLL_EVERY = 1'000'000;
  std::size_t done_ = 0;
};

}  // namespace headlong
