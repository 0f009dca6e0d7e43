// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics on long double (wide_atomics.hpp).
#include "transfers/wide_atomics.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstring>

namespace tessera::dart {
namespace {

// Elements that are changed under the mutex at a time: other units may wait for it.
constexpr std::size_t kElementsMax = 64;

shmemx_mutex_t* mutex = nullptr;  // symmetric; lasts as long as the process

long double combine(long double element, long double value, dart_operation_t op) {
    switch (op) {
        case DART_OP_MIN: return std::min(element, value);
        case DART_OP_MAX: return std::max(element, value);
        case DART_OP_SUM: return element + value;
        case DART_OP_PROD: return element * value;
        case DART_OP_REPLACE: return value;
        default: return element;
    }
}

void update_some(int pe, char* address, const char* values, std::size_t nelem, void* old,
                 dart_operation_t op) {
    long double elements[kElementsMax];
    const std::size_t bytes = nelem * sizeof(long double);
    shmemx_mutex_lock(mutex, pe);
    shmem_getmem(elements, address, bytes, pe);
    if (old != nullptr) std::memcpy(old, elements, sizeof(long double));
    if (op != DART_OP_NO_OP) {
        for (std::size_t i = 0; i < nelem; ++i) {
            long double value = 0;
            std::memcpy(&value, values + i * sizeof value, sizeof value);
            elements[i] = combine(elements[i], value, op);
        }
        shmem_putmem(address, elements, bytes, pe);
    }
    shmemx_mutex_unlock(mutex, pe);
}

}  // namespace

bool start_wide_atomics() {
    mutex = static_cast<shmemx_mutex_t*>(shmem_calloc(1, sizeof(shmemx_mutex_t)));
    return mutex != nullptr;
}

void update_long_doubles(const Target& target, const void* values, std::size_t nelem, void* old,
                         dart_operation_t op) {
    const auto* source = static_cast<const char*>(values);
    for (std::size_t first = 0; first < nelem; first += kElementsMax) {
        const std::size_t count = std::min(kElementsMax, nelem - first);
        const std::size_t offset = first * sizeof(long double);
        update_some(target.pe, target.address + offset,
                    source != nullptr ? source + offset : nullptr, count, old, op);
        old = nullptr;
    }
}

}  // namespace tessera::dart
