// SPDX-License-Identifier: BSD-3-Clause
//
// See execute.hpp: calls of one PE by itself, or of several without synchronisation.
#include <sched.h>

#include <bit>
#include <cstring>

#include "random/execute.hpp"
#include "random/random.hpp"

namespace tessera::random {
namespace {

const AtomicRoutines& atomic_row(int row) {
    return atomic_routines()[static_cast<std::size_t>(row)];
}

std::uint64_t cut(std::uint64_t value, std::uint32_t bytes) {
    return bytes == 4 ? value & 0xFFFFFFFFU : value;
}

std::size_t first_difference(const std::vector<unsigned char>& a,
                             const std::vector<unsigned char>& b) {
    std::size_t at = 0;
    while (a[at] == b[at]) ++at;
    return at;
}

}  // namespace

// Everything on the context is complete: buffers of nonblocking calls hold what they must.
void Executor::complete(int context) {
    std::erase_if(pending_, [&](const Pending& it) {
        if (it.context != context && !(is_default(it.context) && is_default(context))) return false;
        if (!it.expected.empty() && it.actual != it.expected) {
            const std::size_t at = first_difference(it.actual, it.expected);
            fail_at(*it.step, "after quiet, byte %zu of %zu is %#x, not %#x", at, it.actual.size(),
                    it.actual[at], it.expected[at]);
        }
        return true;
    });
}

void Executor::play(const Order& order) {
    if (order.pe != me_) return;
    const OptionalContext ctx = handle_of(order.context);
    switch (order.name) {
        case OrderName::kFence: return ctx != nullptr ? shmem_ctx_fence(*ctx) : shmem_fence();
        case OrderName::kQuiet: ctx != nullptr ? shmem_ctx_quiet(*ctx) : shmem_quiet(); break;
        case OrderName::kPeQuiet: {
            std::vector<int> pes;
            for (int pe : order.targets) pes.push_back(pe_in(order.context, pe));
            if (ctx != nullptr) {
                shmem_ctx_pe_quiet(*ctx, pes.data(), pes.size());
            } else {
                shmem_pe_quiet(pes.data(), pes.size());
            }
        }
    }
    complete(order.context);
}

// ---- Transfers ---------------------------------------------------------------------------------

void Executor::play(const Transfer& transfer) {
    if (transfer.pe != me_) return;
    const bool is_get = reads_remote(transfer.name);
    const bool is_nbi = transfer.name == TransferName::kPutNbi ||
                        transfer.name == TransferName::kGetNbi ||
                        transfer.name == TransferName::kPutSignalNbi;
    if (transfer.local.block != kPrivate) return start(transfer, address(transfer.local));

    Pending memory{.step = step_,
                   .context = transfer.context,
                   .actual = Model::private_source(transfer),
                   .expected = {}};
    if (is_get) {
        // The bytes between the elements must stay as they are.
        memory.expected = memory.actual;
        std::vector<unsigned char> packed(transfer.remote_layout.packed_bytes());
        gather(packed.data(), model_.memory(transfer.target, transfer.remote),
               transfer.remote_layout);
        scatter(memory.expected.data(), packed.data(), transfer.local_layout);
    }
    start(transfer, memory.actual.data());
    if (is_nbi) return pending_.push_back(std::move(memory));
    if (is_get && memory.actual != memory.expected) {
        const std::size_t at = first_difference(memory.actual, memory.expected);
        fail("byte %zu of %zu is %#x, not %#x", at, memory.actual.size(), memory.actual[at],
             memory.expected[at]);
    }
}

void Executor::start(const Transfer& transfer, unsigned char* local) {
    using enum TransferName;
    const RmaRoutines& row = rma_routines()[static_cast<std::size_t>(transfer.row)];
    const OptionalContext ctx = handle_of(transfer.context);
    const int pe = pe_in(transfer.context, transfer.target);
    unsigned char* remote = address(transfer.remote);
    const std::size_t nelems = transfer.remote_layout.run;
    const bool is_get = reads_remote(transfer.name);
    const Layout& dest = is_get ? transfer.local_layout : transfer.remote_layout;
    const Layout& source = is_get ? transfer.remote_layout : transfer.local_layout;
    const Strides strides{dest.stride, source.stride, dest.run, dest.runs};
    SignalArguments signal{nullptr, transfer.signal.value, transfer.signal.op};
    if (has_signal(transfer.name))
        signal.word = reinterpret_cast<std::uint64_t*>(address(transfer.signal.word));
    switch (transfer.name) {
        case kPut: return row.put(ctx, remote, local, nelems, pe);
        case kPutNbi: return row.put_nbi(ctx, remote, local, nelems, pe);
        case kGet: return row.get(ctx, local, remote, nelems, pe);
        case kGetNbi: return row.get_nbi(ctx, local, remote, nelems, pe);
        case kP: return row.p(ctx, remote, local, pe);
        case kG: return row.g(ctx, local, remote, pe);
        case kIput: return row.iput(ctx, remote, local, strides, pe);
        case kIget: return row.iget(ctx, local, remote, strides, pe);
        case kIbput: return row.ibput(ctx, remote, local, strides, pe);
        case kIbget: return row.ibget(ctx, local, remote, strides, pe);
        case kPutSignal: return row.put_signal(ctx, remote, local, nelems, signal, pe);
        case kPutSignalNbi: return row.put_signal_nbi(ctx, remote, local, nelems, signal, pe);
        case kStore:
        case kLoad: break;
    }
    // Loads and stores, where the system offers them.
    void* mapped = shmem_ptr(remote, transfer.target);
    if (mapped == nullptr) {
        return is_get ? row.get(ctx, local, remote, nelems, pe)
                      : row.put(ctx, remote, local, nelems, pe);
    }
    if (nelems == 0) return;  // The addresses may be null.
    std::memcpy(is_get ? local : mapped, is_get ? mapped : local, nelems);
}

void Executor::play(const SignalUpdate& update) {
    if (update.pe != me_) return;
    const OptionalContext ctx = handle_of(update.context);
    const int pe = pe_in(update.context, update.target);
    auto* word = reinterpret_cast<std::uint64_t*>(address(update.signal.word));
    const std::uint64_t value = update.signal.value;
    if (update.signal.op == SHMEM_SIGNAL_ADD) {
        ctx != nullptr ? shmem_ctx_signal_add(*ctx, word, value, pe)
                       : shmem_signal_add(word, value, pe);
    } else {
        ctx != nullptr ? shmem_ctx_signal_set(*ctx, word, value, pe)
                       : shmem_signal_set(word, value, pe);
    }
}

// ---- Atomics -----------------------------------------------------------------------------------

void Executor::play(const AtomicCall& call) {
    if (call.pe != me_) return;
    const AtomicRoutines& row = atomic_row(call.row);
    const AtomicArguments arguments{address(call.word), call.operand, call.condition,
                                    pe_in(call.context, call.target)};
    const OptionalContext ctx = handle_of(call.context);
    if (call.is_nbi) {
        Pending memory{.step = step_,
                       .context = call.context,
                       .actual = std::vector<unsigned char>(row.bytes),
                       .expected = {}};
        if (!call.is_contended) {
            memory.expected.resize(row.bytes);
            std::memcpy(memory.expected.data(), &old_value_, row.bytes);
        }
        row.call_nbi(ctx, call.name, memory.actual.data(), arguments);
        return pending_.push_back(std::move(memory));
    }
    const std::uint64_t value = row.call(ctx, call.name, arguments);
    if (!returns_value(call.name) || call.is_contended || value == old_value_) return;
    fail("it returned %#lx, not %#lx", value, old_value_);
}

// One ticket: the counter's value before it was raised.
std::uint64_t Executor::draw(const Tickets& tickets) {
    const AtomicRoutines& row = atomic_row(tickets.row);
    AtomicArguments counter{address(tickets.counter), 1, 0, tickets.target};
    switch (tickets.how) {
        case Tickets::How::kFetchInc: return row.call(nullptr, AtomicName::kFetchInc, counter);
        case Tickets::How::kFetchAdd: return row.call(nullptr, AtomicName::kFetchAdd, counter);
        case Tickets::How::kFetchIncNbi: {
            std::uint64_t ticket = 0;
            row.call_nbi(nullptr, AtomicName::kFetchInc, &ticket, counter);
            shmem_quiet();
            return ticket;
        }
        case Tickets::How::kCompareSwap: break;
    }
    std::uint64_t seen = row.call(nullptr, AtomicName::kFetch, counter);
    for (;;) {
        counter.condition = seen;
        counter.operand = seen + 1;
        const std::uint64_t now = row.call(nullptr, AtomicName::kCompareSwap, counter);
        if (now == seen) return seen;
        seen = now;
    }
}

void Executor::play(const Tickets& tickets) {
    const int index = tickets.pes.index_of(me_);
    if (index < 0) return;
    const std::uint32_t bytes = atomic_row(tickets.row).bytes;
    std::uint64_t total = 0;
    for (std::uint8_t count : tickets.counts) total += count;
    const std::uint64_t first = model_.word(tickets.target, tickets.counter, bytes) - total;
    for (int i = 0; i < tickets.counts[static_cast<std::size_t>(index)]; ++i) {
        const std::uint64_t ticket = cut(draw(tickets) - first, bytes);
        if (ticket >= total) fail("ticket %lu of %lu", ticket, total);
        auto* mark = reinterpret_cast<std::uint64_t*>(address(tickets.marks)) + ticket;
        shmem_uint64_p(mark, mark_of_ticket(ticket), tickets.target);
    }
}

void Executor::play(const TokenSwap& swap) {
    if (!swap.pes.contains(me_)) return;
    const AtomicRoutines& row = atomic_row(swap.row);
    const auto npes = static_cast<std::uint64_t>(swap.pes.size());
    const BlockOffset count_place{swap.words.block, swap.words.offset + 2 * row.bytes};
    const std::uint64_t first = model_.word(swap.target, count_place, row.bytes) - npes;
    AtomicArguments token{address(swap.words), swap.token(me_), 0, swap.target};
    AtomicArguments sum{address(swap.words) + row.bytes, 0, 0, swap.target};
    const AtomicArguments count{address(count_place), 0, 0, swap.target};
    sum.operand = row.call(nullptr, AtomicName::kSwap, token);
    row.call(nullptr, AtomicName::kAdd, sum);
    const std::uint64_t before = row.call(nullptr, AtomicName::kFetchInc, count);
    if (cut(before - first, row.bytes) != npes - 1) return;
    // The last one: no other PE has the remaining token.
    token.operand = 0;
    sum.operand = row.call(nullptr, AtomicName::kSwap, token);
    row.call(nullptr, AtomicName::kAdd, sum);
}

void Executor::play(const LockedAdd& add) {
    const int index = add.pes.index_of(me_);
    if (index < 0) return;
    long* lock = shared_.locks[add.lock];
    auto* words = reinterpret_cast<std::uint64_t*>(address(add.words));
    for (int i = 0; i < add.counts[static_cast<std::size_t>(index)]; ++i) {
        if (add.by_test) {
            while (shmem_test_lock(lock) != 0) ::sched_yield();
        } else {
            shmem_set_lock(lock);
        }
        std::uint64_t values[LockedAdd::kWords];
        const bool is_own = add.target == me_;
        if (is_own) {
            std::memcpy(values, words, sizeof values);
        } else {
            shmem_uint64_get(values, words, LockedAdd::kWords, add.target);
        }
        for (std::uint32_t k = 0; k < LockedAdd::kWords; ++k)
            values[k] += static_cast<std::uint64_t>(me_) + k;
        if (is_own) {
            std::memcpy(words, values, sizeof values);
        } else {
            shmem_uint64_put(words, values, LockedAdd::kWords, add.target);
        }
        shmem_clear_lock(lock);
    }
}

void Executor::play(const StoreValues& store) {
    if (store.pe != me_) return;
    reduce_routines()[static_cast<std::size_t>(store.row)].fill(address(store.place), store.nelems,
                                                                store.pattern);
}

// ---- Waits -------------------------------------------------------------------------------------

void Executor::play(const Wait& wait) {
    if (wait.pe != me_) return;
    auto* signal = reinterpret_cast<std::uint64_t*>(address(wait.words));
    const std::uint64_t value = wait.values[0];
    std::uint64_t seen = 0;
    switch (wait.form) {
        case Wait::Form::kRoutine: wait_by_routine(wait); break;
        case Wait::Form::kSignalWait:
            seen = shmem_signal_wait_until(signal, wait.cmp, value);
            break;
        case Wait::Form::kSignalFetch:
            do {
                seen = shmem_signal_fetch(signal);
                if ((seen == value) != (wait.cmp == SHMEM_CMP_EQ)) ::sched_yield();
            } while ((seen == value) != (wait.cmp == SHMEM_CMP_EQ));
            break;
        case Wait::Form::kAtomicFetch:
            while (shmem_uint64_atomic_fetch(signal, wait.target) != value) ::sched_yield();
            return;
    }
    const std::uint64_t expected = model_.word(me_, wait.words, 8);
    if (wait.form != Wait::Form::kRoutine && seen != expected)
        fail("the signal is %#lx, not %#lx", seen, expected);
    const std::uint32_t bytes =
        wait.form == Wait::Form::kRoutine ? atomic_row(wait.row).bytes : sizeof(std::uint64_t);
    for (int i = 0; i < wait.count; ++i) {
        if ((wait.included >> i & 1) == 0) continue;
        const BlockOffset place{wait.words.block,
                                wait.words.offset + static_cast<std::uint32_t>(i) * bytes};
        if (std::memcmp(address(place), model_.memory(me_, place), bytes) != 0)
            fail("word %d is not there yet, or wrong", i);
    }
}

// Until all included words have been reported.
void Executor::wait_by_routine(const Wait& wait) {
    const AtomicRoutines& row = atomic_row(wait.row);
    unsigned char values[Wait::kWordsMax * sizeof(std::uint64_t)];
    int status[Wait::kWordsMax];
    std::size_t indices[Wait::kWordsMax];
    for (int i = 0; i < wait.count; ++i) {
        std::memcpy(values + static_cast<std::size_t>(i) * row.bytes,
                    &wait.values[static_cast<std::size_t>(i)], row.bytes);
        status[i] = (wait.included >> i & 1) == 0 ? 1 : 0;
    }
    const WaitArguments arguments{address(wait.words),
                                  static_cast<std::size_t>(wait.count),
                                  status,
                                  wait.cmp,
                                  values,
                                  indices};
    const bool is_test = wait.name == WaitName::kTest || wait.name == WaitName::kTestAll;
    const bool is_one = wait.name == WaitName::kAny || wait.name == WaitName::kTestAny;
    const bool is_some = wait.name == WaitName::kSome || wait.name == WaitName::kTestSome;
    auto left = static_cast<std::size_t>(std::popcount(wait.included));
    auto note = [&](std::size_t index) {
        if (index >= arguments.count || status[index] != 0) fail("it gave index %zu", index);
        status[index] = 2;
        --left;
    };
    if (!is_one && !is_some) {
        while (row.wait(wait.name, wait.is_vector, arguments) == 0 && is_test) ::sched_yield();
        return;
    }
    while (left > 0) {
        const std::size_t result = row.wait(wait.name, wait.is_vector, arguments);
        if (is_one && result != SIZE_MAX) note(result);
        if (is_some && result > left) fail("it gave %zu indices of %zu", result, left);
        for (std::size_t i = 0; is_some && i < result; ++i) note(indices[i]);
        const bool found = is_one ? result != SIZE_MAX : result != 0;
        if (!found && !(wait.name == WaitName::kTestAny || wait.name == WaitName::kTestSome))
            fail("it found nothing");
        if (!found) ::sched_yield();
    }
    // Nothing is left to wait for.
    const std::size_t none = row.wait(wait.name, wait.is_vector, arguments);
    if (none != (is_one ? SIZE_MAX : 0)) fail("it found a word in an empty set");
}

}  // namespace tessera::random
