// SPDX-License-Identifier: BSD-3-Clause
//
// How long until a consumer has the data of a producer? The first and the last unit pass a block to
// each other by turns; the time is that of one way.
//
//   dart_produce_flag    put, flush, put of a flag, flush; the consumer gets its own flag
//   dart_produce_notify  a notified put (dart_tessera.h), where DART has it
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
#include "bench/dart/extensions.h"

#define BYTES_MAX ((size_t)256 << 10)

static dart_gptr_t data, flag, own_flag;  // data and flag of the other unit, own flag
static long* local;
static uint64_t turn;  // the last value of the flags

static void produce_by_flag(size_t bytes) {
    dart_put(data, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_flush(data);
    dart_put(flag, &turn, 1, DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG);
    dart_flush(flag);
}
static void consume_by_flag(void) {
    uint64_t found = 0;
    while (found != turn)
        dart_get_blocking(&found, own_flag, 1, DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG);
}

static void produce_by_notify(size_t bytes) {
    put_longs_and_notify(data, local, bytes / 8, flag, turn);
    dart_flush(data);
}
static void consume_by_notify(void) { await_notification(own_flag, turn); }

static double time_of(void (*produce)(size_t), void (*consume)(void), long rounds, size_t bytes) {
    const double start = now_ns();
    for (long i = 0; i < rounds; ++i) {
        for (int producer = 0; producer < 2; ++producer) {
            ++turn;
            if ((me != 0) == producer) {
                produce(bytes);
            } else {
                consume();
            }
        }
    }
    return (now_ns() - start) / (double)rounds / 2;
}

static void measure(const char* name, void (*produce)(size_t), void (*consume)(void)) {
    const int is_partner = me == 0 || me == npes - 1;
    for (size_t bytes = 8; bytes <= BYTES_MAX; bytes *= 8) {
        double ns[kSamplesMax];
        const int samples = level == TINY ? 3 : level != FULL ? 21 : 51;
        const long rounds = by_level(2, 200, 1000);
        for (int i = -1; i < samples; ++i) {
            meet();
            if (is_partner) ns[i < 0 ? 0 : i] = time_of(produce, consume, rounds, bytes);
        }
        report(name, "bytes", (double)bytes, "ns", 1, ns, samples, 0);
    }
}

int main(int argc, char** argv) {
    begin(argc, argv);
    if (npes < 2) give_up("needs two units");
    const dart_gptr_t base = allocate(BYTES_MAX + 64);
    memset(own_part(base), 0, BYTES_MAX + 64);
    local = calloc(BYTES_MAX, 1);
    data = base;
    NEED(dart_gptr_setunit(&data, DART_TEAM_UNIT_ID(me == 0 ? npes - 1 : 0)));
    flag = data;
    NEED(dart_gptr_incaddr(&flag, BYTES_MAX));
    own_flag = flag;
    NEED(dart_gptr_setunit(&own_flag, DART_TEAM_UNIT_ID(me)));
    meet();
    measure("dart_produce_flag", produce_by_flag, consume_by_flag);
    if (kHasNotify) measure("dart_produce_notify", produce_by_notify, consume_by_notify);
    end();
    return 0;
}
