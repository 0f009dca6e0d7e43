// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of every kind in sessions with BATCH, on each kind of context, in random order, to PEs
// of all nodes, while PEs wait for each other. Breaks when a PE locks itself, or a handler of
// messages waits (the job then ends with a message or hangs), and when an operation is lost or done
// twice: sums, bits and slots have exact values after each round. Arguments: rounds, operations of
// a thread in a round, threads of a PE. TESSERA_TEST_SEED repeats a run.
#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int kPesMax = 8;
constexpr int kThreadsMax = 2;
constexpr int kContexts = 5;
constexpr int kSums = 6;
constexpr int kElements = 40;
constexpr int kSlots = 16;
constexpr std::size_t kLongBytes = 12'000;

// The memory of a PE that all change: one area in the heap, one in static data.
struct Area {
    long sums[kSums];
    std::uint32_t xored;
    std::uint32_t unused;
    std::uint64_t added_signal;
    double complex_doubles[kElements * 2];   // 16 bytes each: no words, they change under a lock
    float between_words[1 + kElements * 2];  // complex floats that begin between two words
    double doubles[kElements];
    std::int8_t bytes[kElements];
    long slots[kPesMax][kThreadsMax][kContexts][kSlots];  // each has one writer
    unsigned char long_slots[kPesMax][kThreadsMax][kLongBytes];
};

// The sums that the operations of one PE add up to, at one area of each PE.
struct Totals {
    long sums[kSums];
    long xored;  // the bits: no sum
    long added_signal;
    long complex_doubles, between_words, doubles, bytes;
};
constexpr int kTotals = sizeof(Totals) / sizeof(long);

Area static_area;
Area* areas[2];
long token;
long guarded;
long lock;
Totals* expected;  // [PE][area], symmetric, for the reduction
Totals* reduced;
int npes, me;
int round_number;

[[noreturn]] void fail(const char* what, int area, long is, long wanted) {
    std::fprintf(stderr, "pe %d of %d, round %d: %s of area %d is %ld, not %ld\n", me, npes,
                 round_number, what, area, is, wanted);
    shmem_global_exit(1);
    std::abort();
}

// One thread of this PE with its contexts.
class Worker {
  public:
    Worker(int number, std::uint64_t seed)
        : number_(number), random_(seed * 1000 + static_cast<unsigned>(me * 10 + number)) {}

    void begin() {
        for (int i = 0; i < kContexts; ++i) create(i);
    }
    void end() {
        shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
        for (int i = 1; i < kContexts; ++i) shmem_ctx_destroy(contexts_[i]);
    }
    void run(int operations) {
        for (int i = 0; i < operations; ++i) {
            if (draw(12) == 0) change_sessions();
            operate();
        }
        meet_neighbours();
        for (int i = 0; i < kContexts; ++i) {
            if (draw(2) == 0) shmem_ctx_session_stop(contexts_[i]);
            shmem_ctx_quiet(contexts_[i]);
        }
    }

    // The values that this thread has written last are there.
    void check_slots() const {
        for (int pe = 0; pe < npes; ++pe) {
            for (int a = 0; a < 2; ++a) check_slots_of(pe, a);
        }
    }
    void add_totals() {
        for (std::size_t i = 0; i < totals_.size(); ++i) {
            const long bits = expected[i].xored ^ totals_[i].xored;
            long* to = reinterpret_cast<long*>(&expected[i]);
            const long* from = reinterpret_cast<const long*>(&totals_[i]);
            for (int k = 0; k < kTotals; ++k) to[k] += from[k];
            expected[i].xored = bits;
        }
    }

  private:
    int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

    void create(int i) {
        static constexpr long kOptions[] = {0, 0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, 0};
        contexts_[i] = SHMEM_CTX_DEFAULT;
        if (i == 4) {
            shmem_team_create_ctx(SHMEM_TEAM_WORLD, SHMEM_CTX_PRIVATE, &contexts_[i]);
        } else if (i > 0) {
            shmem_ctx_create(kOptions[i], &contexts_[i]);
        }
        start(i);
    }
    void start(int i) {
        const shmem_ctx_session_config_t config{static_cast<std::size_t>(draw(50) + 1)};
        const bool has_total = draw(3) == 0;
        shmem_ctx_session_start(contexts_[i], SHMEM_CTX_SESSION_BATCH,
                                has_total ? &config : nullptr,
                                has_total ? SHMEM_CTX_SESSION_TOTAL_OPS : 0);
    }
    void change_sessions() {
        const int i = draw(kContexts);
        const int what = draw(6);
        if (what < 2) return start(i);
        if (what < 3) return shmem_ctx_session_stop(contexts_[i]);
        if (what < 4) return shmem_ctx_fence(contexts_[i]);
        if (what < 5 || i == 0) return shmem_ctx_quiet(contexts_[i]);
        shmem_ctx_destroy(contexts_[i]);  // with a session
        create(i);
    }

