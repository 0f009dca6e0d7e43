// SPDX-License-Identifier: BSD-3-Clause
//
// Requests: operations that a program tests and waits for one by one (include/shmemx/requests.h).
// An operation that is complete when its call returns needs none: its handle is
// SHMEMX_REQ_COMPLETE. A routine that starts another one:
//
//   Request& request = open_request(where);
//   transport.put_tracked(context, dest, source, bytes, pe, request.operation);   any parts
//   *req = publish(request);
//
// Requests lie in one table of the process, whose slots a lock-free list hands out: no context
// takes a lock for them, and nothing is allocated, but when more are open than ever before.
//
//   handle   kind (8 bits) | number of the PE (10) | generation (19) | offset of the slot (27)
//
// A slot knows its one valid handle. A handle that was used up is recognised until its slot has had
// 2^19 others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/platform.hpp"
#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "progress/background.hpp"
#include "progress/request_table.hpp"
#include "shmemx/requests.h"
#include "transports/fabric_transport.hpp"

namespace tessera {

enum class Completion : std::uint8_t { kLocal = SHMEMX_LOCAL, kRemote = SHMEMX_REMOTE };

// A request without parts. Too many open ones end the job. THREADS: any.
Request& open_request(const char* where);
// RETURNS: the handle; SHMEMX_REQ_COMPLETE when all parts are complete already.
shmemx_req_t publish(Request& request);

[[noreturn]] TESSERA_COLD void fail_completion(int completion, const char* where);
// A completion code of the program; another number ends the job.
TESSERA_INLINE Completion checked_completion(int completion, const char* where) {
    if (completion != SHMEMX_LOCAL && completion != SHMEMX_REMOTE) [[unlikely]]
        fail_completion(completion, where);
    return static_cast<Completion>(completion);
}

// From here on all PEs see data that was delivered to mapped memory, as behind a quiet: operations
// that were complete when they returned have left this to the wait. Pairs with
// api/local_word.hpp:load.
TESSERA_INLINE void make_visible(Completion completion) {
    if (completion == Completion::kRemote) std::atomic_thread_fence(std::memory_order_seq_cst);
}

// Whether the request has come so far. A request that is complete in both ways ends, and its handle
// becomes SHMEMX_REQ_COMPLETE. Does not drive progress.
bool test_request(shmemx_req_t& handle, Completion completion, const char* where);
// The same for all; those that have come so far, end. RETURNS: whether these are all.
bool test_requests(std::span<shmemx_req_t> handles, Completion completion, const char* where);
// The numbers of those that have come so far and that no call has told about, at most `most`; and
// whether there are others that may come so far.
struct Told {
    std::size_t count = 0;
    bool has_others = false;
};
Told tell_requests(std::span<shmemx_req_t> handles, Completion completion, std::size_t* indices,
                   std::size_t most, const char* where);
// Whether a value of the program is the handle of a request of this PE.
bool is_open_request(shmemx_req_t handle);
// The request ends when its operation does, without the program.
void free_request(shmemx_req_t& handle, const char* where);

// SHMEM_DEBUG: warns of requests that the program has not waited for. Then ends all. For finalize.
void close_requests(const char* where);

// Drives all that requests wait for. RETURNS when: is_done(), which is not called again then.
template <class Done>
void drive_until(Done is_done, const char* where) {
    bool is_over = false;  // Waits may ask again after a yes.
    const auto drive = [&] {
        is_over = is_over || is_done();
        if (is_over) return true;
        advance_background();
        return is_over = is_done();
    };
    if (drive()) return;
    release_held();
    // This PE copies a piece that no one has begun at once, as a quiet does.
    while (wait_environment.help != nullptr && wait_environment.help()) {
        if (drive()) return;
    }
    if (address_map.fabric == nullptr) return wait_until(drive, where);
    auto call = [](void* state) { return (*static_cast<decltype(drive)*>(state))(); };
    address_map.fabric->drive_until(call, const_cast<void*>(static_cast<const void*>(&drive)));
}

}  // namespace tessera
