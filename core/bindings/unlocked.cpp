#include "bindings/unlocked.hpp"

using namespace nanobind::literals;

namespace headlong {

namespace {

using Flag = std::shared_ptr<CancelFlag>;

// The token of this thread.
Flag& thread_flag() {
  thread_local Flag flag;
  return flag;
}

struct CancelToken {
  Flag flag = std::make_shared<CancelFlag>(false);
};

// Python runs signal handlers on its main thread only; elsewhere this does nothing.
void run_signal_handlers() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

StopState state_of(Call& call) {
  StopState state;
  state.call = &call;
  state.asks = call.ask != nullptr;
  state.next_question = std::chrono::steady_clock::now() + ASK_EVERY;
  return state;
}

}  // namespace

Unlocked::Unlocked()
    : call_{thread_flag().get(), thread_flag() ? nullptr : run_signal_handlers}, scope_(state_of(call_)) {}

void bind_stop(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Interrupted&) {
      PyErr_SetString(PyExc_KeyboardInterrupt, "the call was cancelled");
    } catch (const OutOfTime&) {
      PyErr_SetString(PyExc_TimeoutError, "the time limit has passed");
    }
  });
  nb::class_<CancelToken>(m, "CancelToken", "Ends the calls of worker threads; they raise KeyboardInterrupt.")
      .def(nb::init<>())
      .def(
          "use", [](const CancelToken& self) { thread_flag() = self.flag; },
          "Let the token end all later calls on the current thread.")
      .def("cancel", [](const CancelToken& self) { *self.flag = true; }, "End the calls within some milliseconds.");
}

}  // namespace headlong
