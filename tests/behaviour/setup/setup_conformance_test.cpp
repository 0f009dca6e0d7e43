// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the library starts or ends at the wrong call, loses something between init and the
// last finalize, cannot be started again, or gives wrong answers about itself, its PEs and what
// they can reach (OpenSHMEM 1.6, 9.1 and 9.2).
//
// No GoogleTest: the program starts and ends the library several times, and asks before and after.
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "conformance/routines.hpp"

namespace tessera::conformance {
namespace {

bool is_running() {
    int initialized = -1;
    called(ID_shmem_query_initialized);
    shmem_query_initialized(&initialized);
    int again = -1;
    called(ID_pshmem_query_initialized);
    pshmem_query_initialized(&again);
    return initialized == 1 && again == 1;
}

void require(bool condition, const char* what, int line) {
    if (condition) return;
    std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, line, what);
    if (is_running()) shmem_global_exit(1);
    _exit(1);
}
#define REQUIRE(CONDITION) require(CONDITION, #CONDITION, __LINE__)

struct Setup {
    void (*init)();
    int (*init_thread)(int requested, int* provided);
    void (*query_thread)(int* provided);
    void (*finalize)();
    int (*my_pe)();
    int (*n_pes)();
    int (*old_my_pe)();
    int (*old_n_pes)();
    int (*pe_accessible)(int pe);
    int (*addr_accessible)(const void* address, int pe);
    void* (*ptr)(const void* address, int pe);
    void (*version)(int* major, int* minor);
    void (*name)(char* name);
};
#define SETUP(P)                                                                               \
    Setup {                                                                                    \
        ROUTINE(P##shmem_init), ROUTINE(P##shmem_init_thread), ROUTINE(P##shmem_query_thread), \
            ROUTINE(P##shmem_finalize), ROUTINE(P##shmem_my_pe), ROUTINE(P##shmem_n_pes),      \
            ROUTINE(P##_my_pe), ROUTINE(P##_num_pes), ROUTINE(P##shmem_pe_accessible),         \
            ROUTINE(P##shmem_addr_accessible), ROUTINE(P##shmem_ptr),                          \
            ROUTINE(P##shmem_info_get_version), ROUTINE(P##shmem_info_get_name)                \
    }
const Setup kNames[] = {SETUP(), SETUP(p)};

constexpr int kLevels[] = {SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED,
                           SHMEM_THREAD_MULTIPLE};
static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED &&
              SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
              SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE);

long static_object[4];  // symmetric
long come;              // symmetric

// Every PE has its own number, and the same idea of how many there are.
void check_numbers(const Setup& setup) {
    const int me = setup.my_pe();
    const int npes = setup.n_pes();
    REQUIRE(me >= 0 && me < npes);
    REQUIRE(setup.old_my_pe() == me && setup.old_n_pes() == npes);
    static int numbers[64];  // symmetric
    static int counts[64];
    for (int pe = 0; pe < npes; ++pe) {
        shmem_int_p(numbers + me, me + 100, pe);
        shmem_int_p(counts + me, npes, pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < npes; ++pe) REQUIRE(numbers[pe] == pe + 100 && counts[pe] == npes);
    shmem_barrier_all();
}

void check_reach(const Setup& setup) {
    const int me = setup.my_pe();
    const int npes = setup.n_pes();
    auto* heap_object = static_cast<long*>(shmem_malloc(4 * sizeof(long)));
    long private_object = 0;
    for (int pe = -2; pe < npes + 2; ++pe) {
        const int is_pe = pe >= 0 && pe < npes ? 1 : 0;
        REQUIRE(setup.pe_accessible(pe) == is_pe);
        REQUIRE(setup.addr_accessible(heap_object, pe) == is_pe);
        REQUIRE(setup.addr_accessible(static_object + 3, pe) == is_pe);
        REQUIRE(setup.addr_accessible(&private_object, pe) == 0);
        REQUIRE(setup.addr_accessible(nullptr, pe) == 0);
    }
    REQUIRE(setup.ptr(heap_object, me) == heap_object);
    REQUIRE(setup.ptr(static_object, me) == static_object);
    for (long* object : {heap_object, static_object}) {
        object[0] = object[1] = 7 + me;
        shmem_barrier_all();
        const int right = (me + 1) % npes;
        auto* theirs = static_cast<long*>(setup.ptr(object + 1, right));
        REQUIRE(setup.ptr(&private_object, right) == nullptr);
        if (theirs != nullptr) {
            REQUIRE(theirs[-1] == 7 + right);
            *theirs = 1000 + me;
        } else {
            shmem_long_p(object + 1, 1000 + me, right);
        }
        shmem_barrier_all();
        REQUIRE(object[1] == 1000 + (me + npes - 1) % npes && object[0] == 7 + me);
    }
    shmem_free(heap_object);
}

void check_names(const Setup& setup) {
    int major = 0;
    int minor = 0;
    setup.version(&major, &minor);
    REQUIRE(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION);
    REQUIRE(major == 1 && minor == 6);
    char name[SHMEM_MAX_NAME_LEN];
    std::memset(name, 'x', sizeof name);
    setup.name(name);
    REQUIRE(std::strcmp(name, SHMEM_VENDOR_STRING) == 0);
    static_assert(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN);
}

// All PEs have come before one goes.
void finalize_as_barrier(const Setup& setup, bool is_last) {
    const long mine = ++come;
    const int npes = setup.n_pes();
    const int me = setup.my_pe();
    if (me == npes - 1) {
        for (int i = 0; i < 20; ++i) sched_yield();
    }
    static long received[64];
    for (int pe = 0; pe < npes; ++pe) shmem_long_put_nbi(received + me, &mine, 1, pe);
    setup.finalize();
    for (int pe = 0; pe < npes; ++pe) REQUIRE(*static_cast<volatile long*>(received + pe) >= mine);
    REQUIRE(is_running() == !is_last);
    if (!is_last) shmem_barrier_all();
}

// Several inits of all kinds; only the last finalize ends the library.
void check_nesting() {
    const Setup& plain = kNames[0];
    const Setup& profiled = kNames[1];
    plain.init();
    REQUIRE(is_running());
    void* block = shmem_malloc(1000);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, plain.n_pes(), nullptr, 0, &team);
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_ctx_create(0, &ctx);
    profiled.init();
    int level = -1;
    REQUIRE(plain.init_thread(SHMEM_THREAD_SINGLE, &level) == 0);
    int queried = -1;
    plain.query_thread(&queried);
    REQUIRE(queried == level);
    finalize_as_barrier(profiled, false);
    finalize_as_barrier(plain, false);
    // Nothing is lost yet.
    shmem_ctx_long_p(ctx, static_cast<long*>(block), 5, plain.my_pe());
    shmem_ctx_quiet(ctx);
    REQUIRE(*static_cast<long*>(block) == 5);
    REQUIRE(shmem_team_sync(team) == 0);
    for (const Setup& setup : kNames) {
        check_numbers(setup);
        check_reach(setup);
        check_names(setup);
    }
    finalize_as_barrier(plain, true);  // with a block, a team and a context left
}

// Again and again, with every thread level.
void check_levels() {
    for (const Setup& setup : kNames) {
        for (int level : kLevels) {
            int provided = -1;
            REQUIRE(setup.init_thread(level, &provided) == 0);
            REQUIRE(is_running());
            REQUIRE(provided == level);  // docs/run/conformance.md promises it
            int queried = -1;
            setup.query_thread(&queried);
            REQUIRE(queried == provided);
            check_numbers(setup);
            check_reach(setup);
            finalize_as_barrier(setup, true);
        }
    }
}

int run() {
    REQUIRE(!is_running());
    check_nesting();
    check_levels();
    REQUIRE(!is_running());
    const char* missing = first_not_called("setup");
    if (missing != nullptr) std::fprintf(stderr, "no test has called %s\n", missing);
    return missing == nullptr ? 0 : 1;
}

}  // namespace
}  // namespace tessera::conformance

int main() { return tessera::conformance::run(); }
