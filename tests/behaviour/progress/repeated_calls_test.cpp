// SPDX-License-Identifier: BSD-3-Clause
//
// SHMEM_PROGRESS=none between nodes: a PE repeats one routine until a PE of another node has
// changed a word of it. Breaks when a routine of the table in docs/run/progress.md does not serve
// other nodes: then the loop never ends. `--list` prints the names of the routines, a line each;
// repeated_calls_test.py compares them with the table. Needs an even number of PEs, on two nodes.
#include <shmem.h>
#include <shmemx.h>

#include <complex.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kLongs = 512;  // more than a short operation

// Symmetric. The partner changes only the first one.
long changed;
long ready;
long zero;
long held_locks[8];

// Symmetric memory that no PE waits for.
long* words;
double* doubles;
std::uint64_t* signals;
long* source;
shmemx_mutex_t* mutex;
shmemx_rwlock_t* rwlock;
shmemx_ct_t counter;
shmem_ctx_t batch;

int me() { return shmem_my_pe(); }
int half() { return shmem_n_pes() / 2; }
int partner() { return (me() + half()) % shmem_n_pes(); }
// A PE of this PE's node: the other one, if there is one.
int mate() { return half() == 1 ? me() : me() / half() * half() + (me() + 1) % half(); }

struct Repeated {
    const char* name;  // as in the table
    std::function<void()> call;
};

std::vector<Repeated> one_sided() {
    return {
        {"shmem_put", [] { shmem_long_put(words, source, kLongs, mate()); }},
        {"shmem_put", [] { shmem_long_put(words, source, 2, me()); }},
        {"shmem_put_nbi", [] { shmem_putmem_nbi(words, source, 8 * kLongs, mate()); }},
        {"shmem_p", [] { shmem_long_p(words, 1, mate()); }},
        {"shmem_get", [] { shmem_long_get(source, words, kLongs, mate()); }},
        {"shmem_get", [] { shmem_ctx_getmem(batch, source, words, 8, me()); }},
        {"shmem_get_nbi", [] { shmem_get64_nbi(source, words, kLongs, mate()); }},
        {"shmem_g", [] { shmem_long_g(words, mate()); }},
        {"shmem_g", [] { shmem_char_g(reinterpret_cast<char*>(&zero), me()); }},
        {"shmem_iput", [] { shmem_long_iput(words, source, 2, 1, 4, mate()); }},
        {"shmem_iget", [] { shmem_long_iget(source, words, 1, 2, 4, mate()); }},
        {"shmem_ibput", [] { shmem_long_ibput(words, source, 4, 4, 2, 4, mate()); }},
        {"shmem_ibget", [] { shmem_long_ibget(source, words, 4, 4, 2, 4, mate()); }},
        {"shmem_put_signal",
         [] { shmem_long_put_signal(words, source, 1, signals, 1, SHMEM_SIGNAL_ADD, mate()); }},
        {"shmem_put_signal_nbi",
         [] {
             shmem_long_put_signal_nbi(words, source, kLongs, signals, 1, SHMEM_SIGNAL_SET, mate());
         }},
        {"shmem_signal_set", [] { shmem_signal_set(signals, 1, mate()); }},
        {"shmem_signal_add", [] { shmem_signal_add(signals, 1, mate()); }},
        {"shmemx_put_strided",
         [] {
             const std::ptrdiff_t stride = 16;
             const std::size_t extent = 4;
             shmemx_put_strided(words, &stride, source, &stride, &extent, 1, 8, mate());
         }},
        {"shmemx_get_indexed",
         [] {
             const shmemx_block_t block{.offset = 8, .bytes = 64};
             shmemx_get_indexed(source, &block, 1, words, &block, 1, mate());
         }},
    };
}

std::vector<Repeated> atomics() {
    return {
        {"shmem_atomic_fetch", [] { shmem_long_atomic_fetch(&zero, me()); }},
        {"shmem_atomic_fetch", [] { shmem_int_atomic_fetch((int*)words, mate()); }},
        {"shmem_atomic_set", [] { shmem_long_atomic_set(words, 1, mate()); }},
        {"shmem_atomic_swap", [] { shmem_long_atomic_swap(words, 1, mate()); }},
        {"shmem_atomic_compare_swap", [] { shmem_long_atomic_compare_swap(words, 5, 6, me()); }},
        {"shmem_atomic_fetch_add", [] { shmem_long_atomic_fetch_add(words, 1, mate()); }},
        {"shmem_atomic_add", [] { shmem_long_atomic_add(words, 1, me()); }},
        {"shmem_atomic_add", [] { shmem_ctx_long_atomic_add(batch, words, 1, mate()); }},
        {"shmem_atomic_fetch_nbi", [] { shmem_long_atomic_fetch_nbi(source, words, mate()); }},
        {"shmemx_accumulate",
         [] {
             shmemx_accumulate(doubles, source, 4, SHMEMX_TYPE_COMPLEX_DOUBLE, SHMEMX_OP_SUM,
                               mate());
         }},
        {"shmemx_fetch_op",
         [] {
             long old = 0;
             const long one = 1;
             shmemx_fetch_op(words, &one, &old, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, mate());
         }},
    };
}

