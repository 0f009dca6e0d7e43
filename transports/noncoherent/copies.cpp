// SPDX-License-Identifier: BSD-3-Clause
//
// See copies.hpp. Pages that may have changed cost a comparison. Words change one by one: the
// private one by compare-and-swap, because a thread of the program may be storing to it.
#include "transports/noncoherent/copies.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>

#include "base/bits.hpp"
#include "base/copy.hpp"
#include "base/platform.hpp"

namespace tessera::noncoherent {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
// Below this size a comparison costs less than asking the kernel, and than the faults of the first
// stores to watched pages.
constexpr std::size_t kComparedBytes = std::size_t{16} << 10;

std::uint64_t* word_at(char* address) { return reinterpret_cast<std::uint64_t*>(address); }

// Relaxed: other threads of the program, or other PEs, may store to it; the caller orders.
std::uint64_t load(char* address) {
    return std::atomic_ref(*word_at(address)).load(std::memory_order_relaxed);
}

}  // namespace

// xorshift64 (Marsaglia, 2003).
std::size_t Dice::below(std::size_t limit) {
    std::uint64_t next = state_.load(std::memory_order_relaxed);
    next ^= next << 13;
    next ^= next >> 7;
    next ^= next << 17;
    state_.store(next, std::memory_order_relaxed);
    return static_cast<std::size_t>(next % limit);
}

