// SPDX-License-Identifier: BSD-3-Clause
//
// STREAM's add, a[i] = b[i] + c[i], for bench/kernels.cpp, compiled for the very processor of the
// build. The arrays do not overlap.
#pragma once

#include <cstddef>

namespace tessera::bench {

void stream_add(double* a, const double* b, const double* c, std::size_t nelems);
void stream_add(float* a, const float* b, const float* c, std::size_t nelems);
void stream_add(int* a, const int* b, const int* c, std::size_t nelems);

}  // namespace tessera::bench
