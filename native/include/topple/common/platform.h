// Where the engine runs: the macros that host, CUDA and WebAssembly builds share.
#pragma once

// NVRTC knows neither the headers of the C library nor the builtins of other compilers.
#if defined(__CUDACC_RTC__)
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using uintptr_t = unsigned long long;
#define TOPPLE_BUILTIN(name) ::name
#else
#include <stdint.h>
#define TOPPLE_BUILTIN(name) __builtin_##name
#endif

// A device keeps one copy of a TOPPLE_BIG_FN and does not unroll a TOPPLE_ROLLED loop: a step
// that is all inlined and unrolled outgrows its instruction cache many times over.
#if defined(__CUDACC__)
#define TOPPLE_FN __host__ __device__ inline
#define TOPPLE_BIG_FN __host__ __device__ __noinline__
#define TOPPLE_ROLLED _Pragma("unroll 1")
#else
#define TOPPLE_FN inline
#define TOPPLE_BIG_FN inline
#define TOPPLE_ROLLED
#endif
