// Sharing work between threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "base/types.hpp"

namespace headlong {

// Returns how many threads `parallel_for` runs: no more than there are items, and at least one.
inline std::size_t useful_threads(std::size_t count, std::size_t threads) {
  return std::max<std::size_t>(1, std::min(threads, count));
}

// Calls work(thread, item) once for each item below `count`. An idle thread takes the next item, so the result of
// `work` must not depend on the thread it runs on. After an exception no new items start; when all threads have
// stopped, the exception of the lowest-numbered thread is rethrown. (std::thread, because Apple's library has no
// std::jthread.)
template <class Work>
void parallel_for(std::size_t count, std::size_t threads, Work work) {
  threads = useful_threads(count, threads);
  if (threads == 1) {
    for (std::size_t item = 0; item < count; ++item) work(std::size_t{0}, item);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> errors(threads);
  auto run = [&](std::size_t thread) {
    try {
      for (std::size_t item = next++; item < count; item = next++) work(thread, item);
    } catch (...) {
      errors[thread] = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> pool;
  pool.reserve(threads - 1);
  try {
    for (std::size_t thread = 1; thread < threads; ++thread) pool.emplace_back(run, thread);
  } catch (const std::system_error&) {
    // The system cannot start more threads. The running ones do all the work.
  }
  run(0);
  for (std::thread& thread : pool) thread.join();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace headlong
