// SPDX-License-Identifier: BSD-3-Clause
//
// See elements.hpp.
#include "base/elements.hpp"

#include <array>
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/platform.hpp"
#include "base/shared_lock.hpp"

namespace tessera {
namespace {

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Integers wrap around: as unsigned numbers, and not as int, to which short ones are promoted.
template <class T>
auto wide(T value) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(value);
    } else {
        return value;
    }
}
template <ElementOp kOp, class T>
T combined(T a, T b) {
    if constexpr (kOp == ElementOp::kSum) return static_cast<T>(wide(a) + wide(b));
    if constexpr (kOp == ElementOp::kProd) return static_cast<T>(wide(a) * wide(b));
    if constexpr (kOp == ElementOp::kMin) return b < a ? b : a;
    if constexpr (kOp == ElementOp::kMax) return a < b ? b : a;
    if constexpr (kOp == ElementOp::kAnd) return static_cast<T>(a & b);
    if constexpr (kOp == ElementOp::kOr) return static_cast<T>(a | b);
    if constexpr (kOp == ElementOp::kXor) return static_cast<T>(a ^ b);
    if constexpr (kOp == ElementOp::kReplace) return b;
    return a;
}

template <class T>
constexpr bool has(ElementOp op) {
    switch (op) {
        case ElementOp::kNone: return false;
        case ElementOp::kMin:
        case ElementOp::kMax: return !kIsComplex<T>;
        case ElementOp::kAnd:
        case ElementOp::kOr:
        case ElementOp::kXor: return std::is_integral_v<T>;
        default: return true;
    }
}

template <class T>
T load(const char* at) {
    T value;
    std::memcpy(static_cast<void*>(&value), at, sizeof value);
    return value;
}

template <class T, ElementOp kOp>
void combine(char* dest, const char* source, std::size_t nelems) {
    for (std::size_t i = 0; i < nelems; ++i) {
        const T value =
            combined<kOp>(load<T>(dest + i * sizeof(T)), load<T>(source + i * sizeof(T)));
        std::memcpy(dest + i * sizeof(T), &value, sizeof value);
    }
}

// ---- One element by the processor's atomics ----

template <std::size_t kBytes>
struct WordOf;
template <>
struct WordOf<1> {
    using Type = std::uint8_t;
};
template <>
struct WordOf<2> {
    using Type = std::uint16_t;
};
template <>
struct WordOf<4> {
    using Type = std::uint32_t;
};
template <>
struct WordOf<8> {
    using Type = std::uint64_t;
};

template <class T>
bool is_word(const char* dest) {
    return sizeof(T) <= 8 &&
           (alignof(T) == sizeof(T) || reinterpret_cast<std::uintptr_t>(dest) % sizeof(T) == 0);
}

// RETURNS: the old element.
template <class T, ElementOp kOp>
T update_word(char* dest, T operand) {
    using Word = typename WordOf<sizeof(T)>::Type;
    const std::atomic_ref<Word> word(*reinterpret_cast<Word*>(dest));
    Word seen = word.load(std::memory_order_relaxed);
    for (;;) {
        const T old = load<T>(reinterpret_cast<const char*>(&seen));
        const T value = combined<kOp>(old, operand);
        const Word fresh = load<Word>(reinterpret_cast<const char*>(&value));
        // An element that stays as it is need not be written.
        if (kOp == ElementOp::kNoOp || (kOp != ElementOp::kReplace && fresh == seen)) return old;
        if (word.compare_exchange_weak(seen, fresh, std::memory_order_relaxed)) return old;
    }
}

// Two uses of the old elements, which come in order.
struct Drop {
    void operator()(const void*, std::size_t) {}
};
struct Keep {
    char* to;
    void operator()(const void* old, std::size_t bytes) {
        std::memcpy(to, old, bytes);
        to += bytes;
    }
};

// ---- Several elements at once, where the processor has an atomic for them ----

// RETURNS: the old elements.
template <class T, ElementOp kOp>
WideWord update_block(char* dest, const char* source) {
    auto* const words = reinterpret_cast<std::uint64_t*>(dest);
    WideWord seen{std::atomic_ref(words[0]).load(std::memory_order_relaxed),
                  std::atomic_ref(words[1]).load(std::memory_order_relaxed)};
    WideWord fresh;
    do {
        fresh = seen;
        combine<T, kOp>(reinterpret_cast<char*>(&fresh), source, sizeof fresh / sizeof(T));
    } while (!wide_compare_swap(dest, seen, fresh));
    return seen;
}

template <class T, ElementOp kOp, class Take>
void accumulate_words(char* dest, const char* source, std::size_t nelems, Take take_old) {
    const char* const end = dest + nelems * sizeof(T);
    const auto update = [&] {
        const T old = update_word<T, kOp>(dest, load<T>(source));
        take_old(&old, sizeof old);
        dest += sizeof(T);
        source += sizeof(T);
    };
    constexpr bool kIsArithmetic = kOp != ElementOp::kReplace && kOp != ElementOp::kNoOp;
    if (kIsArithmetic && has_wide_compare_swap()) {
        while (dest < end && reinterpret_cast<std::uintptr_t>(dest) % sizeof(WideWord) != 0)
            update();
        for (; dest + sizeof(WideWord) <= end;
             dest += sizeof(WideWord), source += sizeof(WideWord)) {
            const WideWord old = update_block<T, kOp>(dest, source);
            take_old(&old, sizeof old);
        }
    }
    while (dest < end) update();
}

