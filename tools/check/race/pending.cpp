// SPDX-License-Identifier: BSD-3-Clause
//
// See pending.hpp.
#include "tools/check/race/pending.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace tessera::check::race {

namespace {

// Not 0. Nearly any change changes it.
std::uint64_t sum_of(const std::vector<char>& bytes) {
    std::uint64_t sum = 0x9E3779B97F4A7C15U;
    std::size_t at = 0;
    for (std::uint64_t word; at + sizeof word <= bytes.size(); at += sizeof word) {
        std::memcpy(&word, &bytes[at], sizeof word);
        sum = (sum ^ word) * 0x9FB21C651E98DF25U;
        sum ^= sum >> 32;  // High bits alone would never reach the low ones.
    }
    for (; at < bytes.size(); ++at)
        sum = (sum ^ static_cast<unsigned char>(bytes[at])) * 0x100000001B3U;
    return sum == 0 ? 1 : sum;
}

// The kernel copies, since the program may have unmapped the memory meanwhile.
std::uint64_t sum_at(std::uintptr_t begin, std::size_t bytes) {
    std::vector<char> copy(bytes);
    iovec to{copy.data(), bytes};
    iovec from{reinterpret_cast<void*>(begin), bytes};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(bytes)) return 0;
    return sum_of(copy);
}

}  // namespace

void PendingList::add(Pending pending) {
    if (pending.bytes == 0) return;
    if (!pending.is_dest && pending.bytes <= kSumBytes)
        pending.sum = sum_at(pending.begin, pending.bytes);
    if (entries_.size() == kEntries) entries_.pop_front();
    entries_.push_back(std::move(pending));
}

std::vector<Pending> PendingList::disturbed_by(const void* address, std::size_t bytes,
                                               bool is_write, Op op) const {
    std::vector<Pending> disturbed;
    if (bytes == 0) return disturbed;
    auto begin = reinterpret_cast<std::uintptr_t>(address);
    for (const Pending& entry : entries_) {
        bool overlaps = begin < entry.begin + entry.bytes && entry.begin < begin + bytes;
        if (overlaps && entry.op != op && (is_write || entry.is_dest)) disturbed.push_back(entry);
    }
    return disturbed;
}

std::vector<Pending> PendingList::complete(Lane lane) {
    std::vector<Pending> changed;
    std::erase_if(entries_, [&](const Pending& entry) {
        bool is_complete =
            entry.lane == lane || entry.lane == Lane::kRequests || entry.lane == Lane::kSignalled;
        if (is_complete && entry.sum != 0) {
            std::uint64_t sum = sum_at(entry.begin, entry.bytes);
            if (sum != 0 && sum != entry.sum) changed.push_back(entry);
        }
        return is_complete;
    });
    return changed;
}

}  // namespace tessera::check::race
