// SPDX-License-Identifier: BSD-3-Clause
//
// This process as a PMIx client: under launchers other than oshrun, and under oshrun when the job
// has several nodes. The PMIx library is loaded when it is needed and not before: it costs
// milliseconds, 6 MB and a thread. Called by job.cpp, share_files.cpp and exchange.cpp only. Errors
// end the job with the call and PMIx's message.
// THREADS: one at a time, except abort() and get().
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

// Whether this process owes the others a shmem_finalize: if it exits meanwhile, it ends the job.
// Most launchers would let them wait for ever.
void owe_finalize(bool is_owed);

// A fact about the job from the launcher; -1 or "" if the launcher does not provide it.
int job_number(const char* key);
std::string job_text(const char* key);

// The hosts of the job by name, and the PEs of one of them. Empty when the launcher does not say.
std::vector<std::string> hosts();
std::vector<int> pes_of(const std::string& host);

// The PEs that can get() a value: those of the same host, or all.
enum class Scope { kHost, kJob };

// Stores `bytes` under a key that this PE has not used before; the others can get() it after the
// next fence.
void put(const std::string& key, std::span<const std::byte> bytes, Scope scope);

// A barrier of the job that also exchanges the values put before. Calls `progress` over and over
// meanwhile, unless it is nullptr.
void fence(void (*progress)() = nullptr);

// The value that `pe` put under `key` before the last fence. THREADS: any.
std::vector<std::byte> get(int pe, const std::string& key);

// Asks the launcher to end the job. Returns; the caller exits. Does nothing before connect().
// THREADS: any.
void abort(int code, const char* message);

}  // namespace tessera::launch::pmix
