// SPDX-License-Identifier: BSD-3-Clause
//
// A PE of another node changes two pages, one after the other, and stamps them. The owner looks
// twice meanwhile, and once behind it: it must have seen both changes then.
#include "transports/noncoherent/page_stamps.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

using noncoherent::kPageBytes;
using noncoherent::PageStamps;
using noncoherent::Policy;

constexpr std::size_t kPages = 2;
constexpr Policy kPolicy{noncoherent::Access::kCoherent};

struct Harness {
    alignas(kCacheLineBytes) char memory[PageStamps::bytes_for(kPages * kPageBytes)];
    std::atomic<int> pages[kPages];
    int seen[kPages];
    std::uint64_t seen_number;

    PageStamps stamps() { return {memory, kPages * kPageBytes}; }
    // As Copies::change() and Copies::set_noted_stamps().
    void change(std::size_t page, std::uint64_t number) {
        pages[page].store(1, std::memory_order_relaxed);
        kPolicy.finish();
        stamps().set(kPolicy, page, page, number);
        kPolicy.finish();
        stamps().set_last(kPolicy, number);
        kPolicy.finish();
    }
    void look() {
        const std::uint64_t latest = stamps().last(kPolicy);
        if (latest == seen_number) return;
        stamps().changed(kPolicy, 0, kPages * kPageBytes, seen_number,
                         [this](std::size_t begin, std::size_t end) {
                             for (std::size_t at = begin; at < end; at += kPageBytes) {
                                 seen[at / kPageBytes] =
                                     pages[at / kPageBytes].load(std::memory_order_relaxed);
                             }
                         });
        seen_number = latest;
    }
    void run() {
        in_parallel(
            [this] {
                change(0, 1);
                change(1, 2);
            },
            [this] {
                look();
                look();
            });
        look();
        check(seen[0] == 1 && seen[1] == 1);
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