    // Each thread of a PE adds to the words of its right neighbour, without a quiet, and waits for
    // its left one, which may be in the same wait.
    void meet_neighbours() {
        const int i = draw(kContexts);
        shmem_ctx_long_atomic_add(contexts_[i], &token, 1, (me + 1) % npes);
        ++meetings_;
        if (draw(2) == 0) {
            shmem_long_wait_until(&token, SHMEM_CMP_GE, meetings_);
        } else {
            while (shmem_long_test(&token, SHMEM_CMP_GE, meetings_) == 0) {
            }
        }
    }

    Totals& totals(int pe, int area) { return totals_[static_cast<std::size_t>(pe * 2 + area)]; }

    void operate() {
        const int pe = draw(npes);
        const int a = draw(2);
        const int i = draw(kContexts);
        Area& area = *areas[a];
        Totals& all = totals(pe, a);
        switch (draw(8)) {
            case 0: return add(contexts_[i], area, all, pe);
            case 1: return combine(contexts_[i], area, all, pe);
            case 2: return combine_with_result(contexts_[i], area, all, pe);
            case 3: return fill_slot(i, area, a, pe);
            case 4: return signal(contexts_[i], area, all, pe);
            case 5: return read(contexts_[i], area, pe);
            case 6: return put_long(contexts_[i], area, a, pe);
            default:
                return number_ == 0 && draw(8) == 0 ? count_under_lock()
                                                    : add(contexts_[i], area, all, pe);
        }
    }
    void add(shmem_ctx_t ctx, Area& area, Totals& all, int pe) {
        const int k = draw(kSums);
        long* word = &area.sums[k];
        const long value = draw(100) + 1;
        switch (draw(5)) {
            case 0: shmem_ctx_long_atomic_add(ctx, word, value, pe); break;
            case 1: (void)shmem_ctx_long_atomic_fetch_add(ctx, word, value, pe); break;
            case 2:
                shmem_ctx_uint32_atomic_xor(ctx, &area.xored, 1U << (value % 32), pe);
                all.xored ^= 1L << (value % 32);
                return;
            case 3:
                for (long seen = shmem_ctx_long_atomic_fetch(ctx, word, pe);;) {
                    const long before = seen;
                    seen =
                        shmem_ctx_long_atomic_compare_swap(ctx, word, before, before + value, pe);
                    if (seen == before) break;
                }
                break;
            default:
                for (long n = 0; n < value; ++n) shmem_ctx_long_atomic_inc(ctx, word, pe);
                break;
        }
        all.sums[k] += value;
    }
    void combine(shmem_ctx_t ctx, Area& area, Totals& all, int pe) {
        static constexpr std::array<double, 2 * kElements> kOnes = [] {
            std::array<double, 2 * kElements> ones{};
            ones.fill(1);
            return ones;
        }();
        static constexpr std::array<std::int8_t, kElements> kBytes = [] {
            std::array<std::int8_t, kElements> ones{};
            ones.fill(1);
            return ones;
        }();
        switch (draw(3)) {
            case 0:
                shmemx_ctx_accumulate(ctx, area.complex_doubles, kOnes.data(), kElements,
                                      SHMEMX_TYPE_COMPLEX_DOUBLE, SHMEMX_OP_SUM, pe);
                ++all.complex_doubles;
                return;
            case 1:
                shmemx_ctx_accumulate(ctx, area.doubles, kOnes.data(), kElements,
                                      SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM, pe);
                ++all.doubles;
                return;
            default:
                shmemx_ctx_accumulate(ctx, area.bytes, kBytes.data(), kElements, SHMEMX_TYPE_INT8,
                                      SHMEMX_OP_SUM, pe);
                ++all.bytes;
                return;
        }
    }
    void combine_with_result(shmem_ctx_t ctx, Area& area, Totals& all, int pe) {
        float ones[2 * kElements];
        float old[2 * kElements];
        std::fill(std::begin(ones), std::end(ones), 1.0F);
        if (draw(2) == 0) {
            shmemx_ctx_get_accumulate(ctx, area.between_words + 1, ones, old, kElements,
                                      SHMEMX_TYPE_COMPLEX_FLOAT, SHMEMX_OP_SUM, pe);
        } else {
            for (int k = 0; k < kElements; ++k) {
                shmemx_ctx_fetch_op(ctx, area.between_words + 1 + 2 * k, ones, old,
                                    SHMEMX_TYPE_COMPLEX_FLOAT, SHMEMX_OP_SUM, pe);
            }
        }
        ++all.between_words;
    }
    // The next slot of the context; behind a fence before a slot comes again.
    void fill_slot(int i, Area& area, int a, int pe) {
        int& next = next_slot_[pe][a][i];
        const long value = ++written_ * 16 + 1;
        long* slots = area.slots[me][number_][i];
        const shmem_ctx_t ctx = contexts_[i];
        const int k = next;
        if (k == 0) shmem_ctx_fence(ctx);
        next = (next + 2) % kSlots;
        const long two[2] = {value, value + 1};
        switch (draw(4)) {
            case 0:
                shmem_ctx_long_p(ctx, &slots[k], value, pe);
                shmem_ctx_long_p(ctx, &slots[k + 1], value + 1, pe);
                break;
            case 1: shmem_ctx_long_put(ctx, &slots[k], two, 2, pe); break;
            case 2: shmem_ctx_long_iput(ctx, &slots[k], two, 1, 1, 2, pe); break;
            default:
                shmem_ctx_long_atomic_set(ctx, &slots[k], value, pe);
                shmem_ctx_long_atomic_set(ctx, &slots[k + 1], value + 1, pe);
                break;
        }
        last_[pe][a][i][k] = value;
        last_[pe][a][i][k + 1] = value + 1;
    }
    void signal(shmem_ctx_t ctx, Area& area, Totals& all, int pe) {
        const long value = draw(10) + 1;
        all.added_signal += value;
        if (draw(2) == 0)
            return shmem_ctx_signal_add(ctx, &area.added_signal, static_cast<uint64_t>(value), pe);
        shmem_ctx_putmem_signal(ctx, &area.unused, &area.unused, sizeof area.unused,
                                &area.added_signal, static_cast<uint64_t>(value), SHMEM_SIGNAL_ADD,
                                pe);
    }
    void read(shmem_ctx_t ctx, Area& area, int pe) {
        long here[kSums];
        switch (draw(4)) {
            case 0: (void)shmem_ctx_long_g(ctx, &area.sums[0], pe); break;
            case 1: shmem_ctx_long_get(ctx, here, area.sums, kSums, pe); break;
            case 2:
                shmem_ctx_long_get_nbi(ctx, here, area.sums, kSums, pe);
                shmem_ctx_quiet(ctx);
                break;
            default: shmem_ctx_long_iget(ctx, here, area.sums, 1, 2, kSums / 2, pe); break;
        }
    }
    // Long enough for helpers and for writes by the provider. The source is this thread's.
    void put_long(shmem_ctx_t ctx, Area& area, int a, int pe) {
        if (draw(4) != 0) return;
        const auto byte = static_cast<unsigned char>(draw(255) + 1);
        std::memset(long_source_, byte, kLongBytes);
        shmem_ctx_putmem_nbi(ctx, area.long_slots[me][number_], long_source_, kLongBytes, pe);
        shmem_ctx_quiet(ctx);
        last_byte_[pe][a] = byte;
    }
    // Between reading and writing no other PE counts.
    static void count_under_lock() {
        shmem_set_lock(&lock);
        shmem_long_p(&guarded, shmem_long_g(&guarded, 0) + 1, 0);
        shmem_clear_lock(&lock);
        ++counted;
    }

