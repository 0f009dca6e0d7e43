// SPDX-License-Identifier: BSD-3-Clause
//
// The instruction sets of processors that have no kernels of their own.
#include "collectives/kernels/instruction_sets.hpp"

namespace tessera::collectives {

std::span<const InstructionSet> instruction_sets() {
    static constexpr InstructionSet kSets[] = {{.name = "portable", .table = &kPortableKernels}};
    return kSets;
}

}  // namespace tessera::collectives
