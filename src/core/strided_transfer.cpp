// SPDX-License-Identifier: BSD-3-Clause
//
// See strided_transfer.hpp; and the strided routines of the specification, which are sections of
// one dimension.
#include "core/strided_transfer.hpp"

#include "base/cancellation.hpp"
#include "base/fatal.hpp"
#include "shmemx/strided.h"

namespace tessera {
namespace {

static_assert(kDimensionsMax == SHMEMX_NDIMS_MAX);

// ---- Checks ----

void check_not_null(const void* array, const char* name, const char* where) {
    if (array == nullptr) [[unlikely]]
        fatal("%s: %s is NULL; pass an array", where, name);
}

[[noreturn]] TESSERA_COLD void fail_span(const char* side, const char* where) {
    fatal(
        "%s: extents, %s_strides and element_bytes reach over more bytes than any memory has; "
        "check them",
        where, side);
}

// RETURNS: whether there is anything to move.
bool check_shape(const StridedArguments& arguments, const char* where) {
    if (arguments.ndims < 0 || arguments.ndims > kDimensionsMax) [[unlikely]]
        fatal("%s: ndims %d is not in [0, %d]", where, arguments.ndims, kDimensionsMax);
    if (arguments.ndims > 0) {
        check_not_null(arguments.extents, "extents", where);
        check_not_null(arguments.dest_strides, "dest_strides", where);
        check_not_null(arguments.source_strides, "source_strides", where);
    }
    bool is_empty = arguments.element_bytes == 0;
    for (int i = 0; i < arguments.ndims; ++i) is_empty |= arguments.extents[i] == 0;
    if (is_empty) return false;
    check_not_null(arguments.dest, "dest", where);
    check_not_null(arguments.source, "source", where);
    return true;
}

// The check finds a dimension that overlaps alone, not dimensions that overlap only together.
void check_dest_strides(const StridedArguments& arguments, const char* where) {
    const auto least = static_cast<std::ptrdiff_t>(arguments.element_bytes);
    for (int i = 0; i < arguments.ndims; ++i) {
        const std::ptrdiff_t stride = arguments.dest_strides[i];
        if (arguments.extents[i] == 1 || stride >= least || stride <= -least) continue;
        fatal(
            "%s: dest_strides[%d] is %td, so elements of %zu bytes overlap in dest; each element "
            "of dest is written once",
            where, i, stride, arguments.element_bytes);
    }
}

// ---- One dimension: shmem_iput and its kin ----

void check_strides(const Strided& shape, const char* where) {
    auto least = static_cast<std::ptrdiff_t>(shape.block_elements);
    if (shape.dest_stride < least || shape.source_stride < least) [[unlikely]] {
        fatal("%s: strides dst %td and sst %td must be at least the block size, %td", where,
              shape.dest_stride, shape.source_stride, least);
    }
}

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

// REQUIRES: the span of the remote side is that of memory.
Section section_of(const Strided& shape, std::ptrdiff_t remote_stride, std::ptrdiff_t local_stride,
                   Joining joining) {
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    return make_section(shape.block_elements * shape.element_bytes, shape.blocks,
                        remote_stride * element, local_stride * element, joining);
}

// ---- The ways ----

// Orders a get before the program's next loads. Pairs with core/context.hpp:fence.
void finish_get() { std::atomic_thread_fence(std::memory_order_acquire); }

// Calls start(transport, operation), and gives the program the request of that operation.
template <class Start>
void with_request(const TransferForm& form, const void* remote, int pe, const char* where,
                  Start start) {
    Request& request = open_request(where);
    start(Context::transport(pe, remote), request.operation);
    *form.request = publish(request);
}

// The parts of a put travel with those of others, so its delivery is that of all issued so far.
void put_section_req(const Context& context, char* dest, const char* source, const Section& section,
                     const TransferForm& form, int pe, const char* where) {
    TransportContext& under_way = context.transport_context();
    with_request(form, dest, pe, where, [&](Transport& transport, Operation& operation) {
        if (section.ndims == 0)
            return transport.put_tracked(under_way, dest, source, section.run_bytes, pe, operation);
        transport.put_section(under_way, dest, source, section, Returns::kComplete, pe);
        transport.track_issued(under_way, pe, operation);
    });
}

void get_section_req(const Context& context, const char* source, char* dest, const Section& section,
                     const TransferForm& form, int pe, const char* where) {
    TransportContext& under_way = context.transport_context();
    with_request(form, source, pe, where, [&](Transport& transport, Operation& operation) {
        if (section.ndims == 0)
            return transport.get_tracked(under_way, dest, source, section.run_bytes, pe, operation);
        transport.get_section_tracked(under_way, source, dest, section, pe, operation);
    });
}

void put_section(const Context& context, char* dest, const char* source, const Section& section,
                 Returns returns, int pe) {
    TransportContext& under_way = context.transport_context();
    Transport& transport = Context::transport(pe, dest);
    if (section.ndims > 0)
        return transport.put_section(under_way, dest, source, section, returns, pe);
    if (returns == Returns::kAtOnce)
        return transport.put_nbi(under_way, dest, source, section.run_bytes, pe);
    transport.put(under_way, dest, source, section.run_bytes, pe);
}

void get_section(const Context& context, const char* source, char* dest, const Section& section,
                 Returns returns, int pe) {
    TransportContext& under_way = context.transport_context();
    Transport& transport = Context::transport(pe, source);
    if (section.ndims > 0)
        return transport.get_section(under_way, source, dest, section, returns, pe);
    if (returns == Returns::kAtOnce)
        return transport.get_nbi(under_way, dest, source, section.run_bytes, pe);
    transport.get(under_way, dest, source, section.run_bytes, pe);
}

}  // namespace

const void* transfer(const Context& context, const StridedArguments& arguments, TransferForm form,
                     int pe, const char* where) {
    if (form.request != nullptr) *form.request = SHMEMX_REQ_COMPLETE;
    pe = context.world_pe(pe, where);
    check_pe(pe, where);
    if (!check_shape(arguments, where)) return nullptr;
    check_dest_strides(arguments, where);
    const bool is_put = form.direction == Direction::kPut;
    const SectionShape shape{
        .extents = arguments.extents,
        .remote_strides = is_put ? arguments.dest_strides : arguments.source_strides,
        .local_strides = is_put ? arguments.source_strides : arguments.dest_strides,
        .ndims = arguments.ndims,
        .element_bytes = arguments.element_bytes};
    if (span_of(shape, arguments.dest_strides) == SIZE_MAX) fail_span("dest", where);
    if (span_of(shape, arguments.source_strides) == SIZE_MAX) fail_span("source", where);
    const Section section = make_section(shape);
    char* dest = static_cast<char*>(arguments.dest);
    // const_cast: of a put it is only read.
    char* source = static_cast<char*>(const_cast<void*>(arguments.source));
    char* remote = (is_put ? dest : source) + section.remote_start;
    char* local = (is_put ? source : dest) + section.local_start;
    if (char* mapped =
            address_map.remote(remote, section.remote_span(), pe, where, form.direction)) {
        const std::size_t bytes = section.run_bytes * section.remote_runs().count();
        const Section* shape_of_rows = section.ndims > 0 ? &section : nullptr;
        if (leave_to_others(context, {remote, local, mapped}, bytes, shape_of_rows, form, pe,
                            where)) {
            return remote;
        }
        copy_section(mapped, local, section, form.direction);
        if (!is_put) finish_get();
    } else if (is_put && form.request != nullptr) {
        put_section_req(context, remote, local, section, form, pe, where);
    } else if (is_put) {
        put_section(context, remote, local, section, form.returns, pe);
    } else if (form.request != nullptr) {
        get_section_req(context, remote, local, section, form, pe, where);
    } else {
        get_section(context, remote, local, section, form.returns, pe);
    }
    return remote;
}

void Context::put_strided(void* dest, const void* source, const Strided& shape, int pe,
                          const char* where) const {
    pe = world_pe(pe, where);
    check_pe(pe, where);
    if (shape.blocks == 0 || shape.block_elements == 0) return;
    check_strides(shape, where);
    char* remote = address_map.remote(dest, span_bytes(shape.dest_stride, shape), pe, where);
    // Each element is stored whole (docs/run/conformance.md, words that programs wait for).
    const bool has_words = shape.block_elements == 1 && shape.element_bytes <= sizeof(long);
    const Section section = section_of(shape, shape.dest_stride, shape.source_stride,
                                       has_words ? Joining::kForbidden : Joining::kAllowed);
    const auto* from = static_cast<const char*>(source);
    if (remote != nullptr)
        return copy_section(remote, const_cast<char*>(from), section, Direction::kPut);
    put_section(*this, static_cast<char*>(dest), from, section, Returns::kComplete, pe);
}

void Context::get_strided(void* dest, const void* source, const Strided& shape, int pe,
                          const char* where) const {
    pe = world_pe(pe, where);
    check_pe(pe, where);
    if (shape.blocks == 0 || shape.block_elements == 0) return;
    check_strides(shape, where);
    char* remote = address_map.remote(source, span_bytes(shape.source_stride, shape), pe, where,
                                      Direction::kGet);
    const Section section =
        section_of(shape, shape.source_stride, shape.dest_stride, Joining::kAllowed);
    auto* to = static_cast<char*>(dest);
    if (remote == nullptr) {
        return get_section(*this, static_cast<const char*>(source), to, section, Returns::kComplete,
                           pe);
    }
    copy_section(remote, to, section, Direction::kGet);
    finish_get();
}

// ---- Lists of blocks ----

namespace {

static_assert(sizeof(Block) == sizeof(shmemx_block_t) &&
              offsetof(Block, bytes) == offsetof(shmemx_block_t, bytes));

// From the lowest byte of the blocks to behind the highest, and their bytes together.
struct Reach {
    std::ptrdiff_t low = PTRDIFF_MAX;
    std::ptrdiff_t high = PTRDIFF_MIN;
    std::size_t bytes = 0;