    void check_slots_of(int pe, int a) const {
        const Area& area = *areas[a];
        long slots[kContexts][kSlots];
        shmem_getmem(slots, area.slots[me][number_], sizeof slots, pe);
        for (int i = 0; i < kContexts; ++i) {
            for (int k = 0; k < kSlots; ++k) {
                if (slots[i][k] != last_[pe][a][i][k])
                    fail("a slot", a, slots[i][k], last_[pe][a][i][k]);
            }
        }
        std::vector<unsigned char> bytes(kLongBytes);
        shmem_getmem(bytes.data(), area.long_slots[me][number_], kLongBytes, pe);
        for (const unsigned char byte : bytes) {
            if (byte != last_byte_[pe][a]) fail("a long slot", a, byte, last_byte_[pe][a]);
        }
    }

  public:
    static inline long counted = 0;

  private:
    const int number_;
    std::mt19937_64 random_;
    shmem_ctx_t contexts_[kContexts] = {};
    std::vector<Totals> totals_ = std::vector<Totals>(static_cast<std::size_t>(npes) * 2);
    long written_ = 0;
    long meetings_ = 0;
    int next_slot_[kPesMax][2][kContexts] = {};
    long last_[kPesMax][2][kContexts][kSlots] = {};
    unsigned char last_byte_[kPesMax][2] = {};
    unsigned char long_source_[kLongBytes] = {};
};

