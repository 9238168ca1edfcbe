// Work shared by threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "base/types.hpp"

namespace headlong {

// No more threads than there are items, but one: how many `parallel_for` runs.
inline std::size_t useful_threads(std::size_t count, std::size_t threads) {
  return std::max<std::size_t>(1, std::min(threads, count));
}

// Calls work(thread, item) once for each item below `count`. Threads take items as they come free, so work must not
// depend on which thread it runs on. The first exception is passed on when all have stopped.
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
  std::vector<std::jthread> pool;
  for (std::size_t thread = 1; thread < threads; ++thread) pool.emplace_back(run, thread);
  run(0);
  pool.clear();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace headlong
