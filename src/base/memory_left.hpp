// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the system gives more memory. Libraries that we call do not all say that they found none.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace tessera {

// COST: two system calls. The memory is not touched.
inline bool is_memory_left(std::size_t bytes) {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED && ::munmap(memory, bytes) == 0;
}

}  // namespace tessera