// ---- Elements that are no words ----

// Elements that are changed under the lock at a time: others may wait for it.
constexpr std::size_t kLockedElements = 128;

template <class T, ElementOp kOp, class Take>
void accumulate_locked(char* dest, const char* source, std::size_t nelems,
                       std::atomic<std::uint32_t>& lock, Take take_old) {
    for (std::size_t i = 0; i < nelems; i += kLockedElements) {
        const std::size_t count = nelems - i < kLockedElements ? nelems - i : kLockedElements;
        const SharedLock guard(lock, "an accumulate of elements that are no words");
        take_old(dest + i * sizeof(T), count * sizeof(T));
        combine<T, kOp>(dest + i * sizeof(T), source + i * sizeof(T), count);
    }
}

template <class T, ElementOp kOp, class Take>
void accumulate_any(char* dest, const char* source, std::size_t nelems,
                    std::atomic<std::uint32_t>& lock, Take take_old) {
    if constexpr (sizeof(T) <= 8) {
        if (is_word<T>(dest)) return accumulate_words<T, kOp>(dest, source, nelems, take_old);
    }
    accumulate_locked<T, kOp>(dest, source, nelems, lock, take_old);
}

template <class T, ElementOp kOp>
void accumulate(char* dest, const char* source, std::size_t nelems,
                std::atomic<std::uint32_t>& lock) {
    accumulate_any<T, kOp>(dest, source, nelems, lock, Drop{});
}

template <class T, ElementOp kOp>
void get_accumulate(char* dest, const char* source, char* old, std::size_t nelems,
                    std::atomic<std::uint32_t>& lock) {
    accumulate_any<T, kOp>(dest, source, nelems, lock, Keep{old});
}

template <class T, ElementOp kOp>
std::uint64_t fetch(char* dest, std::uint64_t operand, std::atomic<std::uint32_t>& lock) {
    const T value = load<T>(reinterpret_cast<const char*>(&operand));
    T old;
    if (is_word<T>(dest)) {
        old = update_word<T, kOp>(dest, value);
    } else {
        const SharedLock guard(lock, "an atomic on an element that is no word");
        old = load<T>(dest);
        const T fresh = combined<kOp>(old, value);
        std::memcpy(dest, &fresh, sizeof fresh);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &old, sizeof old);
    return bits;
}

// ---- The table ----

constexpr int kTypes = static_cast<int>(ElementType::kComplexDouble) + 1;
constexpr int kOps = static_cast<int>(ElementOp::kNoOp) + 1;
using Row = std::array<ElementKernel, kOps>;

template <class T, ElementOp kOp>
constexpr ElementKernel kernel() {
    // Only a minimum and a maximum look at the sign of an integer.
    constexpr bool kIsOrder = kOp == ElementOp::kMin || kOp == ElementOp::kMax;
    if constexpr (!has<T>(kOp)) {
        return {};
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && !kIsOrder) {
        return kernel<std::make_unsigned_t<T>, kOp>();
    } else if constexpr (sizeof(T) > 8) {
        return {sizeof(T),       alignof(T), accumulate<T, kOp>,
                combine<T, kOp>, nullptr,    get_accumulate<T, kOp>};
    } else {
        return {sizeof(T),       alignof(T),    accumulate<T, kOp>,
                combine<T, kOp>, fetch<T, kOp>, get_accumulate<T, kOp>};
    }
}
template <class T>
constexpr Row row() {
    using enum ElementOp;
    return {kernel<T, kNone>(),    kernel<T, kSum>(), kernel<T, kProd>(), kernel<T, kMin>(),
            kernel<T, kMax>(),     kernel<T, kAnd>(), kernel<T, kOr>(),   kernel<T, kXor>(),
            kernel<T, kReplace>(), kernel<T, kNoOp>()};
}

constexpr std::array<Row, kTypes> kKernels = {Row{},
                                              row<std::int8_t>(),
                                              row<std::int16_t>(),
                                              row<std::int32_t>(),
                                              row<std::int64_t>(),
                                              row<std::uint8_t>(),
                                              row<std::uint16_t>(),
                                              row<std::uint32_t>(),
                                              row<std::uint64_t>(),
                                              row<float>(),
                                              row<double>(),
                                              row<long double>(),
                                              row<std::complex<float>>(),
                                              row<std::complex<double>>()};

}  // namespace

const ElementKernel* element_kernel(int type, int op) {
    if (type < 0 || type >= kTypes || op < 0 || op >= kOps) return nullptr;
    const ElementKernel& kernel =
        kKernels[static_cast<std::size_t>(type)][static_cast<std::size_t>(op)];
    return kernel.bytes != 0 ? &kernel : nullptr;
}

}  // namespace tessera
