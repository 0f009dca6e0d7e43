// SPDX-License-Identifier: BSD-3-Clause
//
// Notified puts (dart_tessera.h): OpenSHMEM's put with signal. A put between two layouts is a put,
// a fence and a signal.
#include <dash/dart/if/dart_tessera.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstdint>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "core/requests.hpp"
#include "core/types.hpp"
#include "transfers/moves.hpp"
#include "transfers/ordering.hpp"
#include "transfers/pending.hpp"
#include "transfers/target.hpp"

namespace tessera::dart {
namespace {

// A word and its change.
struct Notification {
    dart_gptr_t word;
    dart_notify_t how;
    std::uint64_t value;
};

bool find_word(const dart_gptr_t& word, const char* routine, Target& target) {
    return find_elements(word, 1, sizeof(std::uint64_t), routine, target);
}

// The same for a word of the calling unit.
bool find_own_word(const dart_gptr_t& word, const char* routine, Target& target) {
    if (!find_word(word, routine, target)) return false;
    if (target.pe != my_unit()) {
        fail(DART_ERR_INVAL, routine,
             "the word belongs to unit %d, and only that unit waits for it", target.pe);
        return false;
    }
    return true;
}

std::uint64_t* word_at(const Target& target) {
    return reinterpret_cast<std::uint64_t*>(target.address);
}

// Bytes of elements that lie one behind the other on both sides; nothing: they do not.
bool find_bytes(const Move& what, std::size_t& bytes) {
    return what.source_type == what.dest_type &&
           !__builtin_mul_overflow(contiguous_bytes(what.source_type), what.elements, &bytes) &&
           (bytes > 0 || what.elements == 0);
}

void put_with_signal(const Move& what, std::size_t bytes, const Target& target, const Target& word,
                     const Notification& notification, int sig_op) {
    if (what.handle == nullptr) {
        shmem_putmem_signal_nbi(target.address, what.local, bytes, word_at(word),
                                notification.value, sig_op, target.pe);
    } else {
        shmemx_putmem_signal_req(target.address, what.local, bytes, word_at(word),
                                 notification.value, sig_op, target.pe, request_of(what.handle));
    }
    (target.mapped != nullptr ? left_on_node : pending).note();
    note_store(what.completion);
}

// One message carries no elements that have two layouts.
dart_ret_t put_and_signal(Move what, const Target& word, const Notification& notification,
                          int sig_op, const char* routine) {
    const bool has_handle = what.handle != nullptr;
    what.completion = Completion::kByFlush;
    what.handle = nullptr;
    if (const dart_ret_t result = move(what, routine); result != DART_OK) return result;
    shmem_fence();
    if (sig_op == SHMEM_SIGNAL_SET) {
        shmem_signal_set(word_at(word), notification.value, word.pe);
    } else {
        shmem_signal_add(word_at(word), notification.value, word.pe);
    }
    if (has_handle) shmem_pe_quiet(&word.pe, 1);
    return DART_OK;
}

dart_ret_t put_notify(const Move& what, const Notification& notification, const char* routine) {
    if (const dart_ret_t result = check_own_side(what, routine); result != DART_OK) return result;
    if (notification.how != DART_NOTIFY_SET && notification.how != DART_NOTIFY_ADD) {
        return fail(DART_ERR_INVAL, routine, "%d is neither DART_NOTIFY_SET nor DART_NOTIFY_ADD",
                    notification.how);
    }
    std::size_t bytes = 0;
    const bool has_bytes = find_bytes(what, bytes);
    Target target;
    Target word;
    if (!find_target(what.gptr, bytes, routine, target) ||
        !find_word(notification.word, routine, word)) {
        return bad_argument();
    }
    if (target.pe != word.pe) {
        return fail(DART_ERR_INVAL, routine,
                    "the elements go to unit %d, and the word belongs to unit %d", target.pe,
                    word.pe);
    }
    const int sig_op = notification.how == DART_NOTIFY_SET ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD;
    if (!has_bytes) return put_and_signal(what, word, notification, sig_op, routine);
    put_with_signal(what, bytes, target, word, notification, sig_op);
    return DART_OK;
}

}  // namespace

DART_ENTRY dart_ret_t dart_put_notify(dart_gptr_t gptr, const void* src, size_t nelem,
                                      dart_datatype_t src_type, dart_datatype_t dst_type,
                                      dart_gptr_t word, dart_notify_t how, uint64_t value) {
    return put_notify({.direction = Direction::kPut,
                       .completion = Completion::kByFlush,
                       .local = const_cast<void*>(src),
                       .gptr = gptr,
                       .elements = nelem,
                       .source_type = src_type,
                       .dest_type = dst_type},
                      {word, how, value}, __func__);
}

DART_ENTRY dart_ret_t dart_put_notify_handle(dart_gptr_t gptr, const void* src, size_t nelem,
                                             dart_datatype_t src_type, dart_datatype_t dst_type,
                                             dart_gptr_t word, dart_notify_t how, uint64_t value,
                                             dart_handle_t* handle) {
    return put_notify({.direction = Direction::kPut,
                       .completion = Completion::kByHandle,
                       .local = const_cast<void*>(src),
                       .gptr = gptr,
                       .elements = nelem,
                       .source_type = src_type,
                       .dest_type = dst_type,
                       .handle = handle},
                      {word, how, value}, __func__);
}

DART_ENTRY dart_ret_t dart_notify_wait(dart_gptr_t word, uint64_t value, uint64_t* found) {
    Target target;
    if (!find_own_word(word, __func__, target)) return bad_argument();
    const std::uint64_t reached = shmem_signal_wait_until(word_at(target), SHMEM_CMP_GE, value);
    if (found != nullptr) *found = reached;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_notify_test(dart_gptr_t word, uint64_t value, uint64_t* found,
                                       int32_t* is_there) {
    if (is_there == nullptr) return fail_null(__func__);
    *is_there = 0;
    Target target;
    if (!find_own_word(word, __func__, target)) return bad_argument();
    const std::uint64_t now = shmem_signal_fetch(word_at(target));
    *is_there = now >= value ? 1 : 0;
    if (found != nullptr) *found = now;
    return DART_OK;
}

}  // namespace tessera::dart
