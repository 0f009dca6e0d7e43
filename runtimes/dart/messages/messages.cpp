// SPDX-License-Identifier: BSD-3-Clause
//
// dart_send, dart_recv, dart_sendrecv.

#include <dash/dart/if/dart_communication.h>
#include <shmem.h>

#include <thread>

#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "messages/message.hpp"

namespace tessera::dart {
namespace {

// Bytes of the elements, or an error.
struct Size {
    dart_ret_t error;
    std::size_t bytes;
};

Size check(const void* buffer, std::size_t nelem, dart_datatype_t type, dart_global_unit_t unit,
           const char* routine) {
    const Team* world = team_of_call(DART_TEAM_ALL, routine);
    if (world == nullptr) return {bad_argument(), 0};
    if (unit.id < 0 || unit.id >= world->size) {
        fail(DART_ERR_INVAL, routine, "unit %d is not in [0, %d)", unit.id, world->size);
        return {DART_ERR_INVAL, 0};
    }
    const std::size_t one = element_bytes(type, routine);
    std::size_t all = 0;
    if (one == 0) return {DART_ERR_INVAL, 0};
    if (__builtin_mul_overflow(one, nelem, &all) || (buffer == nullptr && all > 0)) {
        fail(DART_ERR_INVAL, routine, "%zu elements at %p", nelem, buffer);
        return {DART_ERR_INVAL, 0};
    }
    return {DART_OK, all};
}

dart_ret_t fail_memory(const char* routine, std::size_t bytes) {
    return fail(DART_ERR_NOMEM, routine,
                "no local memory for a message of %zu bytes; enlarge SHMEM_LOCAL_MEMORY_SIZE",
                bytes);
}

dart_ret_t result_of(const Receiving& receiving, std::size_t bytes_max, const char* routine) {
    if (receiving.is_cut()) {
        return fail(DART_ERR_INVAL, routine,
                    "the message has %zu bytes, more than the %zu of the receiver; the rest is "
                    "lost",
                    receiving.message_bytes(), bytes_max);
    }
    return DART_OK;
}

}  // namespace

DART_ENTRY dart_ret_t dart_send(const void* sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                                dart_global_unit_t unit) {
    const auto [error, bytes] = check(sendbuf, nelem, dtype, unit, __func__);
    if (error != DART_OK) return error;
    Sending sending(sendbuf, bytes, tag, unit.id);
    while (!sending.advance()) {
        if (sending.is_impossible()) return fail_memory(__func__, bytes);
        std::this_thread::yield();
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_recv(void* recvbuf, size_t nelem, dart_datatype_t dtype, int tag,
                                dart_global_unit_t unit) {
    const auto [error, bytes] = check(recvbuf, nelem, dtype, unit, __func__);
    if (error != DART_OK) return error;
    Receiving receiving(recvbuf, bytes, tag, unit.id);
    while (!receiving.advance()) receiving.wait();
    return result_of(receiving, bytes, __func__);
}

DART_ENTRY dart_ret_t dart_sendrecv(const void* sendbuf, size_t send_nelem,
                                    dart_datatype_t send_dtype, int send_tag,
                                    dart_global_unit_t dest, void* recvbuf, size_t recv_nelem,
                                    dart_datatype_t recv_dtype, int recv_tag,
                                    dart_global_unit_t src) {
    const Size send = check(sendbuf, send_nelem, send_dtype, dest, __func__);
    const Size receive = check(recvbuf, recv_nelem, recv_dtype, src, __func__);
    if (send.error != DART_OK || receive.error != DART_OK)
        return send.error != DART_OK ? send.error : receive.error;
    Sending sending(sendbuf, send.bytes, send_tag, dest.id);
    Receiving receiving(recvbuf, receive.bytes, recv_tag, src.id);
    bool is_sent = false;
    bool is_received = false;
    for (;;) {
        is_sent = is_sent || sending.advance();
        is_received = is_received || receiving.advance();
        if (is_sent && is_received) return result_of(receiving, receive.bytes, __func__);
        if (is_sent) {
            receiving.wait();
        } else if (sending.is_impossible()) {
            return fail_memory(__func__, send.bytes);
        } else {
            std::this_thread::yield();
        }
    }
}

}  // namespace tessera::dart
