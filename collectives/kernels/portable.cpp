// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels for any processor of the architecture, and the products of complex numbers that are
// too rare to be worth more than one copy.
#include "collectives/kernels/loops.hpp"

namespace tessera::collectives {
namespace {

template <class Complex, class T>
void multiply_each_nan(T* product, const T* a, const T* b, std::size_t nelems) {
    for (std::size_t i = 0; i < nelems; ++i) {
        if (product[2 * i] == product[2 * i] && product[2 * i + 1] == product[2 * i + 1]) continue;
        Complex left;
        Complex right;
        __builtin_memcpy(&left, a + 2 * i, sizeof left);
        __builtin_memcpy(&right, b + 2 * i, sizeof right);
        left *= right;  // The compiler's, with all rules for infinities.
        __builtin_memcpy(product + 2 * i, &left, sizeof left);
        product[2 * i] = one_nan(product[2 * i]);
        product[2 * i + 1] = one_nan(product[2 * i + 1]);
    }
}

}  // namespace

constinit const KernelTable kPortableKernels = make_table();

void multiply_nans(float* product, const float* a, const float* b, std::size_t nelems) {
    multiply_each_nan<shmem_internal_complexf>(product, a, b, nelems);
}
void multiply_nans(double* product, const double* a, const double* b, std::size_t nelems) {
    multiply_each_nan<shmem_internal_complexd>(product, a, b, nelems);
}

}  // namespace tessera::collectives
