// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when shmem_init_thread and shmem_query_thread do not agree, provide less than was asked
// for, or a second init changes the level of the first one (OpenSHMEM 1.6, 9.2).
#include <shmem.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

void check(bool holds, const char* what, int requested, int level) {
    if (holds) return;
    std::fprintf(stderr, "levels_test: %s: requested %d, got %d\n", what, requested, level);
    std::exit(1);
}

int queried() {
    int level = -1;
    shmem_query_thread(&level);
    return level;
}

bool is_initialized() {
    int initialized = -1;
    shmem_query_initialized(&initialized);
    return initialized == 1;
}

}  // namespace

int main() {
    constexpr int kLevels[] = {SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED,
                               SHMEM_THREAD_MULTIPLE};
    static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED &&
                  SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                  SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE);
    // Up and down, each time from a library that was finalized.
    for (int i = 0; i < 8; ++i) {
        const int requested = kLevels[i < 4 ? i : 7 - i];
        int provided = -1;
        check(!is_initialized(), "initialized before init", requested, 1);
        check(shmem_init_thread(requested, &provided) == 0, "init failed", requested, provided);
        check(provided >= requested, "provided", requested, provided);
        check(queried() == provided, "query", requested, queried());
        int nested = -1;
        check(shmem_init_thread(SHMEM_THREAD_SINGLE, &nested) == 0, "nested init failed", requested,
              nested);
        check(nested == provided && queried() == provided, "nested init", requested, nested);
        if (provided == SHMEM_THREAD_MULTIPLE) {
            // Any thread may ask.
            std::thread([&] {
                check(queried() == provided, "query in a thread", requested, queried());
                check(is_initialized(), "query_initialized in a thread", requested, 0);
            }).join();
        }
        shmem_finalize();
        check(is_initialized(), "initialized after the first finalize", requested, 0);
        shmem_finalize();
    }
    check(!is_initialized(), "initialized at the end", 0, 1);
    shmem_init();
    check(queried() >= SHMEM_THREAD_SINGLE, "shmem_init", SHMEM_THREAD_SINGLE, queried());
    shmem_finalize();
    return 0;
}
