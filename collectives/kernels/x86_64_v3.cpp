// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels for x86-64-v3 (AVX2); CMakeLists.txt says so to the compiler.
#include "collectives/kernels/loops.hpp"

namespace tessera::collectives {

constinit const KernelTable kX8664V3Kernels = make_table();

}  // namespace tessera::collectives
