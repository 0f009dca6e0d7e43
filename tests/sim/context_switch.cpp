// SPDX-License-Identifier: BSD-3-Clause
//
// The switch between two stacks: the registers that a call keeps, and the modes of the two floating
// point units (the ABI of x86-64). Other processors have no simulation.
#include <cstdint>

#include "world.hpp"

asm(R"(
    .text
    .globl tessera_sim_switch
    .type tessera_sim_switch, @function
tessera_sim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size tessera_sim_switch, .-tessera_sim_switch
)");

namespace sim {

// The stack as tessera_sim_switch() leaves it, with `entry` to return to.
void* prepare_stack(char* top, void (*entry)()) {
    auto* words = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~15UL);
    *--words = 0;  // the caller of `entry`: there is none
    *--words = reinterpret_cast<std::uint64_t>(entry);
    for (int i = 0; i < 6; ++i) *--words = 0;
    constexpr std::uint64_t kModes = 0x1f80 | std::uint64_t{0x37f} << 32;
    *--words = kModes;
    return words;
}

}  // namespace sim