std::vector<Repeated> tests_and_orders() {
    return {
        {"shmem_fence", [] { shmem_fence(); }},
        {"shmem_fence", [] { shmem_ctx_fence(batch); }},
        {"shmem_quiet", [] { shmem_quiet(); }},
        {"shmem_quiet", [] { shmem_ctx_quiet(batch); }},
        {"shmem_pe_quiet",
         [] {
             const int pe = mate();
             shmem_pe_quiet(&pe, 1);
         }},
        {"shmem_test", [] { shmem_long_test(&zero, SHMEM_CMP_NE, 0); }},
        {"shmem_test", [] { shmem_long_test(&zero, SHMEM_CMP_EQ, 0); }},
        {"shmem_test_all", [] { shmem_long_test_all(words, 4, nullptr, SHMEM_CMP_GE, INT64_MIN); }},
        {"shmem_test_all", [] { shmem_long_test_all(words, 4, nullptr, SHMEM_CMP_LT, INT64_MIN); }},
        {"shmem_test_any", [] { shmem_long_test_any(words, 4, nullptr, SHMEM_CMP_GE, INT64_MIN); }},
        {"shmem_test_some",
         [] {
             std::size_t indices[4];
             shmem_long_test_some(words, 4, indices, nullptr, SHMEM_CMP_GE, INT64_MIN);
         }},
        {"shmem_signal_fetch", [] { shmem_signal_fetch(signals); }},
        {"shmem_ptr", [] { shmem_ptr(words, mate()); }},
        {"shmem_team_ptr", [] { shmem_team_ptr(SHMEM_TEAM_WORLD, words, mate()); }},
        {"shmemx_ct_get", [] { shmemx_ct_get(counter); }},
        {"shmemx_req_test",
         [] {
             shmemx_req_t complete = SHMEMX_REQ_COMPLETE;
             int is_complete = 0;
             shmemx_req_test(&complete, SHMEMX_REMOTE, &is_complete);
         }},
    };
}

// The partner holds these locks. Their homes are the PEs in turn.
std::vector<Repeated> locks() {
    std::vector<Repeated> all;
    for (long& lock : held_locks)
        all.push_back({"shmem_test_lock", [&lock] { shmem_test_lock(&lock); }});
    all.push_back({"shmemx_mutex_trylock", [] { shmemx_mutex_trylock(mutex, me()); }});
    all.push_back({"shmemx_rwlock_read_trylock", [] { shmemx_rwlock_read_trylock(rwlock, me()); }});
    all.push_back(
        {"shmemx_rwlock_write_trylock", [] { shmemx_rwlock_write_trylock(rwlock, me()); }});
    return all;
}

// The PEs of the upper half repeat the call; those of the lower half change the word.
void run(const Repeated& repeated, long round) {
    shmem_barrier_all();
    if (me() < half()) {
        shmem_long_wait_until(&ready, SHMEM_CMP_EQ, round);
        shmem_long_p(&changed, round, partner());
        shmem_quiet();
        return;
    }
    shmem_long_p(&ready, round, partner());
    while (__atomic_load_n(&changed, __ATOMIC_ACQUIRE) != round) repeated.call();
    shmem_quiet();
}

void hold_locks() {
    if (me() == 0) {
        for (long& lock : held_locks) shmem_set_lock(&lock);
    }
    if (me() < half()) {
        shmemx_mutex_lock(mutex, partner());
        shmemx_rwlock_write_lock(rwlock, partner());
    }
    shmem_barrier_all();
}

void release_locks() {
    shmem_barrier_all();
    if (me() == 0) {
        for (long& lock : held_locks) shmem_clear_lock(&lock);
    }
    if (me() < half()) {
        shmemx_mutex_unlock(mutex, partner());
        shmemx_rwlock_write_unlock(rwlock, partner());
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<Repeated> all = one_sided();
    for (const auto& more : {atomics(), tests_and_orders(), locks()})
        all.insert(all.end(), more.begin(), more.end());
    if (argc > 1 && std::strcmp(argv[1], "--list") == 0) {
        for (const Repeated& each : all) std::puts(each.name);
        return 0;
    }
    shmem_init();
    words = static_cast<long*>(shmem_calloc(kLongs, sizeof(long)));
    doubles = static_cast<double*>(shmem_calloc(kLongs, sizeof(double)));
    signals = static_cast<std::uint64_t*>(shmem_calloc(1, sizeof(std::uint64_t)));
    source = static_cast<long*>(shmem_calloc(kLongs, sizeof(long)));
    mutex = static_cast<shmemx_mutex_t*>(shmem_calloc(1, sizeof *mutex));
    rwlock = static_cast<shmemx_rwlock_t*>(shmem_calloc(1, sizeof *rwlock));
    shmemx_ct_create(&counter);
    shmem_ctx_create(0, &batch);
    shmem_ctx_session_start(batch, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
    hold_locks();
    long round = 0;
    for (const Repeated& each : all) {
        if (me() == shmem_n_pes() - 1) std::fprintf(stderr, "repeats %s\n", each.name);
        run(each, ++round);
    }
    release_locks();
    shmem_ctx_session_stop(batch);
    if (me() == 0) std::printf("%ld loops have ended\n", round);
    shmem_finalize();
    return 0;
}
