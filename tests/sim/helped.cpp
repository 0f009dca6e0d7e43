// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets that helpers do (SHMEM_PROGRESS=helpers), by two threads of each PE at once: their
// completion by quiet, and their order behind a fence. Then long puts, of which helpers and waiting
// PEs take pieces (SHMEM_SHARED_COPIES).
#include <shmem.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace {

constexpr int kThreads = 2;
constexpr int kRounds = 24;  // more copies than the ring of a PE has places
constexpr std::size_t kBytes = 9000;

void check(bool is_right, const char* what, int thread, int round) {
    if (is_right) return;
    std::printf("PE %d, thread %d, round %d: %s\n", shmem_my_pe(), thread, round, what);
    shmem_global_exit(1);
}

int next() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int previous() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }

bool holds(const char* bytes, std::size_t count, int value) {
    return bytes[0] == static_cast<char>(value) && std::memcmp(bytes, bytes + 1, count - 1) == 0;
}

// Memory of a thread.
struct Area {
    char from[kBytes];
    char to[kBytes];  // the other PE puts there
    char got[kBytes];
    long flag;  // the round whose data is there
    long seen;  // the next PE has seen the data of this round
};

void work(Area& area, int thread) {
    shmem_ctx_t context = SHMEM_CTX_INVALID;
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &context);
    for (int round = 1; round <= kRounds; ++round) {
        std::memset(area.from, round, kBytes);
        shmem_ctx_putmem_nbi(context, area.to, area.from, kBytes, next());
        shmem_ctx_fence(context);
        shmem_ctx_long_p(context, &area.flag, round, next());
        shmem_long_wait_until(&area.flag, SHMEM_CMP_GE, round);
        check(holds(area.to, kBytes, round), "data behind its flag", thread, round);
        shmem_ctx_long_p(context, &area.seen, round, previous());
        shmem_ctx_quiet(context);
        shmem_ctx_getmem_nbi(context, area.got, area.to, kBytes, next());
        shmem_ctx_quiet(context);
        check(holds(area.got, kBytes, round), "a get", thread, round);
        shmem_long_wait_until(&area.seen, SHMEM_CMP_GE, round);
    }
    shmem_ctx_destroy(context);
}

void copy_together() {
    constexpr std::size_t kLongBytes = (std::size_t{4} << 20) + 5000;
    auto* from = static_cast<char*>(shmem_malloc(kLongBytes));
    auto* to = static_cast<char*>(shmem_malloc(kLongBytes));
    for (int round = 1; round <= 3; ++round) {
        std::memset(from, shmem_my_pe() + 50 * round, kLongBytes);
        shmem_barrier_all();
        shmem_putmem(to, from, kLongBytes, next());
        shmem_barrier_all();
        check(holds(to, kLongBytes, previous() + 50 * round), "a long put", 0, round);
    }
    shmem_free(to);
    shmem_free(from);
}

}  // namespace

int main() {
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    auto* areas = static_cast<Area*>(shmem_calloc(kThreads, sizeof(Area)));
    std::thread other([&] { work(areas[1], 1); });
    work(areas[0], 0);
    other.join();
    copy_together();
    if (shmem_my_pe() == 0) std::printf("all PEs agree\n");
    shmem_finalize();
    return 0;
}
