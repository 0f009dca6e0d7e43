// SPDX-License-Identifier: BSD-3-Clause
//
// x86-64 (processor.hpp). Calls of functions whose results the library cannot name by a type:
// System V psABI, 3.2.3.

#include "core/processor.hpp"

#include <bit>
#include <cstdint>

namespace tessera::caf {

bool knows_result_registers() { return true; }

// Not inlined: the assembly skips the red zone of this function, and changes the stack pointer.
[[gnu::noinline]] Registers call_marked(void (*function)(), void* a, void* b, std::uint64_t mark) {
    Registers r{.rax = mark, .rdx = mark, .xmm0 = mark, .xmm1 = mark};
    register double xmm0 asm("xmm0") = std::bit_cast<double>(mark);
    register double xmm1 asm("xmm1") = std::bit_cast<double>(mark);
    asm volatile(
        "movq %%rsp, %%rbx\n\t"
        "subq $128, %%rsp\n\t"
        "andq $-16, %%rsp\n\t"
        "call *%[function]\n\t"
        "movq %%rbx, %%rsp\n\t"
        : "+a"(r.rax), "+d"(r.rdx), "+x"(xmm0), "+x"(xmm1), "+D"(a), "+S"(b)
        : [function] "r"(function)
        : "rbx", "rcx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm2", "xmm3", "xmm4", "xmm5",
          "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    const double low = xmm0;
    const double high = xmm1;
    r.xmm0 = std::bit_cast<std::uint64_t>(low);
    r.xmm1 = std::bit_cast<std::uint64_t>(high);
    return r;
}

void call_with_result(void (*function)(), void* result, void* a, void* b) {
    reinterpret_cast<void (*)(void*, void*, void*)>(function)(result, a, b);
}

void pause_processor() { __builtin_ia32_pause(); }

}  // namespace tessera::caf
