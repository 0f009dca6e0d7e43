// SPDX-License-Identifier: BSD-3-Clause
//
// Mailboxes and the thread behind one.
#include "abi15/service.hpp"

#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "abi15/accessors.hpp"
#include "core/failures.hpp"
#include "core/hooks.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "core/transfer.hpp"

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
pthread_t thread;
std::once_flag thread_once;
std::atomic<bool> has_thread{false};
// One request of this image at a time: `reply` is one word.
std::mutex asking;

// A message in local memory of this image, which others fetch.
class Message {
  public:
    explicit Message(std::size_t bytes)
        : base_(static_cast<std::byte*>(shmemx_local_malloc(bytes))) {
        if (base_ == nullptr) {
            stop_with_error("coindexed access",
                            "no room for a message of %zu bytes; set "
                            "SHMEM_LOCAL_MEMORY_SIZE to more",
                            bytes);
        }
    }
    ~Message() { shmemx_local_free(base_); }
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

    void add(const void* data, std::size_t bytes) {
        if (bytes != 0) {
            std::memcpy(base_ + filled_, data, bytes);
        }
        filled_ += bytes;
    }
    std::uint64_t pointer() const { return shmemx_gptr_of(base_, shmem_my_pe()); }

  private:
    std::byte* base_;
    std::size_t filled_ = 0;
};

void fetch(void* dest, std::uint64_t message, std::size_t from, std::size_t bytes) {
    if (bytes != 0) {
        const shmemx_gptr_t at = shmemx_gptr_add(message, static_cast<std::ptrdiff_t>(from));
        get_bytes(dest, shmemx_gptr_addr(at), bytes, shmemx_gptr_pe(at));
    }
}

// Runs a getter, and makes the message of its result.
std::unique_ptr<Message> run_get(Request& request, const Arguments& arguments, void* source) {
    std::vector<std::byte> room(request.has_dest_descriptor ? 0 : request.data_bytes);
    const Got got = run_getter(
        arguments, source, request.has_source_descriptor ? &request.source_descriptor : nullptr,
        request.has_dest_descriptor ? &request.dest_descriptor : nullptr, room.data(),
        request.data_bytes, request.has_dest_length ? &request.dest_length : nullptr,
        request.has_source_length ? &request.source_length : nullptr);
    const Reply reply{.is_present = true,
                      .data_bytes = got.data == nullptr ? 0 : got.bytes,
                      .dest_length = request.dest_length,
                      .dest_descriptor = request.dest_descriptor};
    auto message = std::make_unique<Message>(sizeof reply + reply.data_bytes);
    message->add(&reply, sizeof reply);
    message->add(got.data, reply.data_bytes);
    if (got.is_owned) {
        std::free(got.data);
    }
    return message;
}

std::unique_ptr<Message> execute(std::uint64_t pointer) {
    Request request;
    fetch(&request, pointer, 0, sizeof request);
    std::vector<std::byte> add_data(request.add_bytes);
    fetch(add_data.data(), pointer, sizeof request, add_data.size());
    std::byte* coarray = reinterpret_cast<std::byte*>(mailbox) + request.coarray;
    if (!is_in_coarray(coarray)) {
        stop_with_error("coindexed access", "the coarray does not exist on this image");
    }
    const Arguments arguments{.index = index_of(request.hash),
                              .image = request.image,
                              .add_data = add_data.data(),
                              .add_bytes = add_data.size()};
    if (request.task == Task::kGet) {
        return run_get(request, arguments, coarray);
    }
    Reply reply{};
    if (request.task == Task::kIsPresent) {
        reply.is_present = run_checker(arguments, coarray);
    } else {
        std::vector<std::byte> data(request.data_bytes);
        fetch(data.data(), pointer, sizeof request + add_data.size(), data.size());
        request.source_descriptor.base = data.data();
        run_receiver(arguments, coarray,
                     request.has_dest_descriptor ? &request.dest_descriptor : nullptr, data.data(),
                     request.has_source_descriptor ? &request.source_descriptor : nullptr,
                     request.has_dest_length ? &request.dest_length : nullptr,
                     request.has_source_length ? &request.source_length : nullptr);
        reply.dest_length = request.dest_length;
    }
    auto message = std::make_unique<Message>(sizeof reply);
    message->add(&reply, sizeof reply);
    return message;
}

void* serve(void*) {
    // A reply stays until the next request: the caller has fetched it then.
    std::unique_ptr<Message> last;
    for (;;) {
        shmem_uint64_wait_until(&mailbox->request, SHMEM_CMP_NE, 0);
        const std::uint64_t pointer = shmem_uint64_atomic_swap(&mailbox->request, 0, shmem_my_pe());
        if (pointer == kStop) {
            return nullptr;
        }
        last = execute(pointer);
        shmem_uint64_atomic_set(&mailbox->reply, last->pointer(), shmemx_gptr_pe(pointer));
        shmem_quiet();
    }
}

void start_thread() {
    std::call_once(thread_once, [] {
        if (::pthread_create(&thread, nullptr, serve, nullptr) != 0) {
            stop_with_error("coindexed access", "no thread can be made for other images' accesses");
        }
        has_thread.store(true);
    });
}

void stop_thread() {
    if (has_thread.exchange(false)) {
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

void start_service() {
    if (mailbox != nullptr) {
        return;
    }
    mailbox = static_cast<Mailbox*>(shmem_calloc(1, sizeof(Mailbox)));
    if (mailbox == nullptr) {
        stop_with_error("start", "no symmetric memory; set SHMEM_SYMMETRIC_SIZE to more");
    }
    detail::at_component = start_thread;
    detail::at_finalize = stop_thread;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (shmem_ptr(mailbox, pe) == nullptr) {
            return start_thread();
        }
    }
}

Answer ask_owner(Request request, const void* add_data, const void* source, const Coarray& coarray,
                 int pe) {
    complete(pe);
    const std::size_t source_bytes = request.task == Task::kPut ? request.data_bytes : 0;
    request.caller_pe = shmem_my_pe();
    request.coarray = static_cast<std::byte*>(coarray.base) - reinterpret_cast<std::byte*>(mailbox);
    Message message(sizeof request + request.add_bytes + source_bytes);
    message.add(&request, sizeof request);
    message.add(add_data, request.add_bytes);
    message.add(source, source_bytes);

    const std::lock_guard one_request(asking);
    shmemx_mutex_lock(&mailbox->callers, pe);
    shmem_uint64_atomic_set(&mailbox->reply, 0, shmem_my_pe());
    shmem_uint64_atomic_set(&mailbox->request, message.pointer(), pe);
    shmem_quiet();
    await_reply(pe);
    const std::uint64_t reply = shmem_uint64_atomic_fetch(&mailbox->reply, shmem_my_pe());
    Answer answer;
    fetch(&answer.reply, reply, 0, sizeof answer.reply);
    answer.data.resize(answer.reply.data_bytes);
    fetch(answer.data.data(), reply, sizeof answer.reply, answer.data.size());
    shmemx_mutex_unlock(&mailbox->callers, pe);
    return answer;
}

}  // namespace tessera::caf
