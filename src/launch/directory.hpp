// SPDX-License-Identifier: BSD-3-Clause
//
// The values that PEs publish for each other during init, and the fences that exchange them:
// through the launcher's PMIx (pmix_client.hpp), or through the meeting point of a group that no
// launcher has started (group.hpp). Used by share_files.cpp and exchange.cpp. Errors end the job.
// THREADS: one at a time, except get().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::launch::directory {

// The PEs that can get() a value: at least those of the same host, or all.
enum class Scope { kHost, kJob };

// Stores `bytes` under a key that this PE has not used before; the others can get() it after the
// next fence.
void put(const std::string& key, std::span<const std::byte> bytes, Scope scope);

// A barrier of the job that also exchanges the values put before. Calls `progress` over and over
// meanwhile, unless it is nullptr.
void fence(void (*progress)() = nullptr);

// The value that `pe` put under `key` before the last fence. THREADS: any.
std::vector<std::byte> get(int pe, const std::string& key);

}  // namespace tessera::launch::directory