void check_equal(const char* what, int area, double is, long wanted) {
    if (is != static_cast<double>(wanted)) fail(what, area, static_cast<long>(is), wanted);
}

// The sums at this PE, of all PEs' operations. Xor is not additive, so the PEs' bits come apart.
void check_sums(std::vector<long>& bits_of_all) {
    for (int a = 0; a < 2; ++a) {
        const Area& area = *areas[a];
        const Totals& all = reduced[me * 2 + a];
        for (int k = 0; k < kSums; ++k) {
            if (area.sums[k] != all.sums[k]) fail("a sum", a, area.sums[k], all.sums[k]);
        }
        long bits = 0;
        for (int pe = 0; pe < npes; ++pe) {
            shmem_getmem(bits_of_all.data(), expected,
                         sizeof(Totals) * 2 * static_cast<size_t>(npes), pe);
            bits ^= reinterpret_cast<const Totals*>(bits_of_all.data())[me * 2 + a].xored;
        }
        if (area.xored != static_cast<std::uint32_t>(bits)) fail("xor", a, area.xored, bits);
        check_equal("the signal", a, static_cast<double>(area.added_signal), all.added_signal);
        for (int k = 0; k < kElements; ++k) {
            check_equal("a complex double", a, area.complex_doubles[2 * k + 1],
                        all.complex_doubles);
            check_equal("a complex float", a, area.between_words[2 + 2 * k], all.between_words);
            check_equal("a double", a, area.doubles[k], all.doubles);
            check_equal("a byte", a, area.bytes[k], static_cast<std::int8_t>(all.bytes));
        }
    }
}

void run_round(std::vector<Worker*>& workers, int operations) {
    if (workers.size() == 1) {
        workers[0]->run(operations);  // The worker's sessions stay open.
    } else {
        // A private context belongs to a thread.
        std::vector<std::thread> threads;
        for (Worker* worker : workers) {
            threads.emplace_back([=] {
                worker->begin();
                worker->run(operations);
                worker->end();
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    shmem_quiet();
    std::fill_n(expected, 2 * npes, Totals{});
    for (Worker* worker : workers) worker->add_totals();
    shmem_barrier_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, reinterpret_cast<long*>(reduced),
                          reinterpret_cast<const long*>(expected),
                          static_cast<std::size_t>(2 * npes * kTotals));
    std::vector<long> room(static_cast<std::size_t>(2 * npes * kTotals));
    check_sums(room);
    for (const Worker* worker : workers) worker->check_slots();
    shmem_barrier_all();
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    const int operations = argc > 2 ? std::atoi(argv[2]) : 100;
    const int count = argc > 3 ? std::min(std::atoi(argv[3]), kThreadsMax) : 1;
    int provided = 0;
    shmem_init_thread(count > 1 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
    npes = shmem_n_pes();
    me = shmem_my_pe();
    static std::uint64_t seed;
    if (me == 0) {
        const char* text = std::getenv("TESSERA_TEST_SEED");
        seed = text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
        std::printf("TESSERA_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
        std::fflush(stdout);
    }
    shmem_uint64_broadcast(SHMEM_TEAM_WORLD, &seed, &seed, 1, 0);
    areas[0] = static_cast<Area*>(shmem_calloc(1, sizeof(Area)));
    areas[1] = &static_area;
    expected = static_cast<Totals*>(shmem_calloc(2 * static_cast<size_t>(npes), sizeof(Totals)));
    reduced = static_cast<Totals*>(shmem_calloc(2 * static_cast<size_t>(npes), sizeof(Totals)));
    std::vector<Worker*> workers;
    for (int i = 0; i < count; ++i) workers.push_back(new Worker(i, seed));
    if (count == 1) workers[0]->begin();
    shmem_barrier_all();
    for (round_number = 1; round_number <= rounds; ++round_number) run_round(workers, operations);
    static long counted;
    counted = Worker::counted;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &counted, &counted, 1);
    if (me == 0 && guarded != counted) fail("the count under the lock", 0, guarded, counted);
    if (count == 1) workers[0]->end();
    for (Worker* worker : workers) delete worker;
    shmem_barrier_all();
    if (me == 0) std::printf("%d rounds of %d operations passed\n", rounds, operations * count);
    shmem_finalize();
    return 0;
}
