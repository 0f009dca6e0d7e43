// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction kernels: the operators on whole arrays, for every type of the reductions. Used by
// src/api/reductions.cpp (lookup) and by the algorithms in reduce/ and scan/ (calls). Each kernel
// exists once per instruction set; the best that this processor has is chosen at the first lookup.
// Results are the same bits with every instruction set, with each of the three functions, and
// however a vector is split into calls: every element is computed by itself, in the order written
// below, without fused multiply-add.
//
// Integers wrap around. max is left < right ? right : left, min is right < left ? right : left, so
// left is the result when either is NaN, or both are zeros. A sum or product that is NaN, or its
// part that is, has the bits of numeric_limits::quiet_NaN(), whatever the operands' payloads. A
// product of complex numbers follows C11, annex G.
// THREADS: all.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "shmem/types.h"

namespace tessera::collectives {

// All arrays are aligned for their type; of no elements, they may be null. An output is exactly one
// of the inputs where that is allowed, and overlaps none otherwise.
struct Kernel {
    std::size_t element_bytes;
    // accumulator[i] = accumulator[i] op operand[i] for nelems elements.
    void (*combine)(void* accumulator, const void* operand, std::size_t nelems);
    // result[i] = left[i] op right[i]; result may be left, right or neither.
    void (*combine_two)(void* result, const void* left, const void* right, std::size_t nelems);
    // result[i] = ((sources[0][i] op sources[1][i]) op sources[2][i]) ...; result may be one of the
    // sources. Reads up to four sources at a time and writes result once.
    // REQUIRES: count >= 1.
    void (*combine_many)(void* result, const void* const* sources, std::size_t count,
                         std::size_t nelems);
};

enum class Operator : unsigned char { kAnd, kOr, kXor, kMax, kMin, kSum, kProd };
inline constexpr std::size_t kOperatorCount = 7;

// Types with equal representation and equal operators are one.
enum class Element : unsigned char {
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUint8,
    kUint16,
    kUint32,
    kUint64,
    kFloat,
    kDouble,
    kLongDouble,
    kComplexFloat,
    kComplexDouble
};
inline constexpr std::size_t kElementCount = 13;

template <class T>
constexpr Element element_of() {
    if constexpr (std::is_same_v<T, float>) {
        return Element::kFloat;
    } else if constexpr (std::is_same_v<T, double>) {
        return Element::kDouble;
    } else if constexpr (std::is_same_v<T, long double>) {
        return Element::kLongDouble;
    } else if constexpr (std::is_same_v<T, shmem_internal_complexf>) {
        return Element::kComplexFloat;
    } else if constexpr (std::is_same_v<T, shmem_internal_complexd>) {
        return Element::kComplexDouble;
    } else {
        static_assert(std::is_integral_v<T>);
        constexpr bool kIsSigned = std::is_signed_v<T>;
        if constexpr (sizeof(T) == 1) {
            return kIsSigned ? Element::kInt8 : Element::kUint8;
        } else if constexpr (sizeof(T) == 2) {
            return kIsSigned ? Element::kInt16 : Element::kUint16;
        } else if constexpr (sizeof(T) == 4) {
            return kIsSigned ? Element::kInt32 : Element::kUint32;
        } else {
            return kIsSigned ? Element::kInt64 : Element::kUint64;
        }
    }
}

// How far the result of a reduction depends on the order in which its operands are combined.
enum class OrderDependence : unsigned char {
    kNone,           // integers
    kSpecialValues,  // max and min of real numbers: with NaN, or with zeros of both signs, only
    kRounding,       // sums and products of real and complex numbers
    kOrder           // functions of the program that do not commute
};
constexpr OrderDependence order_dependence(Operator op, Element element) {
    if (element < Element::kFloat) return OrderDependence::kNone;
    const bool is_extreme = op == Operator::kMax || op == Operator::kMin;
    return is_extreme ? OrderDependence::kSpecialValues : OrderDependence::kRounding;
}

// The kernel for this processor.
// REQUIRES: the operator exists for the type (bitwise for integers, max and min for real numbers).
// RETURNS: a reference that stays valid, so that a call looks up once.
const Kernel& kernel_of(Operator op, Element element);

// All kernels of one instruction set; those that do not exist are zero.
struct KernelTable {
    Kernel kernels[kOperatorCount][kElementCount];

    const Kernel& at(Operator op, Element element) const {
        return kernels[static_cast<std::size_t>(op)][static_cast<std::size_t>(element)];
    }
};

struct InstructionSet {
    const char* name;
    const KernelTable* table;
};

// The instruction sets of this processor, the plainest first; kernel_of uses the last. For tests,
// benchmarks and information.
std::span<const InstructionSet> instruction_sets();

}  // namespace tessera::collectives
