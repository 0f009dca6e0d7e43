// SPDX-License-Identifier: BSD-3-Clause
//
// See context.hpp: signals, strided transfers and the slow paths to transports.
#include "core/context.hpp"

#include "base/fatal.hpp"
#include "core/runtime.hpp"
#include "shmem/signal.h"

namespace tessera {
namespace {

// The bytes from the first element to behind the last one. A span that no address space holds is
// returned as SIZE_MAX, which no segment contains.
std::size_t span_bytes(std::ptrdiff_t stride, const Strided& shape) {
    std::size_t span = 0;
    bool overflow =
        __builtin_mul_overflow(shape.blocks - 1, static_cast<std::size_t>(stride), &span);
    overflow |= __builtin_add_overflow(span, shape.block_elements, &span);
    overflow |= __builtin_mul_overflow(span, shape.element_bytes, &span);
    return overflow ? SIZE_MAX : span;
}

void check_strides(const Strided& shape, const char* where) {
    auto least = static_cast<std::ptrdiff_t>(shape.block_elements);
    if (shape.dest_stride < least || shape.source_stride < least) [[unlikely]] {
        fatal("%s: strides dst %td and sst %td must be at least the block size, %td", where,
              shape.dest_stride, shape.source_stride, least);
    }
}

// One element at a time, with a compile-time size so that each is one load and one store.
template <class Element>
void copy_elements(char* dest, const char* source, const Strided& shape) {
    const std::ptrdiff_t dest_step =
        shape.dest_stride * static_cast<std::ptrdiff_t>(sizeof(Element));
    const std::ptrdiff_t source_step =
        shape.source_stride * static_cast<std::ptrdiff_t>(sizeof(Element));
    for (std::size_t i = 0; i < shape.blocks; ++i) {
        Element element;
        std::memcpy(&element, source, sizeof element);
        std::memcpy(dest, &element, sizeof element);
        dest += dest_step;
        source += source_step;
    }
}

void copy_blocks(char* dest, const char* source, const Strided& shape) {
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    for (std::size_t i = 0; i < shape.blocks; ++i) {
        copy_bytes(dest, source, block_bytes);
        dest += shape.dest_stride * element;
        source += shape.source_stride * element;
    }
}

struct Bytes16 {
    std::uint64_t words[2];
};

void copy_strided(char* dest, const char* source, const Strided& shape) {
    if (shape.block_elements == 1) {
        switch (shape.element_bytes) {
            case 1: return copy_elements<std::uint8_t>(dest, source, shape);
            case 2: return copy_elements<std::uint16_t>(dest, source, shape);
            case 4: return copy_elements<std::uint32_t>(dest, source, shape);
            case 8: return copy_elements<std::uint64_t>(dest, source, shape);
            case 16: return copy_elements<Bytes16>(dest, source, shape);
            default: break;
        }
    }
    copy_blocks(dest, source, shape);
}

}  // namespace

TransportContext* Context::default_transport_context = nullptr;
Context collective_context;

void Context::put_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (char* remote = address_map.remote(dest, bytes, pe, where)) {
        return copy_bytes(remote, source, bytes);
    }
    transport(pe).put(context->transport_context(), dest, source, bytes, pe);
}

void Context::get_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (const char* remote = address_map.remote(source, bytes, pe, where)) {
        copy_bytes(dest, remote, bytes);
        return std::atomic_thread_fence(std::memory_order_acquire);
    }
    transport(pe).get(context->transport_context(), dest, source, bytes, pe);
}

void Context::put_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (char* remote = address_map.remote(dest, bytes, pe, where)) {
        return copy_bytes(remote, source, bytes);
    }
    transport(pe).put_nbi(context->transport_context(), dest, source, bytes, pe);
}

void Context::get_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (const char* remote = address_map.remote(source, bytes, pe, where)) {
        return copy_bytes(dest, remote, bytes);
    }
    transport(pe).get_nbi(context->transport_context(), dest, source, bytes, pe);
}

void Context::put_strided(void* dest, const void* source, const Strided& shape, int pe,
                          const char* where) const {
    pe = world_pe(pe, where);
    check_pe(pe, where);
    if (shape.blocks == 0 || shape.block_elements == 0) return;
    check_strides(shape, where);
    const auto* from = static_cast<const char*>(source);
    std::size_t span = span_bytes(shape.dest_stride, shape);
    if (char* remote = address_map.remote(dest, span, pe, where)) {
        copy_strided(remote, from, shape);
        return;
    }
    transport(pe).put_strided(transport_context(), dest, source, shape, pe);
}

void Context::get_strided(void* dest, const void* source, const Strided& shape, int pe,
                          const char* where) const {
    pe = world_pe(pe, where);
    check_pe(pe, where);
    if (shape.blocks == 0 || shape.block_elements == 0) return;
    check_strides(shape, where);
    auto* to = static_cast<char*>(dest);
    std::size_t span = span_bytes(shape.source_stride, shape);
    if (const char* remote = address_map.remote(source, span, pe, where)) {
        copy_strided(to, remote, shape);
        std::atomic_thread_fence(std::memory_order_acquire);
        return;
    }
    transport(pe).get_strided(transport_context(), dest, source, shape, pe);
}

// Payload and signal may take different paths: then the payload must have arrived before the signal
// is sent.
void Context::put_signal_slow_path(void* dest, const void* source, std::size_t bytes,
                                   const Signal& signal, int pe, const char* where) const {
    if (!address_map.needs_transport) {
        put(dest, source, bytes, pe, where);
        return update_signal(signal, pe, where);
    }
    const int target = world_pe(pe, where);
    check_pe(target, where);
    const bool data_is_mapped =
        bytes == 0 || address_map.remote(dest, bytes, target, where) != nullptr;
    const bool word_is_mapped =
        address_map.remote(signal.word, sizeof *signal.word, target, where) != nullptr;
    if (data_is_mapped || word_is_mapped) {
        put(dest, source, bytes, pe, where);
        if (data_is_mapped != word_is_mapped) quiet();
        return update_signal(signal, pe, where);
    }
    if (!is_aligned(signal.word)) fail_alignment(signal.word, sizeof *signal.word, where);
    if (!is_signal_op(signal.op)) fail_signal_op(signal.op, where);
    const AtomicOp op = signal.op == SHMEM_SIGNAL_SET ? AtomicOp::kSet : AtomicOp::kAdd;
    AtomicRequest update{.dest = signal.word, .op = op, .operand = signal.value};
    transport(target).put_signal(transport_context(), dest, source, bytes, update, target);
}

void Context::fail_signal_op(int op, const char* where) {
    fatal("%s: sig_op %d is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD", where, op);
}

}  // namespace tessera
