// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a strided or indexed transfer of some shape moves a wrong byte, touches one that is
// not its own, or is not complete or in order when it should be. Random shapes against a model:
//   shapes_test [SHAPES] [SEED]
// PE 0 prints the seed. In each round every PE moves a shape of its own to, or from, the PE at some
// distance; all PEs know all shapes.
#include <cstdio>
#include <cstdlib>

#include "runtime_layer/strided/shapes.hpp"
#include "support/pattern.hpp"

namespace {

using tessera::test::below;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::Lists;
using tessera::test::one_in;
using tessera::test::Random;
using tessera::test::regions;
using tessera::test::Shape;

constexpr std::size_t kBytesMax = 100000;
constexpr std::size_t kMargin = 64;
constexpr std::size_t kBufferBytes = kBytesMax + 2 * kMargin;

// Completion of a put.
enum class End : std::size_t { kBarrier, kQuiet, kFlag, kSignal, kEnds };

unsigned char* symmetric;  // heap or static data
alignas(16) unsigned char local[kBufferBytes];
unsigned char expected[kBufferBytes];
unsigned char source_there[kBufferBytes];  // contents of the other PE's local source
long flag;                                 // symmetric
// The signals of each operator: symmetric, in static data and in the heap.
struct Signals {
    std::uint64_t set = 0;
    std::uint64_t sum = 0;
};
Signals signals_here;
Signals* signals_of_heap;
std::uint64_t sums[2];  // expected
shmem_ctx_t contexts[2];

enum class Form { kBlocking, kNonblocking, kWithRequest };

// A transfer of one PE in one round. The same on all PEs that compute it.
struct Transfer {
    Transfer(unsigned long seed, std::size_t round, int pe)
        : random(seed * 1000003 + round * 4099 + static_cast<std::size_t>(pe)),
          is_list(one_in(random, 5)),
          form(static_cast<Form>(below(random, 3))),
          context(below(random, 3)),
          shift(below(random, kMargin)) {
        if (is_list) {
            lists =
                tessera::test::random_lists(random, one_in(random, 4) ? kBytesMax : 3000, kShift);
        } else {
            shape = tessera::test::random_shape(random, one_in(random, 4) ? kBytesMax : 20000);
        }
    }
    static constexpr std::ptrdiff_t kShift = 37;  // lists have negative offsets, too

    // The addresses that the call is given.
    unsigned char* dest(unsigned char* buffer) const {
        return buffer + shift + (is_list ? kShift : shape.dest.start);
    }
    const unsigned char* source(const unsigned char* buffer) const {
        return buffer + shift + (is_list ? kShift : shape.source.start);
    }
    void apply(unsigned char* to, const unsigned char* from) const {
        if (is_list) return model(to + shift + kShift, from + shift + kShift, lists);
        model(to + shift, from + shift, shape);
    }
    shmem_ctx_t ctx() const { return context == 0 ? SHMEM_CTX_DEFAULT : contexts[context - 1]; }
    std::string text() const {
        if (!is_list) return text_of(shape);
        return "lists of " + std::to_string(lists.dest.size()) + " and " +
               std::to_string(lists.source.size());
    }

