// Where the engine runs: the one macro that host, CUDA and WebAssembly builds share.
#pragma once

#include <stdint.h>

#if defined(__CUDACC__)
#define TOPPLE_FN __host__ __device__ inline
#else
#define TOPPLE_FN inline
#endif
