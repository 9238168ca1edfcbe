// Sharing work between threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/stop.hpp"
#include "base/types.hpp"

namespace headlong {

// Returns how many threads `parallel_for` runs: no more than there are items, and at least one.
inline std::size_t useful_threads(std::size_t count, std::size_t threads) {
  return std::max<std::size_t>(1, std::min(threads, count));
}

// Calls work(thread, item) once for each item below `count`. An idle thread takes the next item, so the result of
// `work` must not depend on the thread it runs on. After an exception no new items start; when all threads have
// stopped, the exception of the lowest-numbered thread is rethrown. Polls before each item; the calling thread, which
// is number 0, also polls while it waits for the others. (std::thread, because Apple's library has no std::jthread.)
template <class Work>
void parallel_for(std::size_t count, std::size_t threads, Work work) {
  threads = useful_threads(count, threads);
  if (threads == 1) {
    for (std::size_t item = 0; item < count; ++item) {
      poll();
      work(std::size_t{0}, item);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> errors(threads);
  std::mutex mutex;
  std::condition_variable has_finished;
  std::size_t running = 0;
  const auto attempt = [&](std::size_t thread, auto action) {
    try {
      action();
    } catch (...) {
      if (!errors[thread]) errors[thread] = std::current_exception();
      next = count;
    }
  };
  const auto run = [&](std::size_t thread) {
    attempt(thread, [&] {
      for (std::size_t item = next++; item < count; item = next++) {
        poll();
        work(thread, item);
      }
    });
  };
  StopState inherited = stop_state();
  inherited.asks = false;
  const auto help = [&](std::size_t thread) {
    const StopScope scope(inherited);
    run(thread);
    const std::lock_guard lock(mutex);
    --running;
    has_finished.notify_one();
  };
  std::vector<std::thread> pool;
  pool.reserve(threads - 1);
  try {
    for (std::size_t thread = 1; thread < threads; ++thread) {
      const std::lock_guard lock(mutex);
      pool.emplace_back(help, thread);
      ++running;
    }
  } catch (const std::system_error&) {
    // The system cannot start more threads. The running ones do all the work.
  }
  run(0);
  for (std::unique_lock lock(mutex); running > 0;) {
    if (has_finished.wait_for(lock, std::chrono::milliseconds(20)) == std::cv_status::no_timeout) continue;
    lock.unlock();
    attempt(0, poll);
    lock.lock();
  }
  for (std::thread& thread : pool) thread.join();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace headlong
