// SPDX-License-Identifier: BSD-3-Clause
//
// A word of non-coherent memory, of which the owner's program changes two bytes and another PE
// another one. Meanwhile a thread of the owner publishes and refreshes, as an eviction does.
// Behind them both copies must have all changes. For GenMC alone: a program would have to store
// to the private copy by bytes.
#include "transports/noncoherent/copies.hpp"

#include "protocol.hpp"

namespace tessera::protocols {

using noncoherent::Copies;
using noncoherent::Dice;
using noncoherent::SegmentSetup;

constexpr std::uint64_t kOfOwner[] = {0x01, 0x010000};
constexpr std::uint64_t kOfOther = 0x0100;

std::uint64_t* next_twin = nullptr;

// The copies that PE `pe` of two has. Only those of PE 0 are looked at.
struct Segment {
    std::uint64_t own;
    std::uint64_t published;
    alignas(kCacheLineBytes) char marks[noncoherent::PageMarks::bytes_for(sizeof(own))];
    std::uint64_t twin;
};

struct Harness {
    Segment segments[2];

    Copies copies_of(int pe) {
        next_twin = &segments[pe].twin;
        SegmentSetup setup{.own = reinterpret_cast<char*>(&segments[pe].own),
                           .bytes = sizeof segments[pe].own,
                           .pe = pe};
        for (Segment& segment : segments) {
            setup.publics.push_back(reinterpret_cast<char*>(&segment.published));
            setup.marks.push_back(segment.marks);
        }
        setup.parts.push_back({.begin = 0, .end = [] { return sizeof(std::uint64_t); }});
        return Copies(std::move(setup));
    }
    void run() {
        Copies mine = copies_of(0);
        Copies theirs = copies_of(1);
        std::uint64_t& word = segments[0].own;
        Dice dice(0);
        in_parallel(
            [&] {
                mine.publish(&word, sizeof word);
                mine.policy().finish();
                mine.refresh_all(dice);
            },
            [&] {
                theirs.change(&segments[1].own, sizeof word, 0, [&](char* remote) {
                    theirs.policy().store_bytes(reinterpret_cast<std::uint64_t*>(remote), kOfOther,
                                                0b10);
                });
            },
            [&] {
                for (std::uint64_t byte : kOfOwner)  // A store of a byte is one step.
                    std::atomic_ref(word).fetch_or(byte, std::memory_order_relaxed);
            });
        mine.publish_all(dice);
        mine.policy().finish();
        mine.refresh_all(dice);
        check(word == (kOfOwner[0] | kOfOwner[1] | kOfOther));
        check(segments[0].published == word);
    }
};

}  // namespace tessera::protocols

extern "C" void* mmap(void* /*address*/, std::size_t /*bytes*/, int /*protection*/, int /*flags*/,
                      int /*file*/, __off_t /*offset*/) noexcept {
    return tessera::protocols::next_twin;
}
extern "C" int munmap(void* /*address*/, std::size_t /*bytes*/) noexcept { return 0; }

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
