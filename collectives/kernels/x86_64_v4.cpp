// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels for x86-64-v4 (AVX-512); CMakeLists.txt says so to the compiler.
#include "collectives/kernels/loops.hpp"

namespace tessera::collectives {

constinit const KernelTable kX8664V4Kernels = make_table();

}  // namespace tessera::collectives
