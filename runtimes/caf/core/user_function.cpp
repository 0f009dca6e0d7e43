// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of functions of the program (user_function.hpp) whose types are known only by their bytes.

#include "core/user_function.hpp"

#include <cstring>

#include "core/processor.hpp"
#include "core/runtime.hpp"
#include "core/section.hpp"
#include "core/struct_result.hpp"

namespace tessera::caf {
namespace {

// Elements of arrays may be aligned less than T.
template <class T>
T load(const std::byte* address) {
    T value;
    std::memcpy(&value, address, sizeof value);
    return value;
}

template <class T>
void call(UserFunction& user, std::byte* a, std::byte* b) {
    T result;
    if (user.takes_values) {
        result = reinterpret_cast<T (*)(T, T)>(user.function)(load<T>(a), load<T>(b));
    } else {
        result = reinterpret_cast<T (*)(void*, void*)>(user.function)(a, b);
    }
    std::memcpy(a, &result, sizeof result);
}

// void function(char* result, size_t length, a, b, size_t, size_t)
void call_string(UserFunction& user, std::byte* a, std::byte* b) {
    using Function = void (*)(void*, std::size_t, void*, void*, std::size_t, std::size_t);
    const std::size_t length = user.bytes / user.character_bytes;
    Scratch result(user.bytes);
    reinterpret_cast<Function>(user.function)(result.data(), length, a, b, length, length);
    std::memcpy(a, result.data(), user.bytes);
}

using Caller = void (*)(UserFunction&, std::byte*, std::byte*);

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
                case 32: return is_quad ? call<__complex__ Quad> : call<__complex__ Extended>;
                default: return nullptr;
            }
        default: return nullptr;
    }
}

Caller find_caller(const UserFunction& user) {
    switch (user.type) {
        case UserFunction::kString: return call_string;
        case UserFunction::kDerived: return find_struct_caller(user);
        default: return find_number_caller(user);
    }
}

}  // namespace

void apply_user_function(void* inout, const void* in, std::size_t elements, void* user_function) {
    auto& user = *static_cast<UserFunction*>(user_function);
    const Caller caller = find_caller(user);
    if (caller == nullptr) {
        stop_with_error("co_reduce", "elements of %zu bytes%s are not supported", user.bytes,
                        user.takes_values ? " as values" : "");
    }
    auto* a = static_cast<std::byte*>(inout);
    // The program's function may have arguments without intent(in); the caller's data stays.
    auto* b = static_cast<std::byte*>(const_cast<void*>(in));
    for (std::size_t i = 0; i < elements; ++i) {
        caller(user, a + i * user.bytes, b + i * user.bytes);
    }
}

}  // namespace tessera::caf
