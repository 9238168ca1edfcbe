#!/usr/bin/env bash
# Runs the tests against a core built with library assertions and the address and undefined-behavior sanitizers.
# Arguments go to pytest, or to Python if the first one is -m. The package is copied beside the build, so the normal build stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$(command -v "${PYTHON:-python}")
build=$PWD/build/checked

mkdir -p "$build"
# Python_EXECUTABLE: not the newest Python that CMake can find, but the one that runs the tests.
# Debug: nanobind strips other builds, and a report without symbols has no line numbers.
cmake -S . -B "$build" -G Ninja -DCHECKED=ON -DCMAKE_BUILD_TYPE=Debug -DPython_EXECUTABLE="$python" > "$build/configure.log" ||
  { cat "$build/configure.log"; exit 1; }
cmake --build "$build"

rm -rf "$build/package"
mkdir -p "$build/package"
cp -R src/headlong "$build/package/headlong"
rm -f "$build"/package/headlong/_core*.so
cp "$build"/_core*.so "$build/package/headlong/"

# Python itself is not instrumented, so the sanitizers must be loaded before it, and libstdc++ with them, or the
# address sanitizer cannot intercept C++ exceptions.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
preload=
for library in libasan.so libubsan.so libstdc++.so; do
  preload+="${preload:+ }$(realpath "$("$compiler" -print-file-name="$library")")"
done
export LD_PRELOAD="$preload"
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export PYTHONPATH="$build/package"
if [ "${1-}" = -m ]; then
  exec "$python" "$@"
fi
# The reports go to the real standard error, which pytest would otherwise hold back until the process is gone.
exec "$python" -m pytest -q -n auto --capture=sys "$@"
