// Running the core without the GIL, in a way that Ctrl-C and other threads can end.
#pragma once

#include "base/stop.hpp"
#include "bindings/common.hpp"

namespace headlong {

// Releases the GIL for its lifetime and starts a call of the core. Every 50 ms the call runs Python's signal handlers,
// if it is on the main thread, so a KeyboardInterrupt ends it. On a thread with a CancelToken, the token ends it.
class Unlocked {
 public:
  Unlocked();

 private:
  nb::gil_scoped_release release_;
  Call call_;
  StopScope scope_;
};

void bind_stop(nb::module_& m);

}  // namespace headlong
