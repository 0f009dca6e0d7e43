// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: the functions of the process that protocols call, or that could end them.
#include <cstddef>
#include <cstdint>

#include "base/fatal.hpp"
#include "protocol.hpp"

extern "C" long sysconf(int /*name*/) noexcept { return 1; }
// By words of the size that their members have, as far as their alignment tells.
extern "C" void copy_by_words(void* to, const void* from, std::size_t bytes) {
    auto* const dest = static_cast<char*>(to);
    const auto* const source = static_cast<const char*>(from);
    for (std::size_t at = 0; at < bytes;) {
        const bool is_long = bytes - at >= sizeof(std::uint64_t) &&
                             reinterpret_cast<std::uintptr_t>(dest + at) % 8 == 0 &&
                             reinterpret_cast<std::uintptr_t>(source + at) % 8 == 0;
        if (is_long) {
            *reinterpret_cast<std::uint64_t*>(dest + at) =
                *reinterpret_cast<const std::uint64_t*>(source + at);
            at += 8;
        } else {
            *reinterpret_cast<std::uint32_t*>(dest + at) =
                *reinterpret_cast<const std::uint32_t*>(source + at);
            at += 4;
        }
    }
}
extern "C" void zero_words(void* to, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t))
        *reinterpret_cast<std::uint64_t*>(static_cast<char*>(to) + at) = 0;
}
void* operator new(std::size_t bytes) { return __VERIFIER_malloc(bytes); }
void operator delete(void* /*memory*/) noexcept {}
void operator delete(void* /*memory*/, std::size_t /*bytes*/) noexcept {}

namespace tessera {

void fatal(const char* /*format*/, ...) { protocols::fail(__builtin_LINE()); }

}  // namespace tessera
