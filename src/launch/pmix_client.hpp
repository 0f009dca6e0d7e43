// SPDX-License-Identifier: BSD-3-Clause
//
// This process as a PMIx client, for launchers other than oshrun. The PMIx library is loaded when
// it is needed and not before: it costs milliseconds, 6 MB and a thread. Called by job.cpp and
// share_files.cpp only. Errors end the job, naming the call and what PMIx said.
// THREADS: one at a time, except abort().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::launch::pmix {

// Keys of job_number and job_text.
inline constexpr const char* kJobSize = "pmix.job.size";
inline constexpr const char* kLocalPeers = "pmix.lpeers";

// Loads the library and connects to the launcher, the first time; the connection lasts until this
// process exits, and this process ends when the launcher dies. RETURNS: the rank.
int connect();

// What the launcher says about the job; -1 or "" when it does not.
int job_number(const char* key);
std::string job_text(const char* key);

// Stores `bytes` under a key that this PE has not used before; the others can get() it after the
// next fence.
void put(const std::string& key, std::span<const std::byte> bytes);

// A barrier of the job that also exchanges what was put.
void fence();

// What `pe` put under `key` before the last fence.
std::vector<std::byte> get(int pe, const std::string& key);

// Asks the launcher to end the job. Returns; the caller exits. Does nothing before connect().
// THREADS: any.
void abort(int code, const char* message);

}  // namespace tessera::launch::pmix
