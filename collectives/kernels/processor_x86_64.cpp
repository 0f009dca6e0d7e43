// SPDX-License-Identifier: BSD-3-Clause
//
// The instruction sets of x86-64 processors: the levels of the psABI, each with all that the
// compiler may use there. Levels build on one another.
#include <cpuid.h>

#include "collectives/kernels/instruction_sets.hpp"

namespace tessera::collectives {
namespace {

constexpr InstructionSet kSets[] = {{.name = "portable", .table = &kPortableKernels},
                                    {.name = "x86-64-v2", .table = &kX8664V2Kernels},
                                    {.name = "x86-64-v3", .table = &kX8664V3Kernels},
                                    {.name = "x86-64-v4", .table = &kX8664V4Kernels}};

// Features that some compilers' __builtin_cpu_supports does not know.
struct Features {
    bool v2 = false;
    bool v3 = false;
};

Features other_features() {
    constexpr unsigned kCompareExchange16 = 1u << 13;
    constexpr unsigned kMoveBigEndian = 1u << 22;
    constexpr unsigned kHalfFloat = 1u << 29;
    constexpr unsigned kStoreFlags = 1u << 0;
    constexpr unsigned kLeadingZeros = 1u << 5;
    unsigned a = 0, b = 0, basic = 0, extended = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &basic, &d) == 0) return {};
    if (__get_cpuid(0x80000001, &a, &b, &extended, &d) == 0) return {};
    const unsigned v3 = kMoveBigEndian | kHalfFloat;
    return {.v2 = (basic & kCompareExchange16) != 0 && (extended & kStoreFlags) != 0,
            .v3 = (basic & v3) == v3 && (extended & kLeadingZeros) != 0};
}

std::size_t count_levels() {
    __builtin_cpu_init();
    const Features features = other_features();
    const bool v2 = features.v2 && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("sse4.2");
    if (!v2) return 1;
    // These also ask whether the operating system saves the wider registers.
    const bool v3 = features.v3 && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    if (!v3) return 2;
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v4 ? 4 : 3;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
    static const std::size_t count = count_levels();
    return {kSets, count};
}

}  // namespace tessera::collectives
