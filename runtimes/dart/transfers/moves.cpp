// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of a move, and the moves. Where the blocks of one side are whole multiples of the
// other side's, as they are for nearly all transfers, both sides are sections of arrays
// (shmemx_put_strided); else they are lists of blocks (shmemx_put_indexed).
#include "transfers/moves.hpp"

#include <cstring>

#include "core/log.hpp"
#include "core/lookup.hpp"
#include "core/types.hpp"
#include "transfers/layout.hpp"
#include "transfers/ordering.hpp"
#include "transfers/pending.hpp"
#include "transfers/polling.hpp"
#include "transfers/target.hpp"

namespace tessera::dart {

namespace {

dart_ret_t fail_types(const Move& what, const char* routine) {
    return fail(DART_ERR_INVAL, routine,
                "%zu elements from type %ld to type %ld are not possible: types of the same base, "
                "and whole blocks of both, are",
                what.elements, static_cast<long>(what.source_type),
                static_cast<long>(what.dest_type));
}

// The own part of a registered segment. Source and destination may be the same memory.
void copy_own(const Move& what, const Target& target, std::size_t bytes) {
    if (what.direction == Direction::kPut) {
        std::memmove(target.mapped, what.local, bytes);
    } else {
        std::memmove(what.local, target.mapped, bytes);
        note_poll(target.mapped);
    }
}

void put_bytes(const Move& what, const Target& target, std::size_t bytes) {
    switch (what.completion) {
        case Completion::kBlocking:
            // The source stays until it is delivered, so nothing need be copied.
            shmem_putmem_nbi(target.address, what.local, bytes, target.pe);
            shmem_pe_quiet(&target.pe, 1);
            break;
        case Completion::kByFlush:
            shmem_putmem_nbi(target.address, what.local, bytes, target.pe);
            pending.note();
            break;
        case Completion::kByHandle:
            shmemx_putmem_req(target.address, what.local, bytes, target.pe,
                              request_of(what.handle));
            pending.note();
            break;
    }
}

void get_bytes(const Move& what, const Target& target, std::size_t bytes) {
    switch (what.completion) {
        case Completion::kBlocking:
            shmem_getmem(what.local, target.address, bytes, target.pe);
            break;
        case Completion::kByFlush:
            shmem_getmem_nbi(what.local, target.address, bytes, target.pe);
            pending.note();
            break;
        case Completion::kByHandle:
            shmemx_getmem_req(what.local, target.address, bytes, target.pe,
                              request_of(what.handle));
            pending.note();
            break;
    }
}

void move_bytes(const Move& what, const Target& target, std::size_t bytes) {
    if (target.mapped != nullptr) {
        copy_own(what, target, bytes);
    } else if (what.direction == Direction::kPut) {
        put_bytes(what, target, bytes);
    } else {
        get_bytes(what, target, bytes);
    }
}

// Calls one of six routines: `NAME` with its arguments in front of the target's number.
#define CALL(NAME, COMPLETION, HANDLE, ...)                                             \
    switch (COMPLETION) {                                                               \
        case Completion::kBlocking: return NAME(__VA_ARGS__);                           \
        case Completion::kByFlush: return NAME##_nbi(__VA_ARGS__);                      \
        case Completion::kByHandle: return NAME##_req(__VA_ARGS__, request_of(HANDLE)); \
    }

void move_section(const Move& what, const Target& target, const Section& section) {
    if (what.direction == Direction::kPut) {
        CALL(shmemx_put_strided, what.completion, what.handle, target.address, section.dest_strides,
             what.local, section.source_strides, section.extents, 2, section.element_bytes,
             target.pe)
    } else {
        CALL(shmemx_get_strided, what.completion, what.handle, what.local, section.dest_strides,
             target.address, section.source_strides, section.extents, 2, section.element_bytes,
             target.pe)
    }
}

void move_lists(const Move& what, const Target& target, const Types& types) {
    const auto source = blocks_of(*types.source, what.elements);
    const auto dest = blocks_of(*types.dest, what.elements);
    if (what.direction == Direction::kPut) {
        CALL(shmemx_put_indexed, what.completion, what.handle, target.address, dest.data(),
             dest.size(), what.local, source.data(), source.size(), target.pe)
    } else {
        CALL(shmemx_get_indexed, what.completion, what.handle, what.local, dest.data(), dest.size(),
             target.address, source.data(), source.size(), target.pe)
    }
}
#undef CALL

// Elements of two types with the same base, at least one of which has blocks.
void move_blocks(const Move& what, const Target& target, const Types& types) {
    Section section;
    if (find_section(types, what.elements, section)) {
        move_section(what, target, section);
    } else {
        move_lists(what, target, types);
    }
    if (what.completion != Completion::kBlocking) {
        (target.mapped != nullptr ? left_on_node : pending).note();
    } else if (target.mapped != nullptr) {
        return;
    } else if (what.direction == Direction::kPut) {
        shmem_pe_quiet(&target.pe, 1);
    }
}

}  // namespace

dart_ret_t check_own_side(const Move& what, const char* routine) {
    if (what.handle != nullptr) {
        *what.handle = DART_HANDLE_NULL;
    } else if (what.completion == Completion::kByHandle) {
        return fail(DART_ERR_INVAL, routine, "the place for the handle is NULL");
    }
    if (what.local == nullptr && what.elements > 0)
        return fail(DART_ERR_INVAL, routine, "the own memory is NULL");
    return DART_OK;
}

dart_ret_t move(const Move& what, const char* routine) {
    if (const dart_ret_t result = check_own_side(what, routine); result != DART_OK) return result;
    Types types{};
    if (!find_types(what.source_type, what.dest_type, what.elements, types))
        return fail_types(what, routine);
    const Type& remote = what.direction == Direction::kPut ? *types.dest : *types.source;
    std::size_t extent = 0;
    Target target;
    if (!extent_of(remote, what.elements, extent)) return fail_types(what, routine);
    if (!find_target(what.gptr, extent, routine, target)) return bad_argument();
    if (what.elements == 0) return DART_OK;
    if (what.direction == Direction::kGet) order_before_load();
    if (types.are_contiguous()) {
        move_bytes(what, target, extent);
    } else {
        move_blocks(what, target, types);
    }
    if (what.direction == Direction::kPut && target.mapped != nullptr) note_store(what.completion);
    return DART_OK;
}

}  // namespace tessera::dart
