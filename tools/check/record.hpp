// SPDX-License-Identifier: BSD-3-Clause
//
// A collective call as PEs show it to each other.
#pragma once

#include <cstdint>
#include <string>

#include "tools/check/teams.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::check {

struct Record {
    std::uint64_t key;     // key of the group
    std::uint64_t number;  // number of the call among the group's, from 1
    int pe;
    bool waits;  // for all members, so that no PE returns before all have called
    char routine[48];
    char place[96];
    // Values that must be the same on all members; -1 where they need not.
    std::int64_t count, element_bytes, root, dst, sst, dest, source, sync, work, size, alignment;
    std::int64_t arguments[3];
};

Record record_of(const interpose::Call& call, const Group& group);

// "shmem_long_broadcast at main (heat.c:40)".
std::string text_of(const Record& record);

// "nelems: 4 here, 8 on PE 1" for each difference; "" when the calls match.
std::string difference(const Record& mine, const Record& other);

}  // namespace tessera::check