    std::size_t span() const { return static_cast<std::size_t>(high - low); }
};

Reach reach_of(std::span<const Block> blocks, const char* name, const char* where) {
    Reach reach;
    for (const Block& block : blocks) {
        if (block.bytes == 0) continue;
        std::ptrdiff_t end = 0;
        std::ptrdiff_t span = 0;
        const bool is_too_large = __builtin_add_overflow(block.offset, block.bytes, &end) ||
                                  __builtin_add_overflow(reach.bytes, block.bytes, &reach.bytes) ||
                                  __builtin_sub_overflow(std::max(reach.high, end),
                                                         std::min(reach.low, block.offset), &span);
        if (is_too_large) {
            fatal("%s: %s[%td], of %zu bytes at offset %td, lies in no memory; check the list",
                  where, name, &block - blocks.data(), block.bytes, block.offset);
        }
        reach.low = std::min(reach.low, block.offset);
        reach.high = std::max(reach.high, end);
    }
    return reach;
}

void check_list(std::span<const Block> blocks, const char* name, const char* where) {
    if (!blocks.empty()) check_not_null(blocks.data(), name, where);
}

void copy_pieces(char* remote, char* local, BlockPairs pieces, Direction direction) {
    for (; !pieces.is_at_end(); pieces.advance()) {
        const auto [there, here, bytes] = pieces.piece();
        if (direction == Direction::kPut) {
            copy_bytes(remote + there, local + here, bytes);
        } else {
            copy_bytes(local + here, remote + there, bytes);
        }
    }
}

}  // namespace

const void* transfer(const Context& context, const IndexedArguments& arguments, TransferForm form,
                     int pe, const char* where) {
    if (form.request != nullptr) *form.request = SHMEMX_REQ_COMPLETE;
    pe = context.world_pe(pe, where);
    check_pe(pe, where);
    check_list(arguments.dest_blocks, "dest_blocks", where);
    check_list(arguments.source_blocks, "source_blocks", where);
    const Reach to = reach_of(arguments.dest_blocks, "dest_blocks", where);
    const Reach from = reach_of(arguments.source_blocks, "source_blocks", where);
    if (to.bytes != from.bytes) {
        fatal("%s: dest_blocks have %zu bytes together, source_blocks %zu; pass lists of as many",
              where, to.bytes, from.bytes);
    }
    if (to.bytes == 0) return nullptr;
    check_not_null(arguments.dest, "dest", where);
    check_not_null(arguments.source, "source", where);
    const bool is_put = form.direction == Direction::kPut;
    const BlockPairs pieces = is_put ? BlockPairs(arguments.dest_blocks, arguments.source_blocks)
                                     : BlockPairs(arguments.source_blocks, arguments.dest_blocks);
    char* dest = static_cast<char*>(arguments.dest);
    char* source = static_cast<char*>(const_cast<void*>(arguments.source));
    char* remote = is_put ? dest : source;
    char* local = is_put ? source : dest;
    const Reach& there = is_put ? to : from;
    const char* lowest = remote + there.low;
    if (char* mapped = address_map.remote(lowest, there.span(), pe, where, form.direction)) {
        copy_pieces(mapped - there.low, local, pieces, form.direction);
        if (!is_put) finish_get();
        return lowest;
    }
    TransportContext& under_way = context.transport_context();
    if (form.request != nullptr) {
        with_request(form, lowest, pe, where, [&](Transport& transport, Operation& operation) {
            if (!is_put) {
                return transport.get_pieces_tracked(under_way, remote, local, pieces, pe,
                                                    operation);
            }
            transport.put_pieces(under_way, remote, local, pieces, Returns::kComplete, pe);
            transport.track_issued(under_way, pe, operation);
        });
    } else if (is_put) {
        Context::transport(pe, lowest)
            .put_pieces(under_way, remote, local, pieces, form.returns, pe);
    } else {
        Context::transport(pe, lowest)
            .get_pieces(under_way, remote, local, pieces, form.returns, pe);
    }
    return lowest;
}

// ---- With a signal ----

namespace {

// The update of the signal, which comes next, stays behind a put that has been issued.
void order_signal_behind(const Context& context, const void* data, const Signal& signal, int pe,
                         const char* where) {
    const bool data_is_mapped = address_map.remote(data, 1, pe, where) != nullptr;
    const bool word_is_mapped =
        address_map.remote(signal.word, sizeof *signal.word, pe, where) != nullptr;
    if (data_is_mapped && word_is_mapped) return;  // The update releases what is stored.
    // A transport orders its own operations only.
    const bool is_one_way =
        data_is_mapped == word_is_mapped && Context::goes_one_way(data, signal.word, pe);
    is_one_way ? context.fence() : context.quiet();
}

}  // namespace

// The checks of the signal come first.
template <class Arguments>
void put_with_signal(const Context& context, const Arguments& arguments, Returns returns,
                     const Signal& signal, int pe, const char* where) {
    const int target = context.world_pe(pe, where);
    check_pe(target, where);
    Context::signal_update(signal, where);
    address_map.remote(signal.word, sizeof *signal.word, target, where);
    // Others take signals behind contiguous data only (core/context.cpp:leave_put_signal).
    if (address_map.offload != nullptr) returns = Returns::kComplete;
    {
        const NoCancellationPoint not_between_data_and_signal;
        const void* data = transfer(context, arguments, {Direction::kPut, returns}, pe, where);
        if (data != nullptr) order_signal_behind(context, data, signal, target, where);
        context.update_signal(signal, pe, where);
    }
    if (address_map.fabric != nullptr) Context::offer_end(context.transport_context());
}
template void put_with_signal(const Context&, const StridedArguments&, Returns, const Signal&, int,
                              const char*);
template void put_with_signal(const Context&, const IndexedArguments&, Returns, const Signal&, int,
                              const char*);

}  // namespace tessera
