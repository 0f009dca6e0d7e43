// SPDX-License-Identifier: BSD-3-Clause
//
// See active_sets.hpp.
#include "tools/check/active_sets.hpp"

#include <map>
#include <mutex>
#include <string>

#include "tools/check/memory.hpp"
#include "tools/check/places.hpp"
#include "tools/check/report.hpp"

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Kind;

// The library writes the first words while PEs are in a call (collectives/group.cpp).
constexpr std::size_t kWordsOfLibrary = 2;

std::mutex mutex;
// The arrays that collectives may still use on other PEs, and the calls.
auto& in_use = *new std::map<const long*, std::string>;

bool synchronizes(const Call& call) {
    switch (call.kind) {
        case Kind::kBarrier:
        case Kind::kSync:
        case Kind::kWait:
        case Kind::kLock:
        case Kind::kAllocate:
        case Kind::kFree:
        case Kind::kFinalize: return true;
        // A test that succeeds may be the end of a wait of the program's own.
        case Kind::kTest:
        case Kind::kTryLock: return true;
        default: return false;
    }
}

// The longest prefix of the array that certainly belongs to it.
std::size_t known_words(const long* sync) {
    const auto variable = variable_at(sync);
    if (!variable || variable->bytes == 0) return SHMEM_SYNC_SIZE;
    const std::size_t words = (variable->bytes - variable->offset) / sizeof(long);
    return words < SHMEM_SYNC_SIZE ? words : SHMEM_SYNC_SIZE;
}

}  // namespace

void check_sync_array(const Call& call) {
    if (call.set.size <= 0 || call.sync == nullptr) return;
    // The library explains addresses that are not symmetric.
    if (pshmem_addr_accessible(call.sync, my_pe()) == 0) return;
    for (std::size_t i = kWordsOfLibrary; i < known_words(call.sync); ++i) {
        if (call.sync[i] == SHMEM_SYNC_VALUE) continue;
        report(call, "pSync is not initialized",
               {text_of(call) + ": element " + std::to_string(i) + " of " + object_at(call.sync) +
                    " is " + std::to_string(call.sync[i]),
                "Set all elements to SHMEM_SYNC_VALUE on all PEs, and synchronize, before the "
                "first use."});
        break;
    }
    std::lock_guard guard(mutex);
    auto used = in_use.find(call.sync);
    if (used != in_use.end()) {
        report(call, "pSync may still be in use",
               {text_of(call) + " uses " + object_at(call.sync),
                "as did " + used->second + ", with no synchronization in between",
                "Put a barrier between the two calls, or use two arrays in turn."});
    }
    int level = SHMEM_THREAD_SINGLE;
    pshmem_query_thread(&level);
    if (level == SHMEM_THREAD_MULTIPLE) return;  // Another thread may have synchronized.
    if (call.kind == Kind::kCollective) {
        // Two arrays in turn: the use of one ends when all have begun that of the other.
        in_use.clear();
        in_use[call.sync] = text_of(call);
    }
}

void note_synchronization(const Call& call) {
    if (!synchronizes(call)) return;
    std::lock_guard guard(mutex);
    in_use.clear();
}

}  // namespace tessera::check
