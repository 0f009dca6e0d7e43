// SPDX-License-Identifier: BSD-3-Clause
//
// See model.hpp. Collectives are in model_collectives.cpp.
#include "random/model.hpp"

#include <cstring>

#include "random/random.hpp"

namespace tessera::random {
namespace {

std::uint64_t mask_of(std::uint32_t bytes) { return bytes == 4 ? 0xFFFFFFFFU : ~std::uint64_t{0}; }

}  // namespace

void gather(unsigned char* packed, const unsigned char* memory, const Layout& layout) {
    if (layout.run == 0) return;
    for (std::uint32_t i = 0; i < layout.runs; ++i) {
        std::memcpy(packed, memory + layout.run_offset(i), layout.run_bytes());
        packed += layout.run_bytes();
    }
}

void scatter(unsigned char* memory, const unsigned char* packed, const Layout& layout) {
    if (layout.run == 0) return;
    for (std::uint32_t i = 0; i < layout.runs; ++i) {
        std::memcpy(memory + layout.run_offset(i), packed, layout.run_bytes());
        packed += layout.run_bytes();
    }
}

std::uint64_t atomic_result(const AtomicCall& call, std::uint32_t bytes, std::uint64_t old) {
    const std::uint64_t mask = mask_of(bytes);
    const std::uint64_t operand = call.operand & mask;
    switch (call.name) {
        case AtomicName::kFetch: return old;
        case AtomicName::kSet:
        case AtomicName::kSwap: return operand;
        case AtomicName::kCompareSwap: return old == (call.condition & mask) ? operand : old;
        case AtomicName::kFetchInc:
        case AtomicName::kInc: return (old + 1) & mask;
        case AtomicName::kFetchAdd:
        case AtomicName::kAdd: return (old + operand) & mask;
        case AtomicName::kFetchAnd:
        case AtomicName::kAnd: return old & operand;
        case AtomicName::kFetchOr:
        case AtomicName::kOr: return old | operand;
        case AtomicName::kFetchXor:
        case AtomicName::kXor: return old ^ operand;
    }
    return old;
}

Model::Model(int npes, std::uint64_t seed) : npes_(npes), seed_(seed), blocks_(kFirstHeapBlock) {
    resize(kStaticData, kStaticBytes, false);
    Block& psyncs = blocks_[kPsyncs];
    psyncs.bytes = kPsyncBytes * kPsyncCount;
    psyncs.memory.resize(std::size_t{psyncs.bytes} * static_cast<std::size_t>(npes));
    for (std::size_t at = 0; at < psyncs.memory.size(); at += sizeof(long)) {
        const long value = SHMEM_SYNC_VALUE;
        std::memcpy(&psyncs.memory[at], &value, sizeof value);
    }
}

std::uint64_t Model::apply(const Call& call) {
    if (const auto* atomic = std::get_if<AtomicCall>(&call)) return make(*atomic);
    std::visit([this](const auto& other) { make(other); }, call);
    return 0;
}

const unsigned char* Model::memory(int pe, BlockOffset place) const {
    const Block& block = blocks_[static_cast<std::size_t>(place.block)];
    return block.memory.data() + static_cast<std::size_t>(pe) * block.bytes + place.offset;
}
unsigned char* Model::change(int pe, BlockOffset place) {
    return const_cast<unsigned char*>(memory(pe, place));
}

std::uint64_t Model::word(int pe, BlockOffset place, std::uint32_t bytes) const {
    std::uint64_t value = 0;
    std::memcpy(&value, memory(pe, place), bytes);
    return value;
}
void Model::set_word(int pe, BlockOffset place, std::uint32_t bytes, std::uint64_t value) {
    std::memcpy(change(pe, place), &value, bytes);
}

std::vector<unsigned char> Model::private_source(const Transfer& transfer) {
    std::vector<unsigned char> bytes(transfer.local_layout.span_bytes());
    fill_pattern(bytes.data(), bytes.size(), transfer.pattern);
    return bytes;
}

void Model::make(const Transfer& transfer) {
    const Layout& local = transfer.local_layout;
    const bool is_private = transfer.local.block == kPrivate;
    if (reads_remote(transfer.name)) {
        if (is_private || local.run == 0) return;
        scratch_.resize(local.packed_bytes());
        gather(scratch_.data(), memory(transfer.target, transfer.remote), transfer.remote_layout);
        scatter(change(transfer.pe, transfer.local), scratch_.data(), local);
        return;
    }
    if (local.run > 0) {
        scratch_.resize(local.packed_bytes());
        if (is_private) {
            gather(scratch_.data(), private_source(transfer).data(), local);
        } else {
            gather(scratch_.data(), memory(transfer.pe, transfer.local), local);
        }
        scatter(change(transfer.target, transfer.remote), scratch_.data(), transfer.remote_layout);
    }
    if (has_signal(transfer.name)) update_signal(transfer.target, transfer.signal);
}

void Model::update_signal(int pe, const Signal& signal) {
    const std::uint64_t old = signal.op == SHMEM_SIGNAL_ADD ? word(pe, signal.word, 8) : 0;
    set_word(pe, signal.word, 8, old + signal.value);
}

void Model::make(const SignalUpdate& update) { update_signal(update.target, update.signal); }

std::uint64_t Model::make(const AtomicCall& call) {
    const std::uint32_t bytes = atomic_routines()[static_cast<std::size_t>(call.row)].bytes;
    const std::uint64_t old = word(call.target, call.word, bytes);
    set_word(call.target, call.word, bytes, atomic_result(call, bytes, old));
    return old;
}

void Model::make(const StoreValues& store) {
    const ReduceRoutines& routines = reduce_routines()[static_cast<std::size_t>(store.row)];
    routines.fill(change(store.pe, store.place), store.nelems, store.pattern);
}

void Model::make(const Tickets& tickets) {
    const std::uint32_t bytes = atomic_routines()[static_cast<std::size_t>(tickets.row)].bytes;
    std::uint64_t total = 0;
    for (int i = 0; i < tickets.pes.size(); ++i)
        total += tickets.counts[static_cast<std::size_t>(i)];
    for (std::uint32_t i = 0; i < total; ++i) {
        set_word(tickets.target, {tickets.marks.block, tickets.marks.offset + i * 8}, 8,
                 mark_of_ticket(i));
    }
    set_word(tickets.target, tickets.counter, bytes,
             word(tickets.target, tickets.counter, bytes) + total);
}

void Model::make(const TokenSwap& swap) {
    const std::uint32_t bytes = atomic_routines()[static_cast<std::size_t>(swap.row)].bytes;
    const BlockOffset token = swap.words;
    const BlockOffset sum = {token.block, token.offset + bytes};
    const BlockOffset count = {token.block, token.offset + 2 * bytes};
    std::uint64_t total = word(swap.target, sum, bytes) + word(swap.target, token, bytes);
    for (int pe : swap.pes) total += swap.token(pe);
    set_word(swap.target, sum, bytes, total);
    set_word(swap.target, token, bytes, 0);
    set_word(swap.target, count, bytes,
             word(swap.target, count, bytes) + static_cast<std::uint64_t>(swap.pes.size()));
}

void Model::make(const LockedAdd& add) {
    for (std::uint32_t i = 0; i < LockedAdd::kWords; ++i) {
        const BlockOffset place = {add.words.block, add.words.offset + i * 8};
        std::uint64_t value = word(add.target, place, 8);
        for (int k = 0; k < add.pes.size(); ++k) {
            value += add.counts[static_cast<std::size_t>(k)] *
                     (static_cast<std::uint64_t>(add.pes[k]) + i);
        }
        set_word(add.target, place, 8, value);
    }
}

// New memory has contents of its own on each PE; the executor stores the same there.
void Model::resize(int block, std::uint32_t bytes, bool is_zeroed) {
    const auto index = static_cast<std::size_t>(block);
    if (index >= blocks_.size()) blocks_.resize(index + 1);
    Block resized{bytes,
                  std::vector<unsigned char>(std::size_t{bytes} * static_cast<std::size_t>(npes_))};
    const Block& old = blocks_[index];
    for (int pe = 0; pe < npes_; ++pe) {
        unsigned char* memory = resized.memory.data() + static_cast<std::size_t>(pe) * bytes;
        const std::uint32_t kept = old.bytes < bytes ? old.bytes : bytes;
        if (!is_zeroed && kept < bytes) {
            fill_pattern(
                memory, bytes,
                mix(seed_ + static_cast<std::uint64_t>(block) * 64 + static_cast<std::uint64_t>(pe),
                    bytes));
        }
        if (kept > 0) std::memcpy(memory, this->memory(pe, {block, 0}), kept);
    }
    blocks_[index] = std::move(resized);
}

void Model::make(const EpochEnd& end) {
    if (end.kind != EpochEnd::Kind::kMemory) return;
    resize(end.memory.block, end.memory.bytes, end.memory.name == MemoryName::kCalloc);
}

}  // namespace tessera::random
