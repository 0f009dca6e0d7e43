// SPDX-License-Identifier: BSD-3-Clause
//
// This process as a PE of a group that no launcher has started: shmemx_init_uid gave it its number
// and the group's unique id. The counterpart of pmix_client.hpp. A thread reads from the meeting
// point all the time, so that this PE ends when another PE dies. Errors end the job.
// THREADS: one at a time, except get() and abort().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "launch/unique_id.hpp"

namespace tessera::launch::group {

// The next join() joins this group.
void choose(const UniqueId& id, int pe, int npes);
bool is_chosen();

struct Member {
    int pe;
    int npes;
};
// Connects to the meeting point. REQUIRES: is_chosen().
Member connect();

// As those of pmix_client.hpp; a value may be put again.
void put(const std::string& key, std::span<const std::byte> bytes);
void fence(void (*progress)());
std::vector<std::byte> get(int pe, const std::string& key);

// The PEs of each host, ascending. REQUIRES: connect(). COST: a fence.
std::vector<std::vector<int>> hosts();

// Ends the other PEs with `code`. RETURNS: the caller exits. Does nothing before connect().
void abort(int code);

// Waits for all PEs, and closes the connection.
void leave();

}  // namespace tessera::launch::group
