// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of functions of the program (user_function.hpp) whose types are known only by their bytes.

#include "core/user_function.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "core/processor.hpp"
#include "core/report.hpp"
#include "core/section.hpp"

namespace tessera::caf {
namespace {

using Caller = void (*)(const UserFunction&, std::byte*, std::byte*);

// Elements of arrays may be aligned less than T, and have less bytes.
template <class T>
T load(const std::byte* address, std::size_t bytes) {
    T value{};
    std::memcpy(&value, address, bytes);
    return value;
}

// T: a type that comes back, and goes in by value, as the element does.
template <class T>
void call(const UserFunction& user, std::byte* a, std::byte* b) {
    T result;
    if (user.takes_values) {
        result = reinterpret_cast<T (*)(T, T)>(user.function)(load<T>(a, user.bytes),
                                                              load<T>(b, user.bytes));
    } else {
        result = reinterpret_cast<T (*)(void*, void*)>(user.function)(a, b);
    }
    std::memcpy(a, &result, user.bytes);
}

void call_for_memory(const UserFunction& user, std::byte* a, std::byte* b) {
    Scratch result(user.bytes);
    call_with_result(user.function, result.data(), a, b);
    std::memcpy(a, result.data(), user.bytes);
}

// void function(char* result, size_t length, a, b, size_t, size_t)
void call_string(const UserFunction& user, std::byte* a, std::byte* b) {
    using Function = void (*)(void*, std::size_t, void*, void*, std::size_t, std::size_t);
    const std::size_t length = user.bytes / user.character_bytes;
    Scratch result(user.bytes);
    reinterpret_cast<Function>(user.function)(result.data(), length, a, b, length, length);
    std::memcpy(a, result.data(), user.bytes);
}

Caller find_number_caller(const UserFunction& user) {
    const bool is_quad = user.wide == WideReal::kQuad;
    switch (user.type) {
        case UserFunction::kInteger:
            switch (user.bytes) {
                case 1: return call<std::int8_t>;
                case 2: return call<std::int16_t>;
                case 4: return call<std::int32_t>;
                case 8: return call<std::int64_t>;
                case 16: return call<__int128>;
                default: return nullptr;
            }
        case UserFunction::kReal:
            switch (user.bytes) {
                case 4: return call<float>;
                case 8: return call<double>;
                case 16: return is_quad ? call<Quad> : call<Extended>;
                default: return nullptr;
            }
        case UserFunction::kComplex:
            switch (user.bytes) {
                case 8: return call<__complex__ float>;
                case 16: return call<__complex__ double>;
                case 32: return is_quad ? call<ComplexQuad> : call<__complex__ long double>;
                default: return nullptr;
            }
        default: return nullptr;
    }
}

template <class First, class Second>
struct Pair {
    First first;
    Second second;
};

// Up to 16 bytes come back in rax, rdx for words with an integer, and in xmm0, xmm1 for words with
// reals only.
Caller find_register_caller(const Word (&words)[2]) {
    using Integer = std::uint64_t;
    using Real = double;
    const bool is_first_real = words[0] == Word::kReal;
    switch (words[1]) {
        case Word::kNone: return is_first_real ? call<Real> : call<Integer>;
        case Word::kReal: return is_first_real ? call<Pair<Real, Real>> : call<Pair<Integer, Real>>;
        case Word::kInteger:
            return is_first_real ? call<Pair<Real, Integer>> : call<Pair<Integer, Integer>>;
    }
    return nullptr;
}

Caller find_struct_caller(const UserFunction& user) {
    constexpr std::size_t kInRegisters = 16;
    const ResultType type = result_type_of(user.function, user.bytes);
    if (type.has_pointer) {
        stop_with_error("co_reduce",
                        "the type %s has a component that is a pointer or allocatable, which other "
                        "images cannot use; reduce its target instead",
                        type.name.c_str());
    }
    const Caller from_memory = user.takes_values ? nullptr : call_for_memory;
    if (user.bytes > kInRegisters) return from_memory;
    switch (type.form) {
        case ResultType::kWords: return find_register_caller(type.words);
        case ResultType::kExtended: return call<Extended>;
        case ResultType::kQuad: return call<Quad>;
        case ResultType::kMemory: return from_memory;
        case ResultType::kUnknown: break;
    }
    stop_with_error("co_reduce",
                    "the function returns a derived type of %zu bytes, and it is not known in "
                    "which registers: %s. Compile it with -g, as caf does, and do not strip the "
                    "program; or add a component, so that the type has more than 16 bytes",
                    user.bytes, type.why.c_str());
}

Caller find_caller(const UserFunction& user) {
    switch (user.type) {
        case UserFunction::kString: return call_string;
        case UserFunction::kDerived:
            return has_results_of_x86_64() ? find_struct_caller(user) : nullptr;
        default: return find_number_caller(user);
    }
}

}  // namespace

void prepare(UserFunction& user) {
    const bool is_wide = (user.type == UserFunction::kReal && user.bytes == 16) ||
                         (user.type == UserFunction::kComplex && user.bytes == 32);
    if (is_wide) {
        // Debug information decides, and the values only where there is none.
        const ResultType::Form form = result_type_of(user.function, user.bytes).form;
        user.wide = form == ResultType::kExtended ? WideReal::kExtended
                    : form == ResultType::kQuad   ? WideReal::kQuad
                                                  : user.wide;
    }
    user.call = find_caller(user);
    if (user.call == nullptr) {
        stop_with_error(
            "co_reduce", "elements of %zu bytes%s%s are not supported%s", user.bytes,
            user.type == UserFunction::kDerived ? " of a derived type" : "",
            user.takes_values ? " as values" : "",
            user.type == UserFunction::kDerived ? "; reduce the components one by one" : "");
    }
}

void apply_user_function(void* inout, const void* in, std::size_t elements, void* user_function) {
    const auto& user = *static_cast<const UserFunction*>(user_function);
    auto* a = static_cast<std::byte*>(inout);
    // The program's function may have arguments without intent(in); the caller's data stays.
    auto* b = static_cast<std::byte*>(const_cast<void*>(in));
    for (std::size_t i = 0; i < elements; ++i)
        user.call(user, a + i * user.bytes, b + i * user.bytes);
}

}  // namespace tessera::caf
