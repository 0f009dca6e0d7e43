// SPDX-License-Identifier: BSD-3-Clause
//
// Epochs between lists of PEs (include/shmemx/epochs.h).
#include "api/entry.hpp"
#include "api/extents.hpp"
#include "base/fatal.hpp"
#include "progress/epochs.hpp"
#include "shmemx.h"

namespace tessera::api {
namespace {

constexpr long kOptionsOfPost = SHMEMX_EPOCH_NOSTORE | SHMEMX_EPOCH_NOPUT;
constexpr long kModes = SHMEMX_EPOCH_IMMEDIATE | SHMEMX_EPOCH_DEFERRED;
constexpr long kOptionsOfStart = SHMEMX_EPOCH_NOPUT | kModes;

Epochs::Options options_from(long options, long allowed, const char* where) {
    if ((options & ~allowed) != 0 || (options & kModes) == kModes)
        fatal("%s: options %ld are not allowed here; see include/shmemx/epochs.h", where, options);
    const auto mode = (options & SHMEMX_EPOCH_IMMEDIATE) != 0  ? Epochs::Mode::kImmediate
                      : (options & SHMEMX_EPOCH_DEFERRED) != 0 ? Epochs::Mode::kDeferred
                                                               : Epochs::Mode::kTriggerOnly;
    return {.no_store = (options & SHMEMX_EPOCH_NOSTORE) != 0,
            .no_put = (options & SHMEMX_EPOCH_NOPUT) != 0,
            .mode = mode};
}

std::span<const int> list_of(const char* name, const int* pes, std::size_t npes,
                             const char* where) {
    check_local(name, pes, npes, where);
    // Each PE stands in it at most once.
    if (npes > address_map.npes) {
        fatal("%s: a list of %zu PEs, but the job has %u; list each PE once", where, npes,
              address_map.npes);
    }
    return {pes, npes};
}

void check_place_of_handle(const shmemx_epoch_t* epoch, const char* where) {
    check_initialized(where);
    if (epoch == nullptr)
        fatal("%s: epoch is a null pointer; pass the address of a shmemx_epoch_t", where);
}

// The handle that the program passes by address.
std::uint64_t handle_at(const shmemx_epoch_t* epoch, const char* where) {
    check_place_of_handle(epoch, where);
    return reinterpret_cast<std::uint64_t>(*epoch);
}

void copy(shmemx_epoch_t epoch, const Epochs::Copy& copy, int pe, const char* where) {
    check_initialized(where);
    const bool puts = copy.direction == Epochs::Direction::kPut;
    check_local(puts ? "source" : "dest", puts ? copy.source : copy.dest, copy.bytes, where);
    epochs().copy(reinterpret_cast<std::uint64_t>(epoch), copy, pe, where);
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;
using tessera::epochs;
using tessera::Epochs;

SHMEM_ENTRY(void, shmemx_epoch_post, const int* origins, size_t norigins, long options,
            shmemx_epoch_t* epoch) {
    api::check_place_of_handle(epoch, SHMEM_WHERE);
    const auto checked = api::options_from(options, api::kOptionsOfPost, SHMEM_WHERE);
    const auto list = api::list_of("origins", origins, norigins, SHMEM_WHERE);
    *epoch = reinterpret_cast<shmemx_epoch_t>(epochs().post(list, checked, SHMEM_WHERE));
}

SHMEM_ENTRY(void, shmemx_epoch_start, const int* targets, size_t ntargets, long options,
            shmemx_epoch_t* epoch) {
    api::check_place_of_handle(epoch, SHMEM_WHERE);
    const auto checked = api::options_from(options, api::kOptionsOfStart, SHMEM_WHERE);
    const auto list = api::list_of("targets", targets, ntargets, SHMEM_WHERE);
    *epoch = reinterpret_cast<shmemx_epoch_t>(epochs().start(list, checked, SHMEM_WHERE));
}

SHMEM_ENTRY(void, shmemx_epoch_ready, shmemx_epoch_t epoch, int pe) {
    const std::uint64_t handle = api::handle_at(&epoch, SHMEM_WHERE);
    epochs().wait_until_ready(handle, pe, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_epoch_put, shmemx_epoch_t epoch, void* dest, const void* source,
            size_t nbytes, int pe) {
    api::copy(epoch, {Epochs::Direction::kPut, dest, source, nbytes}, pe, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_epoch_get, shmemx_epoch_t epoch, void* dest, const void* source,
            size_t nbytes, int pe) {
    api::copy(epoch, {Epochs::Direction::kGet, dest, source, nbytes}, pe, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_epoch_complete, shmemx_epoch_t* epoch) {
    const std::uint64_t handle = api::handle_at(epoch, SHMEM_WHERE);
    epochs().complete(handle, SHMEM_WHERE);
    *epoch = SHMEMX_EPOCH_INVALID;
}

SHMEM_ENTRY(void, shmemx_epoch_wait, shmemx_epoch_t* epoch) {
    const std::uint64_t handle = api::handle_at(epoch, SHMEM_WHERE);
    epochs().wait(handle, SHMEM_WHERE);
    *epoch = SHMEMX_EPOCH_INVALID;
}

SHMEM_ENTRY(int, shmemx_epoch_test, shmemx_epoch_t* epoch) {
    const std::uint64_t handle = api::handle_at(epoch, SHMEM_WHERE);
    if (!epochs().test(handle, SHMEM_WHERE)) return 0;
    *epoch = SHMEMX_EPOCH_INVALID;
    return 1;
}
