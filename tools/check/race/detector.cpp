// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of detector.hpp.
#include "tools/check/race/detector.hpp"

#include <algorithm>

#include "tools/check/race/sites.hpp"
#include "tools/check/report.hpp"

namespace tessera::check::race {

namespace {

constexpr std::size_t kCellsAtOnce = 2048;
// Longer puts release one record instead of one for each word.
constexpr std::uint64_t kWordsWithRecords = 64;

}  // namespace

bool Detector::open(int pe, int n_pes) {
    pe_ = pe;
    op_ = 0;
    has_accesses_ = false;
    fenced_ = {};
    sites_.clear();
    learned_.clear();
    clock_.assign(static_cast<std::size_t>(n_pes), Progress{});
    return store_.open(pe, n_pes);
}

void Detector::begin_step(const interpose::Call& call) {
    has_accesses_ = false;
    clock_[static_cast<std::size_t>(pe_)][Lane::kProgram] = ++op_;
    set_site(call, text_of);
    is_of_dart_ = call.caller == interpose::Caller::kDart;
}

void Detector::begin_access(const interpose::Call& access) {
    if (!has_accesses_) clock_[static_cast<std::size_t>(pe_)][Lane::kProgram] = ++op_;
    has_accesses_ = true;
    set_site(access, pack_site);
    is_of_dart_ = false;  // the runtimes are not compiled with oshcc --check
}

void Detector::set_site(const interpose::Call& call, std::string (*text)(const interpose::Call&)) {
    auto [found, is_new] = sites_.try_emplace({call.site, call.routine});
    if (is_new) {
        auto number = std::min(sites_.size() - 1, Store::kSites - 1);
        found->second = static_cast<std::uint16_t>(number);
        store_.write_site(number, number + 1 < Store::kSites ? text(call) : "one more call");
    }
    site_ = found->second;
}

// Numbers the bytes of a PE's symmetric memory. Segments start at different cells.
std::uint64_t Detector::byte_of(const Range& range) {
    constexpr int kOffsetBits = 36;  // bits of a global pointer: shmemx/pointers.h
    constexpr std::uint64_t kSegmentBytes = (std::uint64_t{1} << kOffsetBits) + 8 * 333667;
    shmemx_gptr_t pointer = pshmemx_gptr_of(range.address, range.pe);
    std::uint64_t segment = (pointer >> kOffsetBits) & 0xff;
    return segment * kSegmentBytes + (pointer & ((std::uint64_t{1} << kOffsetBits) - 1));
}

bool Detector::knows(const Access& access, int target) {
    return clock_[access.pe][access.lane] >= access.op ||
           store_.read_deliveries(target, access.pe).covers(access.lane, access.op, clock_);
}

void Detector::touch(const Range& range, Touch touch, Lane lane, bool is_local_side) {
    if (range.bytes == 0 || is_of_dart()) return;
    if (pshmem_addr_accessible(range.address, range.pe) == 0) return;
    Access now{.op = op_,
               .pe = static_cast<std::uint16_t>(pe_),
               .site = site_,
               .touch = touch,
               .lane = lane,
               .is_local_side = is_local_side};
    const std::uint64_t begin = byte_of(range);
    const std::uint64_t end = begin + range.bytes;
    // Neighbouring words have the accesses of the same calls.
    Access asked;
    bool was_known = false;
    const auto is_known = [&](const Access& earlier) {
        if (earlier.op != asked.op || earlier.pe != asked.pe || earlier.lane != asked.lane) {
            asked = earlier;
            was_known = knows(earlier, range.pe);
        }
        return was_known;
    };
    store_.lock(range.pe);
    for (std::uint64_t word = begin / 8; word <= (end - 1) / 8;) {
        std::size_t count = std::min(
            {(end - 1) / 8 - word + 1, Store::words_to_wrap(word), std::uint64_t{kCellsAtOnce}});
        for (Cell& cell : store_.read_cells(range.pe, word, count)) {
            unsigned mask = 0xff;
            if (word * 8 < begin) mask &= 0xffU << (begin - word * 8);
            if (word * 8 + 8 > end) mask &= 0xffU >> (word * 8 + 8 - end);
            now.mask = static_cast<std::uint8_t>(mask);
            auto earlier = examine(cell, word, now, fenced_, is_known);
            if (earlier && !race_) {
                std::uint64_t first = std::max(word * 8, begin);
                race_ = Race{.earlier = *earlier,
                             .now = now,
                             .place = {static_cast<const char*>(range.address) + (first - begin),
                                       range.bytes, range.pe},
                             .is_after = clock_[earlier->pe][Lane::kProgram] >= earlier->op};
            }
            ++word;
        }
        store_.write_cells();
    }
    store_.unlock(range.pe);
}

// ---- What values carry --------------------------------------------------------------------------

void Detector::release_words(std::uint64_t first, std::uint64_t last, int pe,
                             const Progress& delivered) {
    if (last - first >= kWordsWithRecords) {
        store_.join_records(pe, Store::kLongPuts, 1, pe_, clock_, delivered);
        return;
    }
    for (std::uint64_t word = first; word <= last;) {
        std::size_t record = word % Store::kRecords;
        std::size_t count = std::min<std::uint64_t>(last - word + 1, Store::kRecords - record);
        store_.join_records(pe, record, count, pe_, clock_, delivered);
        word += count;
    }
}

void Detector::release(const Range& range, bool is_signal) {
    if (range.bytes == 0 || pshmem_addr_accessible(range.address, range.pe) == 0) return;
    std::uint64_t begin = byte_of(range);
    Progress delivered = fenced_;
    // Earlier puts with signals count as well: a signal that adds may be the last of several.
    if (is_signal) delivered[Lane::kSignalled] = op_;
    store_.lock(range.pe);
    release_words(begin / 8, (begin + range.bytes - 1) / 8, range.pe, delivered);
    store_.unlock(range.pe);
}

void Detector::learn(int target, std::span<const Released> record) {
    // The record may be a buffer that reading deliveries uses.
    const std::vector<Released> copy(record.begin(), record.end());
    for (std::size_t sender = 0; sender < copy.size(); ++sender) {
        clock_[sender].join(copy[sender].done);
        const Progress& delivered = copy[sender].delivered;
        Progress& learned = learned_[{target, static_cast<int>(sender)}];
        Progress all = learned;
        all.join(delivered);
        if (std::ranges::equal(all.upto, learned.upto)) continue;
        learned = all;
        Deliveries deliveries = store_.read_deliveries(target, static_cast<int>(sender));
        for (int lane = 0; lane < kLanes; ++lane) {
            if (delivered.upto[lane] != 0) {
                deliveries.add(
                    static_cast<Lane>(lane),
                    {.sent = delivered.upto[lane], .since = op_, .learner = static_cast<Op>(pe_)});
            }
        }
        store_.write_deliveries(target, static_cast<int>(sender), deliveries);
    }
}

void Detector::acquire(const Range& range, bool is_wait) {
    if (range.bytes == 0 || pshmem_addr_accessible(range.address, range.pe) == 0) return;
    const std::uint64_t begin = byte_of(range);
    const std::uint64_t end = begin + range.bytes;
    store_.lock(range.pe);
    for (std::uint64_t word = begin / 8; word <= (end - 1) / 8; ++word) {
        learn(range.pe, store_.read_record(range.pe, word % Store::kRecords));
        Cell& cell = store_.read_cells(range.pe, word, 1).front();
        bool is_long_put = false;
        for (const Access& access : cell.accesses) {
            is_long_put = is_long_put || (cell.word == word + 1 && access.op != 0 &&
                                          access.touch == Touch::kWrite &&
                                          clock_[access.pe][Lane::kProgram] < access.op);
        }
        unsigned mask = 0xff;
        if (word * 8 < begin) mask &= 0xffU << (begin - word * 8);
        if (word * 8 + 8 > end) mask &= 0xffU >> (word * 8 + 8 - end);
        forget_writes(cell, word, static_cast<std::uint8_t>(mask), !is_wait);
        store_.write_cells();
        if (is_long_put) learn(range.pe, store_.read_record(range.pe, Store::kLongPuts));
    }
    store_.unlock(range.pe);
}

void Detector::acquire_lock(const Range& lock) {
    if (pshmem_addr_accessible(lock.address, lock.pe) == 0) return;
    store_.lock(lock.pe);
    learn(lock.pe, store_.read_record(lock.pe, byte_of(lock) / 8 % Store::kRecords));
    store_.unlock(lock.pe);
}

void Detector::release_to_all() {
    store_.lock(0);
    store_.join_records(0, Store::kForAll, 1, pe_, clock_, Progress{});
    store_.unlock(0);
}

void Detector::acquire_from_all() {
    store_.lock(0);
    learn(0, store_.read_record(0, Store::kForAll));
    store_.unlock(0);
}

void Detector::fence(Lane lane) { fenced_.complete(lane, op_); }

void Detector::quiet(Lane lane) {
    fenced_.complete(lane, op_);
    clock_[static_cast<std::size_t>(pe_)].complete(lane, op_);
}

bool Detector::knows_delivered(const Pending& put) {
    store_.lock(put.target);
    bool knows = store_.read_deliveries(put.target, pe_).covers(put.lane, put.op, clock_);
    store_.unlock(put.target);
    return knows;
}

std::string Detector::call_of(const Access& access) {
    return unpack_site(store_.read_site(access.pe, access.site));
}

}  // namespace tessera::check::race
