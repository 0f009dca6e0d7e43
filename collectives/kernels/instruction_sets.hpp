// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the kernels' files: the tables, one per instruction set, and definitions for the loops.
#pragma once

#include <cstddef>

#include "collectives/kernels/kernel.hpp"

namespace tessera::collectives {

extern const KernelTable kPortableKernels;
extern const KernelTable kX8664V2Kernels;
extern const KernelTable kX8664V3Kernels;
extern const KernelTable kX8664V4Kernels;

inline constexpr std::size_t kVectorBytesMax = 64;
// combine_many reads kSourcesAtOnce arrays at once, and keeps a block of a partial result.
inline constexpr std::size_t kSourcesAtOnce = 4;
inline constexpr std::size_t kBlockBytes = 4096;

// Computes again those of nelems complex products a[i] * b[i] that are NaN in one of their parts.
void multiply_nans(float* product, const float* a, const float* b, std::size_t nelems);
void multiply_nans(double* product, const double* a, const double* b, std::size_t nelems);

}  // namespace tessera::collectives