Copies::Copies(SegmentSetup segment)
    : segment_(std::move(segment)),
      policy_(segment_.access),
      line_copies_(line_copies(segment_.access)) {
    for (char* marks : segment_.marks) marks_.emplace_back(marks, segment_.bytes);
    for (const StampTables& tables : segment_.stamps) {
        stamped_.push_back(
            {.there = {tables.there, segment_.bytes}, .here = {tables.here, segment_.bytes}});
    }
    if (segment_.bytes == 0) return;
    void* twin = ::mmap(nullptr, segment_.bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (twin == MAP_FAILED) return;
    twin_ = static_cast<char*>(twin);
    if (segment_.bytes > kComparedBytes && !marks_.empty())
        written_ = WrittenPages(segment_.own, segment_.bytes);
}

Copies::~Copies() {
    if (twin_ != nullptr) ::munmap(twin_, segment_.bytes);
}

void Copies::take_private() {
    if (segment_.bytes == 0) return;
    std::lock_guard guard(lock_);
    std::memcpy(twin_, segment_.own, segment_.bytes);
    policy_.store(my_public(), twin_, segment_.bytes);
    policy_.finish();
}

void Copies::on_range(Step step, const void* start, std::size_t bytes) {
    if (bytes == 0) return;
    const std::size_t begin = offset_of(start);
    std::lock_guard guard(lock_);
    (this->*step)(begin / kWordBytes * kWordBytes, round_up(begin + bytes, kWordBytes));
}

// With a seed, starts at a random page: the memory model promises no order of changes.
void Copies::on_all(Step step, Dice& dice) {
    for (const UsedPart& part : segment_.parts) {
        const std::size_t end = std::min(round_up(part.end(), kWordBytes), segment_.bytes);
        if (end <= part.begin) continue;
        const std::size_t pages = (end - part.begin + kPageBytes - 1) / kPageBytes;
        const std::size_t first = dice.is_used() ? dice.below(pages) : 0;
        const std::size_t middle = part.begin + first * kPageBytes;
        (this->*step)(middle, end);
        (this->*step)(part.begin, middle);
    }
}

void Copies::publish(const void* start, std::size_t bytes) {
    on_range(&Copies::publish_written, start, bytes);
}
void Copies::publish_all(Dice& dice) {
    std::lock_guard guard(lock_);
    on_all(&Copies::publish_written, dice);
}
void Copies::publish_lines(const void* start, std::size_t bytes) {
    if (bytes == 0) return;
    const std::size_t end = offset_of(start) + bytes;
    std::lock_guard guard(lock_);
    for (std::size_t at = align_down(offset_of(start), kCacheLineBytes); at < end;
         at += kCacheLineBytes) {
        publish_line(at, std::min(at + kCacheLineBytes, segment_.bytes));
    }
}
void Copies::refresh(const void* start, std::size_t bytes) {
    const bool is_compared = marks_.empty() || bytes <= kComparedBytes;
    on_range(is_compared ? &Copies::refresh_bytes : &Copies::refresh_marked_range, start, bytes);
}
void Copies::refresh_loaded(const void* start, std::size_t bytes) {
    policy_.before_repeated_load();
    on_range(&Copies::refresh_loaded_bytes, start, bytes);
}
// A thread that finds no marks waits here for the thread that has taken them: its own loads must
// see what that thread refreshes.
void Copies::refresh_all(Dice& dice) {
    std::lock_guard guard(lock_);
    if (marks_.empty()) return on_all(&Copies::refresh_bytes, dice);
    const bool is_stamped = look_at_stamps();
    if (my_marks().take_any() || is_stamped) on_all(&Copies::refresh_marked, dice);
    for (Stamped& each : stamped_) each.seen = each.latest;
}

bool Copies::look_at_stamps() {
    bool is_stamped = false;
    for (Stamped& each : stamped_) {
        if (!each.here.is_used()) continue;
        each.latest = each.here.last(policy_);
        is_stamped = is_stamped || each.latest != each.seen;
    }
    return is_stamped;
}

void Copies::note_stamp(std::size_t offset, std::size_t bytes, std::size_t pe) const {
    const Noted noted{pe, offset / kPageBytes, (offset + bytes - 1) / kPageBytes};
    std::lock_guard guard(stamp_lock_);
    if (noted_count_ > 0) {
        Noted& before = noted_[noted_count_ - 1];
        const bool is_next =
            before.pe == pe && noted.first >= before.first && noted.first <= before.last + 1;
        if (is_next) {
            before.last = std::max(before.last, noted.last);
            return;
        }
    }
    if (noted_count_ == kNotedMax) set_noted_stamps();
    noted_[noted_count_++] = noted;
}

void Copies::set_stamps() const {
    std::lock_guard guard(stamp_lock_);
    set_noted_stamps();
}

void Copies::set_noted_stamps() const {
    if (noted_count_ == 0) return;
    const std::span noted(noted_, std::exchange(noted_count_, 0));
    for (const Noted& each : noted) {
        const Stamped& to = stamped_[each.pe];
        to.number = PageStamps::next(to.number);
        to.there.set(policy_, each.first, each.last, to.number);
    }
    policy_.finish();
    for (const Noted& each : noted) {
        const Stamped& to = stamped_[each.pe];
        to.there.set_last(policy_, to.number);
    }
    policy_.finish();
}

void Copies::publish_written(std::size_t begin, std::size_t end) {
    if (!is_watched() || end - begin <= kComparedBytes) return publish_bytes(begin, end);
    written_.take(segment_.own + begin, segment_.own + end, [this](char* from, char* to) {
        publish_bytes(static_cast<std::size_t>(from - segment_.own),
                      std::min(static_cast<std::size_t>(to - segment_.own), segment_.bytes));
    });
}

void Copies::refresh_marked(std::size_t begin, std::size_t end) {
    const auto refresh = [this](std::size_t from, std::size_t to) {
        refresh_bytes(from, std::min(to, segment_.bytes));
    };
    my_marks().take(begin, end, refresh);
    for (const Stamped& each : stamped_) {
        if (each.latest == each.seen) continue;
        if (each.latest - each.seen >= PageStamps::kTooFar) return refresh_bytes(begin, end);
        each.here.changed(policy_, begin, end, each.seen, refresh);
    }
}

// A look at a part of the pages leaves `seen` as it is.
void Copies::refresh_marked_range(std::size_t begin, std::size_t end) {
    look_at_stamps();
    refresh_marked(begin, end);
}

void Copies::by_lines(LineStep by_line, Step by_word, std::size_t begin, std::size_t end) {
    const std::size_t lines_begin = std::min(round_up(begin, kCacheLineBytes), end);
    const std::size_t lines_end = std::max(align_down(end, kCacheLineBytes), lines_begin);
    if (by_line == nullptr || lines_begin == lines_end) return (this->*by_word)(begin, end);
    (this->*by_word)(begin, lines_begin);
    by_line({segment_.own + lines_begin, my_public() + lines_begin, twin_ + lines_begin,
             lines_end - lines_begin});
    (this->*by_word)(lines_end, end);
}

void Copies::publish_bytes(std::size_t begin, std::size_t end) {
    by_lines(line_copies_.publish, &Copies::publish_words, begin, end);
}

void Copies::refresh_bytes(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    policy_.before_load(my_public() + begin, end - begin);
    refresh_loaded_bytes(begin, end);
}

void Copies::refresh_loaded_bytes(std::size_t begin, std::size_t end) {
    by_lines(line_copies_.refresh, &Copies::refresh_words, begin, end);
}

void Copies::publish_line(std::size_t begin, std::size_t end) {
    std::size_t at = begin;
    while (at < end && load(segment_.own + at) == *word_at(twin_ + at)) at += kWordBytes;
    if (at >= end) return;
    for (at = begin; at < end; at += kWordBytes) {
        const std::uint64_t now = load(segment_.own + at);
        policy_.store_bytes(word_at(my_public() + at), now, 0xff);
        *word_at(twin_ + at) = now;
    }
}

void Copies::publish_words(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += kWordBytes) {
        const std::uint64_t now = load(segment_.own + at);
        std::uint64_t& before = *word_at(twin_ + at);
        if (now == before) continue;
        const std::uint64_t changed = bytes_that_differ(now, before);
        policy_.store_bytes(word_at(my_public() + at), now, bits_of_bytes(changed));
        before = now;
    }
}

