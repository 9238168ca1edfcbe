// Everything that depends on the compiler or the processor: attributes of the AVX2 and AVX-512 kernels, prefetching,
// detection.
//
// gcc and clang compile AVX2 intrinsics only in functions marked HEADLONG_AVX2, and those of AVX-512 in functions
// marked HEADLONG_AVX512; MSVC compiles them anywhere. Without HEADLONG_X86_64 there are no such kernels and the scalar
// code runs, with the same results.
#pragma once

#if defined(__x86_64__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define HEADLONG_X86_64 1
#include <immintrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define HEADLONG_AVX2 __attribute__((target("avx2,fma")))
#define HEADLONG_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline
#define HEADLONG_AVX512 __attribute__((target("avx2,fma,avx512f,avx512bw,avx512vnni")))
#define HEADLONG_AVX512_INLINE __attribute__((target("avx2,fma,avx512f,avx512bw,avx512vnni"), always_inline)) inline
#define HEADLONG_UNROLL_4 _Pragma("GCC unroll 4")
#else
#include <intrin.h>
#define HEADLONG_AVX2
#define HEADLONG_AVX2_INLINE __forceinline
#define HEADLONG_AVX512
#define HEADLONG_AVX512_INLINE __forceinline
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

// Whether the processor also has AVX-512 F and BW and its products of integers (VNNI), as those of Intel since 2019 and
// of AMD since 2022 have, and the operating system saves their registers.
inline bool has_avx512() {
#if !defined(HEADLONG_X86_64)
  return false;
#elif defined(__GNUC__) || defined(__clang__)
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vnni");
#else
  constexpr int ALL_REGISTERS = 0xE6, F_AND_BW = 1 << 16 | 1 << 30, VNNI = 1 << 11;
  if (!has_avx2() || (_xgetbv(0) & ALL_REGISTERS) != ALL_REGISTERS) return false;
  int registers[4];
  __cpuidex(registers, 7, 0);
  return (registers[1] & F_AND_BW) == F_AND_BW && (registers[2] & VNNI) != 0;
#endif
}

}  // namespace headlong
