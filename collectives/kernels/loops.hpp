// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the loops of the kernels, included once by each instruction set's file (portable.cpp,
// x86_64_v*.cpp), which compiles them with its -march. kernel.hpp says what they compute. They are
// plain loops; "omp simd" tells the vectoriser that an output is exactly one of the inputs or apart
// from them. All of it has internal linkage, and nothing here calls an inline function of a header:
// the linker merges copies of those, and might keep one that this processor cannot run.
#pragma once

#include <cstddef>
#include <type_traits>

#include "collectives/kernels/instruction_sets.hpp"
#include "collectives/kernels/kernel.hpp"

namespace tessera::collectives {
namespace {

struct And {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct Or {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct Xor {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct Max {
    template <class T>
    static T apply(T a, T b) {
        return a < b ? b : a;
    }
};
struct Min {
    template <class T>
    static T apply(T a, T b) {
        return b < a ? b : a;
    }
};

// Integers come as unsigned types. Those shorter than int would be multiplied as (signed) int.
template <class T>
using Wide = std::common_type_t<T, unsigned>;

struct Sum {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(Wide<T>{a} + Wide<T>{b});
        } else {
            return a + b;
        }
    }
};
struct Prod {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(Wide<T>{a} * Wide<T>{b});
        } else {
            return a * b;
        }
    }
};

// When both operands are NaN the processor keeps the payload of one, and which one depends on the
// order that the compiler gives them. So there is one NaN only.
template <class T>
T one_nan(T value) {
    return value != value ? static_cast<T>(__builtin_nan("")) : value;
}
template <class Op, class T>
T finish(T value) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<Op, Max> || std::is_same_v<Op, Min>) {
        return value;
    } else {
        return one_nan(value);
    }
}

// Two, three or four arrays of numbers, combined from left to right. One copy of each is enough.
template <class Op, class T>
struct Loops {
    static constexpr std::size_t kElementBytes = sizeof(T);

    [[gnu::noinline]] static void two(void* result, const void* left, const void* right,
                                      std::size_t nelems) {
        T* r = static_cast<T*>(result);
        const T* a = static_cast<const T*>(left);
        const T* b = static_cast<const T*>(right);
#pragma omp simd
        for (std::size_t i = 0; i < nelems; ++i) r[i] = finish<Op>(Op::apply(a[i], b[i]));
    }
    [[gnu::noinline]] static void three(void* result, const void* const* sources,
                                        std::size_t nelems) {
        T* r = static_cast<T*>(result);
        const T* a = static_cast<const T*>(sources[0]);
        const T* b = static_cast<const T*>(sources[1]);
        const T* c = static_cast<const T*>(sources[2]);
#pragma omp simd
        for (std::size_t i = 0; i < nelems; ++i)
            r[i] = finish<Op>(Op::apply(Op::apply(a[i], b[i]), c[i]));
    }
    [[gnu::noinline]] static void four(void* result, const void* const* sources,
                                       std::size_t nelems) {
        T* r = static_cast<T*>(result);
        const T* a = static_cast<const T*>(sources[0]);
        const T* b = static_cast<const T*>(sources[1]);
        const T* c = static_cast<const T*>(sources[2]);
        const T* d = static_cast<const T*>(sources[3]);
#pragma omp simd
        for (std::size_t i = 0; i < nelems; ++i)
            r[i] = finish<Op>(Op::apply(Op::apply(Op::apply(a[i], b[i]), c[i]), d[i]));
    }
};

// A sum of complex numbers is two sums.
template <class T>
struct ComplexSum {
    using Parts = Loops<Sum, T>;
    static constexpr std::size_t kElementBytes = 2 * sizeof(T);

    static void two(void* result, const void* left, const void* right, std::size_t nelems) {
        Parts::two(result, left, right, 2 * nelems);
    }
    static void three(void* result, const void* const* sources, std::size_t nelems) {
        Parts::three(result, sources, 2 * nelems);
    }
    static void four(void* result, const void* const* sources, std::size_t nelems) {
        Parts::four(result, sources, 2 * nelems);
    }
};

// Products of complex numbers by the formula; those that become NaN are computed again, as the
// language says, by one function for all instruction sets. In chunks, as result may be an operand.
template <class T>
struct ComplexProd {
    static constexpr std::size_t kElementBytes = 2 * sizeof(T);
    static constexpr std::size_t kChunk = 64;
    using Chunk = T[2 * kChunk];

    // Real and imaginary parts go to arrays of their own first: when they are stored side by side,
    // GCC 12 fuses multiplications and additions (vfmaddsub) even with -ffp-contract=off.
    // REQUIRES: product is neither a nor b; nelems <= kChunk.
    [[gnu::noinline]] static void multiply(T* product, const T* a, const T* b, std::size_t nelems) {
        alignas(kVectorBytesMax) T re[kChunk];
        alignas(kVectorBytesMax) T im[kChunk];
        int is_nan = 0;
#pragma omp simd reduction(| : is_nan)
        for (std::size_t i = 0; i < nelems; ++i) {
            const T x = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
            const T y = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
            re[i] = x;
            im[i] = y;
            is_nan |= static_cast<int>(x != x) | static_cast<int>(y != y);
        }
#pragma omp simd
        for (std::size_t i = 0; i < nelems; ++i) {
            product[2 * i] = re[i];
            product[2 * i + 1] = im[i];
        }
        if (is_nan != 0) multiply_nans(product, a, b, nelems);
    }

