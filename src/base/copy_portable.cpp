// SPDX-License-Identifier: BSD-3-Clause
//
// The large copies of processors without a file of their own: the C library's. On AArch64 its
// memcpy uses what the processor offers. base/copy.cpp decides when to use which, here always
// memcpy.
#include <cstring>

#include "base/copy_routines.hpp"

namespace tessera {

bool cpu_has_vector_copy() { return false; }

void vector_copy(char* dest, const char* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

bool cpu_has_line_string_copy() { return false; }

void string_copy(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

bool cpu_has_slow_string_aliases() { return false; }
void aliased_copy(char* dest, const char* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

bool cpu_has_streaming_copy() { return false; }

void streaming_copy(char* dest, const char* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

}  // namespace tessera
