# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a program that has to compile does not, or one that must not compile does.

Each case is a few lines behind #include <shmemx.h>. Programs that have to compile do so without a
warning; for the others the compiler must complain about the reason named, and not for another one.
"""

import re

import headers

C11 = ["c11", "c17"]
NO_ASSOCIATION = "not compatible with any"
NO_OVERLOAD = "no matching function"

DATA = """
static int ints[8]; static const int const_ints[8] = {0}; static long longs[8]; static double d;
static long long wide; static uint64_t sig; static size_t count; static int64_t word; static int n;
static struct { int x; } thing; __extension__ typedef double _Complex complexd; static complexd z;
static int* next(void) { return ints + n++; }
void use(void);
void use(void) { (void)const_ints; (void)wide; (void)sig; (void)count; (void)word; (void)d;
                 (void)thing; (void)longs; (void)next; (void)z; %s }
"""

# (standards, statements): arguments as programs write them.
ACCEPTED = [
    (C11 + headers.CXX_STANDARDS, """
        shmem_put(ints, const_ints, 8, 0); shmem_put(&ints[1], ints + 4, 2, 1);
        shmem_put(next(), next(), 1, 0); shmem_get(ints, &const_ints[2], 1, 0);
        shmem_p(SHMEM_CTX_DEFAULT, &d, 1, 0); shmem_p(&d, shmem_g(&d, shmem_g(ints, 0)), 1);
        n = shmem_g(&const_ints[1], 0) + shmem_g(SHMEM_CTX_DEFAULT, ints, 0);
        count = shmem_atomic_fetch_add(&count, 1, 0); shmem_atomic_or(&word, 1, 0);
        word = shmem_atomic_fetch_xor(SHMEM_CTX_DEFAULT, &word, 1, 0);
        wide = shmem_atomic_compare_swap(&wide, 0, 1, 0); shmem_atomic_inc(longs, 0);
        shmem_put_signal(longs, longs + 4, 4, &sig, 1, SHMEM_SIGNAL_ADD, 0);
        shmem_signal_set(&sig, 1, 0); shmem_signal_set(SHMEM_CTX_DEFAULT, &sig, 1, 0);
        shmem_wait_until(&sig, SHMEM_CMP_EQ, 1); shmem_wait_until(longs, SHMEM_CMP_GT, 0);
        (shmem_wait_until)(longs, SHMEM_CMP_GT, 0); (shmem_signal_add)(&sig, 1, 0);
        if (shmem_test(&count, SHMEM_CMP_EQ, 1)) { shmem_barrier_all(); }
        count = shmem_wait_until_any(longs, 8, ints, SHMEM_CMP_EQ, 1);
        shmem_barrier(0, 0, 1, longs); shmem_sync(0, 0, 1, longs);"""),
    (C11 + headers.CXX_STANDARDS, """
        shmem_team_t team = SHMEM_TEAM_WORLD; const shmem_team_t fixed = SHMEM_TEAM_SHARED;
        n = shmem_team_split_strided(team, 0, 1, 1, NULL, 0, &team);
        n = shmem_sync(team) + shmem_sync(SHMEM_TEAM_WORLD) + shmem_sync(fixed);
        (shmem_sync)(0, 0, 1, longs); shmem_sync_all();
        n = shmem_broadcast(team, ints, const_ints, 8, 0) + shmem_collect(fixed, &d, &d, 1);
        n = shmem_alltoall(team, longs, longs + 4, 4) + shmem_fcollect(team, ints, ints, 1);
        n = shmem_alltoalls(team, ints, const_ints, 1, 1, 4) + shmem_max_reduce(team, &d, &d, 1);
        if (shmem_or_reduce(team, next(), next(), 1)) { n = shmem_sum_inscan(team, &d, &d, 1); }
        n = shmem_sum_exscan(team, &count, &count, 1) + shmem_sum_reduce(team, &z, &z, 1);
        n = shmem_prod_reduce(team, &z, &z, 1) + shmem_sum_exscan(team, &z, &z, 1);
        shmem_broadcast32(ints, const_ints, 1, 0, 0, 0, 1, longs);
        shmem_int_sum_to_all(ints, ints, 1, 0, 0, 1, ints, longs);"""),
    (headers.C_STANDARDS + headers.CXX_STANDARDS, """
        shmem_ctx_t ctx = SHMEM_CTX_INVALID; shmem_team_t team = SHMEM_TEAM_INVALID;
        shmem_team_config_t config; shmem_ctx_session_config_t session;
        config.num_contexts = 1; session.total_ops = 8;
        n = shmem_team_split_2d(team, 2, &config, SHMEM_TEAM_NUM_CONTEXTS, &team, NULL, 0, &team);
        n = shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &ctx);
        n = shmem_ctx_create(0, &ctx) + shmem_ctx_get_team(ctx, &team);
        n = SHMEM_CTX_SESSION_TOTAL_OPS;
        shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &session, n);
        shmem_ctx_session_start(ctx, 0, NULL, 0); shmem_ctx_session_stop(ctx);
        shmem_ctx_destroy(ctx); shmem_team_destroy(team);
        if (shmem_team_ptr(team, const_ints, 0) == NULL) { n = shmem_team_my_pe(team); }
        n = shmem_complexd_sum_reduce(team, &z, &z, 1);"""),
    (headers.CXX_STANDARDS, """
        struct Number { double real_, imaginary_; double imag() const { return imaginary_; } } w;
        n = shmem_sum_reduce(SHMEM_TEAM_WORLD, &w, &w, 1);"""),
    (C11 + headers.CXX_STANDARDS, """
        shmemx_ibput(ints, const_ints, 2, 2, 2, 2, 0); shmemx_signal_add(&sig, 1, 0);
        shmemx_ibget(SHMEM_CTX_DEFAULT, ints, const_ints, 2, 2, 2, 2, 0);
        shmemx_signal_set(SHMEM_CTX_DEFAULT, &sig, 1, 0);
        n = shmemx_sum_inscan(SHMEMX_TEAM_NODE, longs, longs, 8);
        n = shmemx_sum_exscan(SHMEMX_TEAM_NODE, &z, &z, 1);"""),
    (headers.C_STANDARDS + headers.CXX_STANDARDS, """
        shmemx_ct_t ct; shmemx_pcntr_t counters; static const shmem_team_t node = SHMEMX_TEAM_NODE;
        shmemx_ct_create(&ct); shmemx_putmem_ct(ct, ints, const_ints, 4, 0);
        shmemx_ct_wait(ct, shmemx_ct_get(ct) + 1L); shmemx_ct_free(&ct);
        shmemx_pcntr_get_all(SHMEM_CTX_DEFAULT, &counters);
        sig = counters.pending_put + counters.pending_get + counters.completed_put +
              counters.completed_get + counters.target;
        d = shmemx_wtime(); shmemx_register_gettid(NULL); (void)node; (void)shmemx_nodename();
        n = shmemx_heap_preinit_thread(SHMEM_THREAD_SINGLE, ints);
        shmemx_heap_create(ints, sizeof(ints), SHMEMX_EXTERNAL_HEAP_HOST, -1);
        shmemx_heap_postinit(); shmemx_ctx_int_ibput(SHMEM_CTX_DEFAULT, ints, ints, 1, 1, 1, 1, 0);
        (void)shmem_malloc_with_hints(8, SHMEMX_MALLOC_NO_BARRIER);"""),
    # Arguments are evaluated once.
    (C11 + headers.CXX_STANDARDS, "int* p = ints; shmem_p(p++, n++, 0); n += shmem_g(p++, n);"),
    # C99 has the functions only, the four names that are both included.
    (["c99"], "shmem_wait_until(longs, SHMEM_CMP_EQ, 1); shmem_signal_add(&sig, 1, 0);"
              "shmem_int_put(ints, const_ints, 8, 0); shmem_sync(0, 0, 1, longs);"),
]

# (standards, reason, statements)
REJECTED = [
    (C11, NO_ASSOCIATION, "shmem_put(&thing, &thing, 1, 0);"),
    (C11, NO_ASSOCIATION, "shmem_put(SHMEM_CTX_DEFAULT, &thing, &thing, 1, 0);"),
    (C11, NO_ASSOCIATION, "shmem_put((const int*)ints, ints, 1, 0);"),
    (C11, NO_ASSOCIATION, "shmem_atomic_add(&d, 1, 0);"),
    (C11, NO_ASSOCIATION, "shmem_atomic_and(&wide, 1, 0);"),
    (C11, NO_ASSOCIATION, "shmem_test(&d, SHMEM_CMP_EQ, 0);"),
    (C11, NO_ASSOCIATION, "shmem_and_reduce(SHMEM_TEAM_WORLD, &wide, &wide, 1);"),
    (C11, NO_ASSOCIATION, "shmem_max_reduce(SHMEM_TEAM_WORLD, &z, &z, 1);"),
    (C11, NO_ASSOCIATION, "shmem_broadcast(SHMEM_TEAM_WORLD, (const int*)ints, ints, 1, 0);"),
    (C11, NO_ASSOCIATION, "shmem_xor_reduce(SHMEM_TEAM_WORLD, (char*)ints, (char*)ints, 1);"),
    (C11, "incompatible", "shmem_sum_reduce(SHMEM_CTX_DEFAULT, ints, ints, 1);"),
    (C11, "too (many|few)", "shmem_sync(0, 0, 1);"),
    (C11, "too (many|few)", "shmem_sync(SHMEM_TEAM_WORLD, 0);"),
    (C11, "incompatible", "shmem_put(ints, longs, 1, 0);"),
    (C11, "too (many|few)", "shmem_put(ints, ints, 1);"),
    (C11, "too (many|few)", "shmem_wait_until(ints, SHMEM_CMP_EQ, 0, 0);"),
    (["c++11", "c++20"], NO_OVERLOAD, "shmem_put(&thing, &thing, 1, 0);"),
    (["c++11", "c++20"], NO_OVERLOAD, "shmem_put(ints, longs, 1, 0);"),
    (["c++11", "c++20"], NO_OVERLOAD, "shmem_atomic_add(&d, 1, 0);"),
    (["c++11", "c++20"], NO_OVERLOAD, "shmem_atomic_and(&wide, 1LL, 0);"),
    (["c++11", "c++20"], NO_OVERLOAD, "shmem_and_reduce(SHMEM_TEAM_WORLD, &wide, &wide, 1);"),
    (["c++11", "c++20"], NO_OVERLOAD, "shmem_max_reduce(SHMEM_TEAM_WORLD, &z, &z, 1);"),
    (["c++11", "c++20"], NO_OVERLOAD, "shmem_sum_reduce(SHMEM_CTX_DEFAULT, ints, ints, 1);"),
    # The specification does not have these.
    (["c99", "c11", "c++17"], "declar", "shmem_int_and_reduce(SHMEM_TEAM_WORLD, ints, ints, 1);"),
    (["c99", "c11", "c++17"], "declar", "shmem_team_barrier(SHMEM_TEAM_WORLD);"),
    (["c99"], "declar", "shmem_put(ints, ints, 1, 0);"),
]

# Whole programs: the lines around the #include.
PROGRAMS = [
    # A C++ program may put C headers into a linkage block.
    (headers.CXX_STANDARDS, 'extern "C" {\n#include <shmemx.h>\n}\n'
                            "void use(int* p) { shmem_put(p, p + 4, 1, 0); }\n"),
    # Macros of the program's own, of names that appear in ours.
    (C11, "#include <shmem.h>\n#define g 9.81\n#define p 1\n#define put 2\n#define set 3\n"
          "#define RMA 4\n#define int32 5\nstatic int i;\nvoid use(void);\n"
          "void use(void) { shmem_put(&i, &i, 1, 0); shmem_p(&i, shmem_g(&i, 0), 0);\n"
          "    shmem_set(&i, 1, 0); shmem_atomic_and(&i, 1, 0); }\n"),
    # A profiling tool: its own definition of a routine, which calls the other name.
    (headers.C_STANDARDS + headers.CXX_STANDARDS,
     '#include <pshmem.h>\n#ifdef __cplusplus\nextern "C"\n#endif\n'
     "void shmem_int_put(int* dest, const int* source, size_t nelems, int pe) {\n"
     "    pshmem_int_put(dest, source, nelems, pe);\n}\n"),
    # Nothing but <shmem.h> is needed for these types.
    (headers.C_STANDARDS + headers.CXX_STANDARDS,
     "#include <shmem.h>\nsize_t a; ptrdiff_t b; uint64_t c; uintptr_t d; size_t e = SIZE_MAX;\n"),
]


def check_rejected(compiler, standard, reason, statements, failures):
    what = f"{standard}: {statements}"
    text = "#include <shmemx.h>\n" + DATA % statements
    errors = compiler.accepts(text, standard, *headers.WARNINGS, "-Wno-unused-function")
    failures.check(errors, f"compiles, but must not: {what}")
    failures.check(not errors or re.search(reason, errors),
                   f"rejected for another reason than '{reason}': {what}\n{errors[:1500]}")


def test(compiler, standards, failures):
    checked = 0
    for standard in standards:
        for accepted, statements in ACCEPTED:
            if standard in accepted:
                text = "#include <shmemx.h>\n" + DATA % statements
                errors = compiler.accepts(text, standard, *headers.WARNINGS)
                failures.check(not errors, f"{standard}: {statements}\n{errors[:3000]}")
                checked += 1
        for accepted, text in PROGRAMS:
            if standard in accepted:
                errors = compiler.accepts(text, standard, *headers.WARNINGS)
                failures.check(not errors, f"{standard}:\n{text}{errors[:3000]}")
                checked += 1
        for rejected, reason, statements in REJECTED:
            if standard in rejected:
                check_rejected(compiler, standard, reason, statements, failures)
                checked += 1
    return f"{checked} programs"


if __name__ == "__main__":
    headers.main(test)