    // `count` sources, at least two.
    [[gnu::noinline]] static void fold(void* result, const void* const* sources, std::size_t count,
                                       std::size_t nelems) {
        alignas(kVectorBytesMax) Chunk products[2];
        for (std::size_t at = 0; at < nelems; at += kChunk) {
            const std::size_t here = nelems - at < kChunk ? nelems - at : kChunk;
            const T* left = static_cast<const T*>(sources[0]) + 2 * at;
            for (std::size_t k = 1; k < count; ++k) {
                multiply(products[k % 2], left, static_cast<const T*>(sources[k]) + 2 * at, here);
                left = products[k % 2];
            }
            __builtin_memcpy(static_cast<T*>(result) + 2 * at, left, here * kElementBytes);
        }
    }

    static void two(void* result, const void* left, const void* right, std::size_t nelems) {
        const void* const sources[] = {left, right};
        fold(result, sources, 2, nelems);
    }
    static void three(void* result, const void* const* sources, std::size_t nelems) {
        fold(result, sources, 3, nelems);
    }
    static void four(void* result, const void* const* sources, std::size_t nelems) {
        fold(result, sources, 4, nelems);
    }
};

template <class Of>
void combine(void* accumulator, const void* operand, std::size_t nelems) {
    Of::two(accumulator, accumulator, operand, nelems);
}

template <class Of>
void combine_few(void* result, const void* const* sources, std::size_t count, std::size_t nelems) {
    if (count == 4) return Of::four(result, sources, nelems);
    if (count == 3) return Of::three(result, sources, nelems);
    if (count == 2) return Of::two(result, sources[0], sources[1], nelems);
    if (result == sources[0] || nelems == 0) return;
    __builtin_memcpy(result, sources[0], nelems * Of::kElementBytes);
}

// A block of partial results stays in the first-level cache. Only the last step writes to result,
// which may be a source that the steps before it still have to read.
template <class Of>
void combine_block(void* result, const void* const* sources, std::size_t count, std::size_t offset,
                   std::size_t nelems) {
    alignas(kVectorBytesMax) char partial[kBlockBytes];
    const void* step[kSourcesAtOnce];
    std::size_t taken = 0;
    std::size_t filled = 0;  // 1 from the second step on: the partial results
    do {
        while (filled < kSourcesAtOnce && taken < count)
            step[filled++] = static_cast<const char*>(sources[taken++]) + offset;
        combine_few<Of>(taken < count ? partial : static_cast<char*>(result) + offset, step, filled,
                        nelems);
        step[0] = partial;
        filled = 1;
    } while (taken < count);
}

template <class Of>
void combine_many(void* result, const void* const* sources, std::size_t count, std::size_t nelems) {
    if (count <= kSourcesAtOnce) return combine_few<Of>(result, sources, count, nelems);
    constexpr std::size_t kBlock = kBlockBytes / Of::kElementBytes;
    for (std::size_t at = 0; at < nelems; at += kBlock) {
        combine_block<Of>(result, sources, count, at * Of::kElementBytes,
                          nelems - at < kBlock ? nelems - at : kBlock);
    }
}

template <class Of>
constexpr Kernel kKernel{.element_bytes = Of::kElementBytes,
                         .combine = combine<Of>,
                         .combine_two = Of::two,
                         .combine_many = combine_many<Of>};

constexpr Kernel& cell(KernelTable& table, Operator op, Element element) {
    return table.kernels[static_cast<std::size_t>(op)][static_cast<std::size_t>(element)];
}

// Where the sign of an integer makes no difference, both types share the unsigned one's loops.
template <class T>
constexpr void add_integer(KernelTable& table) {
    using Word = std::make_unsigned_t<T>;
    constexpr Element kElement = element_of<T>();
    cell(table, Operator::kAnd, kElement) = kKernel<Loops<And, Word>>;
    cell(table, Operator::kOr, kElement) = kKernel<Loops<Or, Word>>;
    cell(table, Operator::kXor, kElement) = kKernel<Loops<Xor, Word>>;
    cell(table, Operator::kMax, kElement) = kKernel<Loops<Max, T>>;
    cell(table, Operator::kMin, kElement) = kKernel<Loops<Min, T>>;
    cell(table, Operator::kSum, kElement) = kKernel<Loops<Sum, Word>>;
    cell(table, Operator::kProd, kElement) = kKernel<Loops<Prod, Word>>;
}
template <class T>
constexpr void add_real(KernelTable& table) {
    constexpr Element kElement = element_of<T>();
    cell(table, Operator::kMax, kElement) = kKernel<Loops<Max, T>>;
    cell(table, Operator::kMin, kElement) = kKernel<Loops<Min, T>>;
    cell(table, Operator::kSum, kElement) = kKernel<Loops<Sum, T>>;
    cell(table, Operator::kProd, kElement) = kKernel<Loops<Prod, T>>;
}

constexpr KernelTable make_table() {
    KernelTable table{};
    add_integer<signed char>(table);
    add_integer<short>(table);
    add_integer<int>(table);
    add_integer<long>(table);
    add_integer<unsigned char>(table);
    add_integer<unsigned short>(table);
    add_integer<unsigned>(table);
    add_integer<unsigned long>(table);
    add_real<float>(table);
    add_real<double>(table);
    add_real<long double>(table);
    cell(table, Operator::kSum, Element::kComplexFloat) = kKernel<ComplexSum<float>>;
    cell(table, Operator::kProd, Element::kComplexFloat) = kKernel<ComplexProd<float>>;
    cell(table, Operator::kSum, Element::kComplexDouble) = kKernel<ComplexSum<double>>;
    cell(table, Operator::kProd, Element::kComplexDouble) = kKernel<ComplexProd<double>>;
    return table;
}

}  // namespace
}  // namespace tessera::collectives
