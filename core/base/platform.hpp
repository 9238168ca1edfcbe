// Everything that depends on the compiler or the processor: attributes of the AVX2 kernels, prefetching, detection.
//
// gcc and clang compile AVX2 intrinsics only in functions marked HEADLONG_AVX2; MSVC compiles them anywhere. Without
// HEADLONG_X86_64 there are no AVX2 kernels and the scalar code runs, with the same results.
#pragma once

#if defined(__x86_64__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define HEADLONG_X86_64 1
#include <immintrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define HEADLONG_AVX2 __attribute__((target("avx2,fma")))
#define HEADLONG_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline
#define HEADLONG_UNROLL_4 _Pragma("GCC unroll 4")
#else
#include <intrin.h>
#define HEADLONG_AVX2
#define HEADLONG_AVX2_INLINE __forceinline
#define HEADLONG_UNROLL_4
#endif

namespace headlong {

// Asks for a cache line that will be read soon. Any address is allowed.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#elif defined(HEADLONG_X86_64)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#endif
}

// Whether the processor has AVX2 and FMA, which came together, and the operating system saves their registers.
inline bool has_avx2() {
#if !defined(HEADLONG_X86_64)
  return false;
#elif defined(__GNUC__) || defined(__clang__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  constexpr int OSXSAVE_AVX_FMA = 3 << 27 | 1 << 12, XMM_AND_YMM = 6, AVX2 = 1 << 5;
  int registers[4];  // eax, ebx, ecx, edx
  __cpuid(registers, 0);
  if (registers[0] < 7) return false;
  __cpuid(registers, 1);
  if ((registers[2] & OSXSAVE_AVX_FMA) != OSXSAVE_AVX_FMA) return false;
  if ((_xgetbv(0) & XMM_AND_YMM) != XMM_AND_YMM) return false;
  __cpuidex(registers, 7, 0);
  return (registers[1] & AVX2) != 0;
#endif
}

}  // namespace headlong
