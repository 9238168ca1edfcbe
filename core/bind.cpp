// The one file that knows Python: it checks shapes, releases the GIL and calls the core.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) { m.doc() = "The compiled core of headlong: kernels over arrays, no strings, no files."; }
