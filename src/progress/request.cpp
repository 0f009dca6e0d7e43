// SPDX-License-Identifier: BSD-3-Clause
//
// See request.hpp.
#include "progress/request.hpp"

#include <new>

#include "base/fatal.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

bool has_come(const Request& request, Completion completion) {
    return completion == Completion::kLocal ? request.operation.is_local()
                                            : request.operation.is_remote();
}

[[noreturn]] TESSERA_COLD void fail_request(shmemx_req_t handle, const char* where) {
    check_initialized(where);
    auto* const value = static_cast<void*>(handle);
    const int pe = request_table.pe_of(handle);
    if (pe < 0) {
        fatal(
            "%s: req %p is not a request; pass the variable that a routine with _req has set, or "
            "SHMEMX_REQ_COMPLETE",
            where, value);
    }
    if (pe != RequestTable::pe_bits(address_map.my_pe))
        fatal("%s: req %p belongs to another PE; the PE that made it waits for it", where, value);
    fatal(
        "%s: req %p has ended; a wait for remote completion, or shmemx_req_free, ends a request "
        "and all copies of its variable",
        where, value);
}

Request& request_of(shmemx_req_t handle, const char* where) {
    Request* request = request_table.find(handle);
    if (request == nullptr) [[unlikely]]
        fail_request(handle, where);
    return *request;
}

// Whether a request has come so far; it ends if it is complete.
bool try_end(shmemx_req_t& handle, Completion completion, const char* where) {
    if (handle == SHMEMX_REQ_COMPLETE) return true;
    Request& request = request_of(handle, where);
    if (!has_come(request, completion)) return false;
    if (request.operation.is_remote()) {
        request_table.close(request);
        handle = SHMEMX_REQ_COMPLETE;
    }
    return true;
}

}  // namespace

Request& open_request(const char* where) {
    Request* request = request_table.open();
    if (request == nullptr) {
        fatal(
            "%s: %u requests are open, as many as there can be; wait for requests, or give them "
            "up by shmemx_req_free",
            where, RequestTable::kSlots);
    }
    request->where = where;
    return *request;
}

shmemx_req_t publish(Request& request) {
    if (!request.operation.is_remote()) return request_table.publish(request);
    request_table.close(request);
    return SHMEMX_REQ_COMPLETE;
}

bool is_open_request(shmemx_req_t handle) {
    return handle != SHMEMX_REQ_COMPLETE && request_table.find(handle) != nullptr;
}

void fail_completion(int completion, const char* where) {
    fatal("%s: completion %d is neither SHMEMX_LOCAL nor SHMEMX_REMOTE", where, completion);
}

bool test_request(shmemx_req_t& handle, Completion completion, const char* where) {
    if (!try_end(handle, completion, where)) return false;
    make_visible(completion);
    return true;
}

bool test_requests(std::span<shmemx_req_t> handles, Completion completion, const char* where) {
    bool are_all = true;
    for (shmemx_req_t& handle : handles) are_all &= try_end(handle, completion, where);
    if (are_all) make_visible(completion);
    return are_all;
}

Told tell_requests(std::span<shmemx_req_t> handles, Completion completion, std::size_t* indices,
                   std::size_t most, const char* where) {
    Told told;
    for (std::size_t i = 0; i < handles.size() && told.count < most; ++i) {
        if (handles[i] == SHMEMX_REQ_COMPLETE) continue;
        Request& request = request_of(handles[i], where);
        if (completion == Completion::kLocal && request.is_told) continue;
        if (!has_come(request, completion)) {
            told.has_others = true;
            continue;
        }
        request.is_told = true;
        indices[told.count++] = i;
        try_end(handles[i], completion, where);
    }
    if (told.count > 0) make_visible(completion);
    return told;
}

void free_request(shmemx_req_t& handle, const char* where) {
    if (handle == SHMEMX_REQ_COMPLETE) return;
    request_table.detach(request_of(handle, where));
    handle = SHMEMX_REQ_COMPLETE;
}

void close_requests(const char* where) {
    std::size_t open = 0;
    const Request* first = nullptr;
    request_table.for_each_open([&](const Request& request) {
        if (open++ == 0) first = &request;
    });
    if (open > 0 && config().debug)
        warn("%s: %zu requests were not waited for; the first is of %s", where, open, first->where);
    request_table.close_all();
}

}  // namespace tessera
