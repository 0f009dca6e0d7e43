// SPDX-License-Identifier: BSD-3-Clause
//
// The copies of one segment (symmetric heap or static data). The program loads and stores its
// private copy. Other PEs access the public one. A twin has the bytes that the private copy had
// when the two were last the same, so the bytes that differ from it are the program's changes:
// publishing stores exactly these, and neighbours in the same cache line keep what other PEs have
// put there. A sync point looks only at pages that the program has written (written_pages.hpp), or
// that other PEs have marked (page_marks.hpp), where this is known. THREADS: any; the program may
// store to its private copy meanwhile. PEs of other nodes cannot set marks; they stamp pages
// (page_stamps.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/mutexes.hpp"
#include "transports/noncoherent/line_copies.hpp"
#include "transports/noncoherent/page_marks.hpp"
#include "transports/noncoherent/page_stamps.hpp"
#include "transports/noncoherent/policy.hpp"
#include "transports/noncoherent/written_pages.hpp"

namespace tessera::noncoherent {

// A sequence of random numbers from a seed. Seed 0: none are wanted. THREADS: any; relaxed, because
// any number will do.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    bool is_used() const { return state_.load(std::memory_order_relaxed) != 0; }
    // Below `limit`. REQUIRES: is_used(), limit > 0.
    std::size_t below(std::size_t limit);

  private:
    std::atomic<std::uint64_t> state_;
};

class Copies {
  public:
    // REQUIRES: the private copy and the own public copy have the same bytes, zeros or those of
    // take_private(); or the private one has zeros, and the program stores only to bytes that have
    // been refreshed. If memory is short, is_made() is false.
    explicit Copies(SegmentSetup segment);
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies();
    // Whether the kernel tells what the program writes.
    bool is_watched() const { return written_.is_watching(); }
    bool is_made() const { return twin_ != nullptr || segment_.bytes == 0; }
    // The contents of the private copy become those of all three.
    void take_private();

    bool holds(const void* address) const {
        return static_cast<std::size_t>(static_cast<const char*>(address) - segment_.own) <
               segment_.bytes;
    }
    // The public copy of a byte of the segment. REQUIRES: holds(), PE `pe` has the segment.
    char* public_of(const void* address, int pe) const {
        return segment_.publics[static_cast<std::size_t>(pe)] + offset_of(address);
    }
    const SegmentSetup& segment() const { return segment_; }
    const Policy& policy() const { return policy_; }
    bool has_pe(int pe) const { return segment_.publics[static_cast<std::size_t>(pe)] != nullptr; }
    std::size_t bytes_behind(const void* address) const {
        return segment_.bytes - offset_of(address);
    }

    // Calls store(public copy), which changes these bytes of PE `pe`. The marks come behind the
    // store: an owner that waits for a word of it refreshes this word when it reads it.
    // RETURNS when: the change and its marks are visible.
    template <class Store>
    void change(const void* address, std::size_t bytes, int pe, Store store) const {
        store(public_of(address, pe));
        policy_.finish();
        mark(offset_of(address), bytes, pe);
    }
    // PEs of other nodes may find all pages that change() has changed before: where this PE tells
    // them that it has. RETURNS when: the stamps are visible before every store that follows.
    void finish_stamps() const {
        if (!stamped_.empty()) set_stamps();
    }
    // The program has changed these bytes of PE `pe`'s public copy. REQUIRES: Policy::finish().
    void mark_changed(std::size_t offset, std::size_t bytes, int pe) const {
        mark(offset, bytes, pe);
        finish_stamps();
    }

    // This PE's changes go to its public copy. The caller finishes (Policy::finish()).
    void publish(const void* start, std::size_t bytes);
    void publish_all(Dice& dice);
    // The lines of a range that have changes of this PE go to its public copy, as from a cache:
    // with the bytes that this PE has not changed. The caller finishes.
    void publish_lines(const void* start, std::size_t bytes);
    // The private copy gets the changes of others. Where a page has some, this PE's changes go to
    // the public copy first.
    void refresh(const void* start, std::size_t bytes);
    void refresh_all(Dice& dice);
    // As refresh(), of bytes that this PE has just loaded from its public copy, so that no cache
    // has older ones.
    void refresh_loaded(const void* start, std::size_t bytes);
    // Stores to all copies of this PE.
    void store_here(void* dest, const void* source, std::size_t bytes);
    // A line at random is published, or refreshed: as caches evict lines at any moment. RETURNS: at
    // once, also when another thread is busy here.
    void evict(Dice& dice);
    // A line at random, cut to the parts that may hold data. Empty: there are none.
    std::span<char> random_line(Dice& dice) const;

