// SPDX-License-Identifier: BSD-3-Clause
//
// See locks.hpp.
#include "tools/check/locks.hpp"

#include <map>
#include <mutex>
#include <string>

#include "tools/check/memory.hpp"
#include "tools/check/report.hpp"

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Kind;

struct Ends {
    std::string taken;     // "shmem_set_lock at main (heat.c:12)"; "": not held by this PE
    std::string released;  // "": never
};

std::mutex mutex;
auto& locks = *new std::map<const void*, Ends>;

// Mutexes and reader-writer locks of shmemx.h have rules of their own.
bool is_long_lock(const Call& call) { return call.pe < 0; }

}  // namespace

void before_lock(const Call& call) {
    if (!is_long_lock(call)) return;
    std::lock_guard guard(mutex);
    Ends& lock = locks[call.lock];
    if (call.kind == Kind::kLock && !lock.taken.empty()) {
        report(call, "a PE takes a lock that it holds",
               {text_of(call) + " would wait for ever: the PE has taken " + object_at(call.lock) +
                    " by " + lock.taken,
                "Locks are not recursive; release it first."});
    }
    if (call.kind == Kind::kUnlock && lock.taken.empty()) {
        report(call, "a PE releases a lock that it does not hold",
               {text_of(call) + ": the lock is " + object_at(call.lock),
                lock.released.empty() ? "this PE has never taken it"
                                      : "this PE has released it by " + lock.released,
                "Only the PE that took the lock releases it, once."});
    }
}

void after_lock(const Call& call) {
    if (!is_long_lock(call)) return;
    std::lock_guard guard(mutex);
    Ends& lock = locks[call.lock];
    if (call.kind == Kind::kUnlock) {
        lock.taken.clear();
        lock.released = text_of(call);
    } else if (call.kind == Kind::kLock || call.result == 0) {
        lock.taken = text_of(call);
    }
}

void check_freed_locks(const Call& call, std::size_t bytes) {
    std::lock_guard guard(mutex);
    const auto* begin = static_cast<const char*>(call.dest);
    for (const auto& [address, lock] : locks) {
        const auto* at = static_cast<const char*>(address);
        if (at < begin || at >= begin + bytes || lock.taken.empty()) continue;
        report(call, "the memory of a lock that the PE holds is freed",
               {text_of(call), "the lock was taken by " + lock.taken, "Release it first."});
    }
}

void end_locks(const Call& call) {
    std::lock_guard guard(mutex);
    for (const auto& [address, lock] : locks) {
        if (lock.taken.empty()) continue;
        report(call, "a lock was not released",
               {text_of(call) + ": the PE holds " + object_at(address), "taken by " + lock.taken,
                "Release it with shmem_clear_lock."});
    }
    locks.clear();
}

}  // namespace tessera::check