// Changes of this PE alone stay where they are, until they are published.
void Copies::refresh_words(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += kWordBytes) {
        if (load(my_public() + at) != *word_at(twin_ + at)) refresh_word(at);
    }
}

void Copies::refresh_word(std::size_t at) {
    std::uint64_t& before = *word_at(twin_ + at);
    std::atomic_ref own(*word_at(segment_.own + at));
    const std::uint64_t theirs = load(my_public() + at);
    std::uint64_t now = own.load(std::memory_order_relaxed);
    for (;;) {
        const std::uint64_t changed = bytes_that_differ(now, before);
        const std::uint64_t fresh = (theirs & ~changed) | (now & changed);
        if (changed != 0)
            policy_.store_bytes(word_at(my_public() + at), now, bits_of_bytes(changed));
        // Relaxed: the program's own threads order their accesses.
        if (fresh == now || own.compare_exchange_strong(now, fresh, std::memory_order_relaxed)) {
            before = fresh;
            return;
        }
    }
}

void Copies::store_here(void* dest, const void* source, std::size_t bytes) {
    const std::size_t at = offset_of(dest);
    std::lock_guard guard(lock_);
    policy_.store(my_public() + at, source, bytes);
    copy_bytes(segment_.own + at, source, bytes);
    std::memcpy(twin_ + at, segment_.own + at, bytes);
}

std::span<char> Copies::random_line(Dice& dice) const {
    if (segment_.parts.empty()) return {};
    const UsedPart& part = segment_.parts[dice.below(segment_.parts.size())];
    const std::size_t end = std::min(round_up(part.end(), kWordBytes), segment_.bytes);
    if (end <= part.begin) return {};
    const std::size_t lines = (end - part.begin + kCacheLineBytes - 1) / kCacheLineBytes;
    const std::size_t begin = part.begin + dice.below(lines) * kCacheLineBytes;
    return {segment_.own + begin, std::min(kCacheLineBytes, end - begin)};
}

void Copies::evict(Dice& dice) {
    const std::unique_lock guard(lock_, std::try_to_lock);
    if (!guard.owns_lock()) return;
    const std::span<char> line = random_line(dice);
    if (line.empty()) return;
    const Step step = dice.below(2) == 0 ? &Copies::publish_bytes : &Copies::refresh_bytes;
    const std::size_t begin = offset_of(line.data());
    (this->*step)(begin, begin + line.size());
    policy_.finish();
}

}  // namespace tessera::noncoherent
