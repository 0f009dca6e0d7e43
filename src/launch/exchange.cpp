// SPDX-License-Identifier: BSD-3-Clause
//
// See exchange.hpp. Not every PMIx server lets a key get a new value, so each init has a key of its
// own.
#include "launch/exchange.hpp"

#include <mutex>

#include "base/mutexes.hpp"
#include "launch/directory.hpp"

namespace tessera::launch {
namespace {

int generation = 0;  // inits that have published an EndpointInfo
ShortMutex reading;  // PMIx would take turns anyway; its older versions did so badly

std::string endpoint_info_key() { return "tessera.endpoint." + std::to_string(generation); }

}  // namespace

void publish_endpoint_info(std::span<const std::byte> info) {
    ++generation;
    directory::put(endpoint_info_key(), info, directory::Scope::kJob);
}

void meet_job(void (*progress)()) { directory::fence(progress); }

std::vector<std::byte> endpoint_info_of(int pe) {
    std::lock_guard guard(reading);
    return directory::get(pe, endpoint_info_key());
}

}  // namespace tessera::launch
