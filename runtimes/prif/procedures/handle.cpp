// SPDX-License-Identifier: BSD-3-Clause
//
// All handles of this image (handle.hpp).

#include "procedures/handle.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "procedures/entry.hpp"

namespace tessera::prif {
namespace {

constexpr std::size_t kGoneMax = 4096;

struct Handles {
    std::mutex mutex;
    std::vector<Handle*> live;
    std::deque<Handle*> gone;
};
// Never destroyed: other threads may use handles while the program ends.
Handles& handles() {
    static Handles& all = *new Handles;
    return all;
}

// REQUIRES: the lock.
void bury(Handle* handle) {
    std::erase(handles().live, handle);
    handle->state = HandleState::kGone;
    handles().gone.push_back(handle);
    if (handles().gone.size() > kGoneMax) {
        delete handles().gone.front();
        handles().gone.pop_front();
    }
}

}  // namespace

const char* find_mistake(const Cobounds& cobounds) {
    const int corank = cobounds.lower_count;
    if (corank < 1 || corank > kMaxCorank) return "the corank is not from 1 to 15";
    if (cobounds.upper_count != corank && cobounds.upper_count != corank - 1)
        return "there are neither as many upper cobounds as lower ones nor one less";
    for (int i = 0; i < corank - 1; ++i) {
        if (cobounds.upper[i] < cobounds.lower[i])
            return "an upper cobound is less than the lower one";
        std::int64_t extent = 0;
        if (__builtin_sub_overflow(cobounds.upper[i], cobounds.lower[i] - 1, &extent))
            return "a coextent is larger than any integer";
    }
    return nullptr;
}

Handle* make_handle(const Cobounds& cobounds) {
    auto* handle = new Handle;
    handle->owner = handle;
    handle->corank = cobounds.lower_count;
    std::copy_n(cobounds.lower, cobounds.lower_count, handle->lower);
    std::copy_n(cobounds.upper, std::min(cobounds.upper_count, handle->corank - 1), handle->upper);
    const std::lock_guard lock(handles().mutex);
    handles().live.push_back(handle);
    return handle;
}

void destroy_handle(Handle* handle) {
    const std::lock_guard lock(handles().mutex);
    for (Handle* alias : handle->aliases) bury(alias);
    if (handle->is_alias()) {
        std::erase(handle->owner->aliases, handle);
        handle->owner = handle;
    }
    bury(handle);
}

void make_alias(Handle* alias, const Handle& source, std::size_t distance) {
    alias->base = source.base + distance;
    alias->bytes = source.bytes - distance;
    alias->team = source.team;
    alias->owner = source.owner;
    const std::lock_guard lock(handles().mutex);
    alias->owner->aliases.push_back(alias);
}

std::vector<Handle*> handles_of(const caf::Team& team) {
    const std::lock_guard lock(handles().mutex);
    std::vector<Handle*> found;
    for (Handle* handle : handles().live) {
        if (!handle->is_alias() && handle->team == &team) found.push_back(handle);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

void stop_for_handle(const Handle* handle, const char* argument, const char* routine) {
    if (handle == nullptr) {
        caf::stop_with_error(
            routine, "%s is null; prif_allocate_coarray and prif_alias_create set it", argument);
    }
    const bool is_gone = handle->state == HandleState::kGone;
    caf::stop_with_error(routine,
                         is_gone ? "the coarray of %s is deallocated, or the alias destroyed"
                                 : "%s is the handle of no coarray",
                         argument);
}

}  // namespace tessera::prif
