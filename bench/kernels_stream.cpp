// SPDX-License-Identifier: BSD-3-Clause
//
// STREAM's add, compiled with -O3 -march=native.
#include "bench/kernels_stream.hpp"

namespace tessera::bench {
namespace {

template <class T>
void add(T* __restrict a, const T* __restrict b, const T* __restrict c, std::size_t nelems) {
    for (std::size_t i = 0; i < nelems; ++i) a[i] = b[i] + c[i];
}

}  // namespace

void stream_add(double* a, const double* b, const double* c, std::size_t nelems) {
    add(a, b, c, nelems);
}
void stream_add(float* a, const float* b, const float* c, std::size_t nelems) {
    add(a, b, c, nelems);
}
void stream_add(int* a, const int* b, const int* c, std::size_t nelems) { add(a, b, c, nelems); }

}  // namespace tessera::bench