    Random random;
    bool is_list;
    Form form;
    std::size_t context;  // 0: the default context, without a ctx argument
    std::size_t shift;
    Shape shape;
    Lists lists;
};

template <class Plain, class WithContext, class... Arguments>
void call(const Transfer& it, Plain plain, WithContext with_context, Arguments... arguments) {
    if (it.context == 0) return plain(arguments...);
    with_context(it.ctx(), arguments...);
}

shmemx_req_t request;

#define CALL(NAME, ...)                                                                  \
    (it.form == Form::kWithRequest                                                       \
         ? call(it, shmemx_##NAME##_req, shmemx_ctx_##NAME##_req, __VA_ARGS__, &request) \
     : it.form == Form::kNonblocking                                                     \
         ? call(it, shmemx_##NAME##_nbi, shmemx_ctx_##NAME##_nbi, __VA_ARGS__)           \
         : call(it, shmemx_##NAME, shmemx_ctx_##NAME, __VA_ARGS__))

void run(const Transfer& it, bool is_put, unsigned char* dest_buffer,
         const unsigned char* source_buffer, int pe) {
    void* dest = it.dest(dest_buffer);
    const void* source = it.source(source_buffer);
    if (it.is_list) {
        const auto& [to, from] = it.lists;
        return is_put ? CALL(put_indexed, dest, to.data(), to.size(), source, from.data(),
                             from.size(), pe)
                      : CALL(get_indexed, dest, to.data(), to.size(), source, from.data(),
                             from.size(), pe);
    }
    const Shape& shape = it.shape;
    const std::ptrdiff_t* to = shape.dest.strides.data();
    const std::ptrdiff_t* from = shape.source.strides.data();
    return is_put ? CALL(put_strided, dest, to, source, from, shape.extents.data(), shape.ndims(),
                         shape.element_bytes, pe)
                  : CALL(get_strided, dest, to, source, from, shape.extents.data(), shape.ndims(),
                         shape.element_bytes, pe);
}

constexpr const char* kForms[] = {"", "_nbi", "_req"};

// A put whose signal tells the target that all of it is there; a request makes no difference.
#define PUT_SIGNAL(NAME, ...)                                                  \
    (it.form == Form::kNonblocking                                             \
         ? call(it, shmemx_##NAME##_nbi, shmemx_ctx_##NAME##_nbi, __VA_ARGS__) \
         : call(it, shmemx_##NAME, shmemx_ctx_##NAME, __VA_ARGS__))

void put_with_signal(const Transfer& it, std::uint64_t* word, std::uint64_t value, int op, int pe) {
    void* dest = it.dest(symmetric);
    const void* source = it.source(local);
    if (it.is_list) {
        const auto& [to, from] = it.lists;
        return PUT_SIGNAL(put_indexed_signal, dest, to.data(), to.size(), source, from.data(),
                          from.size(), word, value, op, pe);
    }
    const Shape& shape = it.shape;
    PUT_SIGNAL(put_strided_signal, dest, shape.dest.strides.data(), source,
               shape.source.strides.data(), shape.extents.data(), shape.ndims(),
               shape.element_bytes, word, value, op, pe);
}

// All PEs set their signals, or add to them, in the same rounds.
void put_and_await_signal(const Transfer& mine, std::size_t round, int to) {
    const std::size_t memory = round / 2 % 2;
    Signals& signals = memory == 0 ? signals_here : *signals_of_heap;
    const bool is_set = round % 2 == 0;
    std::uint64_t* word = is_set ? &signals.set : &signals.sum;
    put_with_signal(mine, word, round, is_set ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD, to);
    if (!is_set) sums[memory] += round;
    shmem_signal_wait_until(word, SHMEM_CMP_EQ, is_set ? round : sums[memory]);
}

void compare(const unsigned char* actual, const Transfer& it, const char* what, std::size_t round) {
    const std::string wrong = difference(actual, expected, kBufferBytes);
    if (wrong.empty()) return;
    std::fprintf(stderr, "[pe %d of %d] round %zu, %s%s, context %zu, shift %zu: %s; %s\n",
                 shmem_my_pe(), shmem_n_pes(), round, what,
                 kForms[static_cast<std::size_t>(it.form)], it.context, it.shift, wrong.c_str(),
                 it.text().c_str());
    shmem_global_exit(1);
}

void check_put(unsigned long seed, std::size_t round, End end, int to, int from) {
    const int me = shmem_my_pe();
    const Transfer mine(seed, round, me);
    const Transfer theirs(seed, round, from);
    fill(local, kBufferBytes, me, to, round);
    std::memset(symmetric, kGuard, kBufferBytes);
    shmem_barrier_all();
    if (end == End::kSignal) {
        put_and_await_signal(mine, round, to);
    } else {
        run(mine, true, symmetric, local, to);
        if (mine.form == Form::kWithRequest) shmemx_req_wait(&request, SHMEMX_LOCAL);
    }
    if (mine.form != Form::kNonblocking) std::memset(local, 0, kBufferBytes);  // reusable
    if (end == End::kFlag) {
        shmem_ctx_fence(mine.ctx());
        shmem_ctx_long_p(mine.ctx(), &flag, static_cast<long>(round), to);
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, static_cast<long>(round));
    } else if (end != End::kSignal) {
        // Delivered, one way or the other.
        if (end == End::kQuiet && mine.form == Form::kWithRequest) {
            shmemx_req_wait(&request, SHMEMX_REMOTE);
        } else {
            shmem_ctx_quiet(mine.ctx());
        }
        shmem_sync_all();
    }
    std::memset(expected, kGuard, kBufferBytes);
    fill(source_there, kBufferBytes, from, me, round);
    theirs.apply(expected, source_there);
    compare(symmetric, theirs, "put", round);
    shmem_ctx_quiet(mine.ctx());
    shmem_barrier_all();
}

void check_get(unsigned long seed, std::size_t round, int from) {
    const int me = shmem_my_pe();
    const Transfer mine(seed, round, me);
    fill(symmetric, kBufferBytes, me, 0, round);
    std::memset(local, kGuard, kBufferBytes);
    shmem_barrier_all();
    run(mine, false, local, symmetric, from);
    if (mine.form == Form::kWithRequest) shmemx_req_wait(&request, SHMEMX_LOCAL);
    if (mine.form == Form::kNonblocking) shmem_ctx_quiet(mine.ctx());
    std::memset(expected, kGuard, kBufferBytes);
    fill(source_there, kBufferBytes, from, 0, round);
    mine.apply(expected, source_there);
    compare(local, mine, "get", round);
    shmem_barrier_all();
}

}  // namespace

int main(int argc, char** argv) {
    shmem_init();
    const std::size_t shapes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
    static unsigned long seed;  // symmetric
    if (shmem_my_pe() == 0) {
        seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : std::random_device{}();
        std::printf("%zu shapes, seed %lu\n", shapes, seed);
        std::fflush(stdout);
    }
    shmem_barrier_all();
    seed = shmem_ulong_g(&seed, 0);
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    shmem_ctx_create(0, &contexts[0]);
    shmem_ctx_create(SHMEM_CTX_SERIALIZED, &contexts[1]);
    signals_of_heap = static_cast<Signals*>(shmem_calloc(1, sizeof(Signals)));
    Random random(seed);
    for (std::size_t round = 1; round <= shapes; ++round) {
        symmetric = regions()[below(random, 2)].data;
        const auto distance = static_cast<int>(below(random, static_cast<std::size_t>(npes)));
        if (one_in(random, 2)) {
            const auto end = static_cast<End>(below(random, static_cast<std::size_t>(End::kEnds)));
            check_put(seed, round, end, (me + distance) % npes, (me - distance + npes) % npes);
        } else {
            check_get(seed, round, (me + distance) % npes);
        }
    }
    shmem_finalize();
    return 0;
}