  private:
    using Step = void (Copies::*)(std::size_t begin, std::size_t end);

    std::size_t offset_of(const void* address) const {
        return static_cast<std::size_t>(static_cast<const char*>(address) - segment_.own);
    }
    char* my_public() const { return segment_.publics[static_cast<std::size_t>(segment_.pe)]; }
    const PageMarks& my_marks() const { return marks_[static_cast<std::size_t>(segment_.pe)]; }
    void on_range(Step step, const void* start, std::size_t bytes);
    // REQUIRES: the lock.
    void on_all(Step step, Dice& dice);
    void mark(std::size_t offset, std::size_t bytes, int pe) const {
        if (marks_.empty() || bytes == 0) return;
        const auto index = static_cast<std::size_t>(pe);
        if (marks_[index].is_used()) return marks_[index].set(offset, bytes);
        note_stamp(offset, bytes, index);
    }
    TESSERA_COLD void note_stamp(std::size_t offset, std::size_t bytes, std::size_t pe) const;
    TESSERA_COLD void set_stamps() const;
    // REQUIRES: stamp_lock_.
    void set_noted_stamps() const;
    // RETURNS: whether a PE of another node has changed something here since the last look of
    // refresh_all(). REQUIRES: the lock.
    bool look_at_stamps();
    // From offset `begin` to `end`, of the parts that may have changed. REQUIRES: the lock.
    void publish_written(std::size_t begin, std::size_t end);
    void refresh_marked(std::size_t begin, std::size_t end);
    void refresh_marked_range(std::size_t begin, std::size_t end);
    // From offset `begin` to `end`, multiples of 8. REQUIRES: the lock.
    void publish_bytes(std::size_t begin, std::size_t end);
    void refresh_bytes(std::size_t begin, std::size_t end);
    void refresh_loaded_bytes(std::size_t begin, std::size_t end);
    void publish_line(std::size_t begin, std::size_t end);
    void publish_words(std::size_t begin, std::size_t end);
    void refresh_words(std::size_t begin, std::size_t end);
    void refresh_word(std::size_t at);
    using LineStep = void (*)(const CopiedLines& lines);
    // By whole lines where the processor can, and by words at the ends.
    void by_lines(LineStep by_line, Step by_word, std::size_t begin, std::size_t end);

    const SegmentSetup segment_;
    const Policy policy_;
    const LineCopies line_copies_;
    // The tables of a PE of another node: in one this PE tells it of changes, in the other it tells
    // this PE.
    struct Stamped {
        PageStamps there;
        PageStamps here;
        mutable std::uint64_t number = 0;  // number of this PE's last change there
        // The numbers of its changes here: at the last look of refresh_all(), and now.
        std::uint64_t seen = 0;
        std::uint64_t latest = 0;
    };

    std::vector<PageMarks> marks_;  // by PE, those of this node; empty: all memory is compared
    std::vector<Stamped> stamped_;  // by PE; empty: there is one node
    // Pages that this PE has changed, and not stamped yet.
    struct Noted {
        std::size_t pe;
        std::size_t first;  // pages
        std::size_t last;
    };
    static constexpr std::size_t kNotedMax = 16;
    mutable ShortMutex stamp_lock_;  // guards Stamped::number, the tables `there`, and these
    mutable Noted noted_[kNotedMax];
    mutable std::size_t noted_count_ = 0;
    char* twin_ = nullptr;
    WrittenPages written_;
    ShortMutex lock_;  // guards the twin, written_, Stamped::seen, and the taking of marks
};

}  // namespace tessera::noncoherent
