// SPDX-License-Identifier: BSD-3-Clause
//
// Mailboxes and the thread behind one (service.hpp).

#include "core/service.hpp"

#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "core/bytes.hpp"
#include "core/failures.hpp"
#include "core/hooks.hpp"
#include "core/ordering.hpp"
#include "core/report.hpp"
#include "core/team.hpp"

namespace tessera::caf {

namespace {

// In symmetric memory. `request` and `reply` are global pointers; 0: none.
struct Mailbox {
    shmemx_mutex_t callers;
    std::uint64_t request;
    std::uint64_t reply;
};
constexpr std::uint64_t kStop = ~std::uint64_t{0};

Mailbox* mailbox = nullptr;
Handler handle = nullptr;
pthread_t thread;
std::once_flag thread_once;
std::atomic<bool> has_thread{false};
// One request of this image at a time: `reply` is one word.
std::mutex asking;

void* serve(void*) {
    // A reply stays until the next request: the caller has fetched it then.
    std::unique_ptr<Message> last;
    for (;;) {
        shmem_uint64_wait_until(&mailbox->request, SHMEM_CMP_NE, 0);
        const std::uint64_t pointer = shmem_uint64_atomic_swap(&mailbox->request, 0, shmem_my_pe());
        if (pointer == kStop) return nullptr;
        last = handle(pointer);
        shmem_fence();  // The setting of a word releases nothing by itself.
        shmem_uint64_atomic_set(&mailbox->reply, last->pointer(), shmemx_gptr_pe(pointer));
        shmem_quiet();
    }
}

// Pairs with core/service.cpp:start_service_thread.
void stop_thread() {
    if (has_thread.exchange(false)) {
        shmem_fence();  // The thread frees its last reply behind what its reader has told.
        shmem_uint64_atomic_set(&mailbox->request, kStop, shmem_my_pe());
        ::pthread_join(thread, nullptr);
    }
}

// An owner whose process has died does not answer.
void await_reply(int pe) {
    int deaths = count_deaths();
    while (shmemx_wait_until_failure(&mailbox->reply, SHMEM_CMP_NE, 0, deaths) == 0) {
        if (is_dead(pe)) {
            stop_with_error("coindexed access",
                            "the process of image %d, which was to answer, has died",
                            initial_team().image_of(pe));
        }
        deaths = count_deaths();
    }
}

}  // namespace

Message::Message(std::size_t bytes) : base_(static_cast<std::byte*>(shmemx_local_malloc(bytes))) {
    if (base_ == nullptr) {
        stop_with_error("coindexed access",
                        "no room for a message of %zu bytes; set SHMEM_LOCAL_MEMORY_SIZE to more",
                        bytes);
    }
}

Message::~Message() { shmemx_local_free(base_); }

std::byte* Message::add_room(std::size_t bytes) {
    return base_ + std::exchange(filled_, filled_ + bytes);
}

void Message::add(const void* data, std::size_t bytes) {
    std::byte* room = add_room(bytes);
    if (bytes != 0) std::memcpy(room, data, bytes);
}

std::uint64_t Message::pointer() const { return shmemx_gptr_of(base_, shmem_my_pe()); }

void fetch(void* dest, std::uint64_t message, std::size_t from, std::size_t bytes) {
    if (bytes != 0) {
        const shmemx_gptr_t at = shmemx_gptr_add(message, static_cast<std::ptrdiff_t>(from));
        get_bytes(dest, shmemx_gptr_addr(at), bytes, shmemx_gptr_pe(at));
    }
}

void start_service(Handler handler) {
    if (mailbox != nullptr) return;
    handle = handler;
    mailbox = static_cast<Mailbox*>(shmem_calloc(1, sizeof(Mailbox)));
    if (mailbox == nullptr)
        stop_with_error("start", "no symmetric memory; set SHMEM_SYMMETRIC_SIZE to more");
    detail::at_finalize = stop_thread;
}

void start_service_thread() {
    std::call_once(thread_once, [] {
        if (::pthread_create(&thread, nullptr, serve, nullptr) != 0)
            stop_with_error("coindexed access", "no thread can be made for other images' accesses");
        has_thread.store(true);  // Pairs with core/service.cpp:stop_thread.
    });
}

std::byte* service_base() { return reinterpret_cast<std::byte*>(mailbox); }

ServiceCall::ServiceCall(const Message& request, int pe) : one_request_(asking), pe_(pe) {
    shmemx_mutex_lock(&mailbox->callers, pe);
    shmem_uint64_atomic_set(&mailbox->reply, 0, shmem_my_pe());
    shmem_fence();
    shmem_uint64_atomic_set(&mailbox->request, request.pointer(), pe);
    shmem_quiet();
    await_reply(pe);
    reply_ = shmem_uint64_atomic_fetch(&mailbox->reply, shmem_my_pe());
}

ServiceCall::~ServiceCall() { shmemx_mutex_unlock(&mailbox->callers, pe_); }

}  // namespace tessera::caf
