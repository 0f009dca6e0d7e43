// SPDX-License-Identifier: BSD-3-Clause
//
// How many random accesses to a distributed table are done in a second through DART?
// random_access.h has the rows; an update is dart_accumulate with DART_OP_BXOR.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/random_access.h"

static dart_gptr_t table;

static dart_gptr_t gptr_of(struct Word word) {
    dart_gptr_t gptr = table;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(word.unit));
    gptr.addr_or_offs.offset = word.at * sizeof(uint64_t);
    return gptr;
}

static void read_word(uint64_t* to, struct Word from) {
    dart_get_blocking(to, gptr_of(from), 1, DART_TYPE_ULONG, DART_TYPE_ULONG);
}

static void write_word(struct Word to, const uint64_t* from) {
    dart_put_blocking(gptr_of(to), from, 1, DART_TYPE_ULONG, DART_TYPE_ULONG);
}

static void start_xor(struct Word to, const uint64_t* from) {
    dart_accumulate(gptr_of(to), from, 1, DART_TYPE_ULONG, DART_OP_BXOR);
}

static void finish_xors(struct Word to) { dart_flush(gptr_of(to)); }

static void finish_all_xors(void) { dart_flush_all(table); }

int main(int argc, char** argv) {
    begin(argc, argv);
    table = allocate(divide_table() * sizeof(uint64_t));
    mine = own_part(table);
    measure_all();
    NEED(dart_team_memfree(table));
    end();
    return 0;
}
