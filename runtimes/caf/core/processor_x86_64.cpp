// SPDX-License-Identifier: BSD-3-Clause
//
// x86-64 (processor.hpp). Calls of functions whose results the library cannot name by a type:
// System V psABI, 3.2.3.

#include "core/processor.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera::caf {

bool has_results_of_x86_64() { return true; }

void call_with_result(void (*function)(), void* result, void* a, void* b) {
    reinterpret_cast<void (*)(void*, void*, void*)>(function)(result, a, b);
}

// [endbr64] jmp function, or [endbr64] mov $function, %r11; mov $frame, %r10; jmp *%r11
std::uintptr_t jump_target(std::uintptr_t code) {
    constexpr unsigned char kEndbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    constexpr unsigned char kJump[] = {0xe9};
    constexpr unsigned char kShortMove[] = {0x41, 0xbb};  // moves 4 bytes
    constexpr unsigned char kLongMove[] = {0x49, 0xbb};   // moves 8 bytes
    constexpr unsigned char kFrame[] = {0x49, 0xba};
    constexpr unsigned char kJumpR11[] = {0x49, 0xff, 0xe3};
    const auto* at = reinterpret_cast<const unsigned char*>(code);
    const auto skip = [&at]<std::size_t kBytes>(const unsigned char(&bytes)[kBytes]) {
        const bool is_there = std::memcmp(at, bytes, kBytes) == 0;
        at += is_there ? kBytes : 0;
        return is_there;
    };
    skip(kEndbr);
    if (skip(kJump)) {
        std::int32_t distance = 0;
        std::memcpy(&distance, at, sizeof distance);
        at += sizeof distance;
        return reinterpret_cast<std::uintptr_t>(at + distance);
    }
    std::uint64_t function = 0;
    const std::size_t bytes = skip(kShortMove) ? 4 : skip(kLongMove) ? sizeof function : 0;
    std::memcpy(&function, at, bytes);
    at += bytes;
    if (bytes == 0 || !skip(kFrame)) return 0;
    at += sizeof(void*);
    return skip(kJumpR11) ? function : 0;
}

void pause_processor() { __builtin_ia32_pause(); }

}  // namespace tessera::caf
