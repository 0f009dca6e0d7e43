// SPDX-License-Identifier: BSD-3-Clause
//
// Epochs between lists of PEs (include/shmemx/epochs.h).
#include "api/entry.hpp"
#include "api/epoch_arguments.hpp"
#include "api/extents.hpp"
#include "base/fatal.hpp"
#include "memory/global_pointer.hpp"
#include "progress/epochs.hpp"
#include "shmemx.h"

namespace tessera::api {
namespace {

constexpr long kModes = SHMEMX_EPOCH_IMMEDIATE | SHMEMX_EPOCH_DEFERRED;
constexpr long kOptionsOfStart = SHMEMX_EPOCH_NOPUT | kModes;

std::span<const int> list_of(const char* name, const PeList& list, const char* where) {
    check_local(name, list.pes, list.npes, where);
    // Each PE stands in it at most once.
    if (list.npes > address_map.npes) {
        fatal("%s: a list of %zu PEs, but the job has %u; list each PE once", where, list.npes,
              address_map.npes);
    }
    return {list.pes, list.npes};
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
    const auto handle = reinterpret_cast<std::uint64_t>(epoch);
    if (Epochs::is_on_window(handle)) {
        check_pe(pe, where);
        const Window& window = epochs().window_of_access(handle, where);
        if (window.has_member(pe))
            check_part(window, puts ? copy.dest : copy.source, copy.bytes, pe, where);
    }
    epochs().copy(handle, copy, pe, where);
}

}  // namespace

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

void post(Window& window, PeList origins, long options, shmemx_epoch_t* epoch, const char* where) {
    check_place_of_handle(epoch, where);
    const auto checked = options_from(options, kOptionsOfPost, where);
    const auto list = list_of("origins", origins, where);
    *epoch = reinterpret_cast<shmemx_epoch_t>(epochs().post(window, list, checked, where));
}

void start(Window& window, PeList targets, long options, shmemx_epoch_t* epoch, const char* where) {
    check_place_of_handle(epoch, where);
    const auto checked = options_from(options, kOptionsOfStart, where);
    const auto list = list_of("targets", targets, where);
    *epoch = reinterpret_cast<shmemx_epoch_t>(epochs().start(window, list, checked, where));
}

void check_part(const Window& window, const void* remote, std::size_t bytes, int pe,
                const char* where) {
    if (bytes == 0) return;
    const WindowPart& part = window.part(pe);
    const std::uint64_t begin = address_bits_of(::shmemx_gptr_of(remote, pe));
    const std::uint64_t offset = begin - part.begin;
    if (offset < part.bytes && bytes <= part.bytes - offset) return;
    fatal(
        "%s: %zu bytes at offset %lld of PE %d's part of the window, which has %llu bytes; access "
        "only bytes that the PE gave to shmemx_window_create",
        where, bytes, static_cast<long long>(offset), pe,
        static_cast<unsigned long long>(part.bytes));
}

}  // namespace tessera::api

namespace api = tessera::api;
using tessera::epochs;
using tessera::Epochs;

SHMEM_ENTRY(void, shmemx_epoch_post, const int* origins, size_t norigins, long options,
            shmemx_epoch_t* epoch) {
    tessera::check_initialized(SHMEM_WHERE);
    api::post(epochs().no_window(), {origins, norigins}, options, epoch, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_epoch_start, const int* targets, size_t ntargets, long options,
            shmemx_epoch_t* epoch) {
    tessera::check_initialized(SHMEM_WHERE);
    api::start(epochs().no_window(), {targets, ntargets}, options, epoch, SHMEM_WHERE);
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
