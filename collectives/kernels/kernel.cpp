// SPDX-License-Identifier: BSD-3-Clause
//
// The lookup of a kernel. processor_*.cpp finds the instruction sets of this processor.
#include "collectives/kernels/kernel.hpp"

namespace tessera::collectives {

const Kernel& kernel_of(Operator op, Element element) {
    static const KernelTable& table = *instruction_sets().back().table;
    return table.at(op, element);
}

}  // namespace tessera::collectives
