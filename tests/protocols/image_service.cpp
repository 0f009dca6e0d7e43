// SPDX-License-Identifier: BSD-3-Clause
//
// Two images ask the service of a third one for some work, each by a message of its own, and read
// the reply. Behind both the third one stops its service. For GenMC alone: a process is one image.
#include "runtimes/caf/core/service.hpp"

#include "runtimes/caf/core/failures.hpp"
#include "runtimes/caf/core/hooks.hpp"
#include "runtimes/caf/core/ordering.hpp"
#include "runtimes/caf/core/report.hpp"
#include "runtimes/caf/core/team.hpp"
#include "symmetric.hpp"

namespace tessera::protocols {

constexpr int kImages = 3;
constexpr int kOwner = 0;

struct Image {
    std::uint64_t mailbox[4];
    std::uint64_t messages[4];
};
void* (*service)(void*) = nullptr;
std::uint64_t made[kImages];  // messages
std::uint64_t& made_by_me() { return made[my_thread]; }
Image& my_image() { return reinterpret_cast<Image*>(symmetric.start)[my_thread]; }

}  // namespace tessera::protocols

extern "C" {

std::uint64_t shmem_signal_fetch(const std::uint64_t*) { return 0; }
void shmem_uint64_wait_until(std::uint64_t* word, int cmp, std::uint64_t value) {
    shmemx_wait_until_failure(word, cmp, value, 0);
}
int shmemx_gptr_pe(shmemx_gptr_t pointer) {
    const char* const start = tessera::protocols::symmetric.start;
    return static_cast<int>((reinterpret_cast<char*>(pointer) - start) /
                            static_cast<std::ptrdiff_t>(sizeof(tessera::protocols::Image)));
}
shmemx_gptr_t shmemx_gptr_add(shmemx_gptr_t pointer, std::ptrdiff_t bytes) {
    return pointer + static_cast<shmemx_gptr_t>(bytes);
}
void* shmem_calloc(std::size_t /*count*/, std::size_t bytes) {
    tessera::protocols::check(bytes <= sizeof(tessera::protocols::Image::mailbox));
    return tessera::protocols::my_image().mailbox;
}
// Local memory is used again behind the next message.
void* shmemx_local_malloc(std::size_t bytes) {
    tessera::protocols::check(bytes == 8);
    return &tessera::protocols::my_image().messages[tessera::protocols::made_by_me()++];
}
void shmemx_local_free(void* message) {
    if (message != nullptr) *static_cast<std::uint64_t*>(message) = 0;
}
// The mutex is a protocol of its own ("MCS mutex").
void shmemx_mutex_lock(shmemx_mutex_t* mutex, int pe) {
    auto word = tessera::protocols::at(reinterpret_cast<std::uint64_t*>(mutex), pe);
    std::uint64_t expected = 0;
    __VERIFIER_assume(word.compare_exchange_strong(expected, 1));
}
void shmemx_mutex_unlock(shmemx_mutex_t* mutex, int pe) {
    tessera::protocols::at(reinterpret_cast<std::uint64_t*>(mutex), pe)
        .store(0, std::memory_order_release);
}
int pthread_create(pthread_t* /*thread*/, const pthread_attr_t* /*attributes*/,
                   void* (*work)(void*), void* /*argument*/) noexcept {
    tessera::protocols::service = work;
    return 0;
}
int pthread_join(pthread_t /*thread*/, void** /*result*/) { return 0; }

}  // extern "C"

namespace tessera::caf {

bool is_dead(int /*pe*/) { return false; }
Team& initial_team() { return *reinterpret_cast<Team*>(protocols::symmetric.start); }
void get_unmapped(void* /*dest*/, const void* /*source*/, std::size_t /*bytes*/, int /*pe*/) {
    protocols::check(false);
}
void stop_with_error(const char* /*routine*/, const char* /*format*/, ...) {
    protocols::check(false);
    std::abort();
}

}  // namespace tessera::caf

namespace tessera::protocols {

std::unique_ptr<caf::Message> add_one(std::uint64_t request) {
    std::uint64_t value = 0;
    caf::fetch(&value, request, 0, sizeof value);
    ++value;
    auto* const reply = new caf::Message(sizeof value);
    reply->add(&value, sizeof value);
    return std::unique_ptr<caf::Message>(reply);
}

struct Harness {
    Image images[kImages];
    std::atomic<int> served;

    void ask() {
        const auto value = static_cast<std::uint64_t>(10 * my_thread);
        std::uint64_t answer = 0;
        {
            caf::Message request(sizeof value);
            request.add(&value, sizeof value);
            const caf::ServiceCall call(request, kOwner);
            call.fetch(&answer, 0, sizeof answer);
        }
        check(answer == value + 1);
        if (served.fetch_add(1) + 1 < kImages - 1) return;
        // The service of the owner stops.
        my_thread = kOwner;
        caf::detail::at_finalize();
    }
    void run() {
        symmetric = {.start = reinterpret_cast<char*>(images),
                     .bytes_of_pe = sizeof(Image),
                     .npes = kImages};
        for (my_thread = kImages - 1; my_thread >= 0; --my_thread) caf::start_service(add_one);
        my_thread = kOwner;
        caf::start_service_thread();
        in_parallel([] { service(nullptr); }, [this] { ask(); }, [this] { ask(); });
    }
};

}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
