// SPDX-License-Identifier: BSD-3-Clause
//
// See directory.hpp.
#include "launch/directory.hpp"

#include "launch/group.hpp"
#include "launch/pmix_client.hpp"

namespace tessera::launch::directory {

void put(const std::string& key, std::span<const std::byte> bytes, Scope scope) {
    if (group::is_chosen()) return group::put(key, bytes);
    pmix::put(key, bytes, scope == Scope::kHost ? pmix::Scope::kHost : pmix::Scope::kJob);
}

void fence(void (*progress)()) {
    group::is_chosen() ? group::fence(progress) : pmix::fence(progress);
}

std::vector<std::byte> get(int pe, const std::string& key) {
    return group::is_chosen() ? group::get(pe, key) : pmix::get(pe, key);
}

}  // namespace tessera::launch::directory
