// SPDX-License-Identifier: BSD-3-Clause
//
// One call of random_collectives_test.cpp: its plan, which is the same on all PEs, this PE's arrays
// and arguments, and the dest that the test expects.
#pragma once

#include <shmemx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "random_operations.hpp"

namespace tessera::test {

using Bytes = std::vector<char>;
using Sizes = std::vector<size_t>;

enum Kind {
    kBroadcast,
    kGather,
    kGatherv,
    kScatter,
    kScatterv,
    kAllgather,
    kAllgatherv,
    kAlltoall,
    kAlltoallv,
    kReduce,
    kAllreduce,
    kReduceScatter,
    kReduceScatterv,
    kBlockingKinds,
    kIbarrier = kBlockingKinds,
    kIbroadcast,
    kIallgather,
    kIalltoall,
    kIreduce,
    kIallreduce,
    kKinds
};
inline const char* const kNames[] = {"broadcast",       "gather",    "gatherv",    "scatter",
                                     "scatterv",        "allgather", "allgatherv", "alltoall",
                                     "alltoallv",       "reduce",    "allreduce",  "reduce_scatter",
                                     "reduce_scatterv", "ibarrier",  "ibroadcast", "iallgather",
                                     "ialltoall",       "ireduce",   "iallreduce"};

struct Plan {
    Kind kind;
    int team;
    size_t nelems;
    size_t element_bytes;
    size_t operation;
    uint64_t number;  // number of the call
    uint64_t shape;   // seed of counts, displacements and places of arrays
    uint64_t root;
    bool is_in_place;
};

inline uint64_t mixed(uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

struct Team {
    shmem_team_t handle;
    int npes, me;
    uint64_t color;  // members of different teams have different data
};

inline constexpr size_t kHeapBytes = size_t{8} << 20;
inline constexpr size_t kStaticBytes = 64 << 10;
inline char* heap;
inline char statics[kStaticBytes];
inline constexpr char kUntouched = 0x5A;

// Memory for one call, of this PE's random kind.
class Arena {
  public:
    void reset() {
        heap_used_ = 0;
        static_used_ = 0;
        owned_.clear();
    }
    char* get(size_t bytes, uint64_t choice) {
        const size_t room = (bytes + 79) / 64 * 64;
        char* memory = nullptr;
        if (choice % 3 == 0 && heap_used_ + room <= kHeapBytes) {
            memory = heap + heap_used_;
            heap_used_ += room;
        } else if (choice % 3 == 1 && static_used_ + room <= kStaticBytes) {
            memory = statics + static_used_;
            static_used_ += room;
        } else {
            owned_.push_back(std::make_unique<char[]>(room));
            memory = owned_.back().get();
        }
        std::memset(memory, kUntouched, room);
        return memory;
    }

  private:
    size_t heap_used_ = 0, static_used_ = 0;
    std::vector<std::unique_ptr<char[]>> owned_;
};
inline Arena arena;

[[noreturn]] inline void fail(const Plan& plan, const Team& team, const char* what) {
    std::fprintf(stderr,
                 "[pe %d] call %llu, %s, on team %d of %d as %d: %s (nelems %zu of %zu, operation "
                 "%zu, root %llu%s)\n",
                 shmem_my_pe(), (unsigned long long)plan.number, kNames[plan.kind], plan.team,
                 team.npes, team.me, what, plan.nelems, plan.element_bytes, plan.operation,
                 (unsigned long long)plan.root, plan.is_in_place ? ", in place" : "");
    shmem_global_exit(1);
    std::abort();
}

// The source of member i.
inline void fill(char* data, size_t bytes, const Plan& plan, const Team& team, int member) {
    const uint64_t key = mixed(plan.number * 1000 + static_cast<uint64_t>(member)) ^ team.color;
    for (size_t at = 0; at < bytes; at += 8) {
        const uint64_t word = mixed(key + at);
        std::memcpy(data + at, &word, bytes - at < 8 ? bytes - at : 8);
    }
}
inline Bytes source_of(size_t bytes, const Plan& plan, const Team& team, int member) {
    Bytes data(bytes);
    fill(data.data(), bytes, plan, team, member);
    // The padding of pairs is no value.
    if (plan.kind >= kReduce && plan.operation == 3) {
        for (size_t at = 0; at + 16 <= bytes; at += 16) {
            std::memset(data.data() + at + 2, 0, 6);
            data[at + 1] = 0;  // Many values are equal.
            data[at] &= 3;
        }
    }
    return data;
}

// Elements that member `from` has for member `to`.
inline size_t count_of(const Plan& plan, int from, int to) {
    if (plan.kind == kAllgatherv || plan.kind == kGatherv) to = 0;
    if (plan.kind == kScatterv || plan.kind == kReduceScatterv) from = 0;
    const uint64_t random = mixed(plan.shape + static_cast<uint64_t>(from * 64 + to));
    return random % 4 == 0 ? 0 : random / 4 % (plan.nelems + 1);
}

// One call of this PE, from its arguments to its check.
class Call {
  public:
    Call(const Plan& plan, const Team& team) : plan_(plan), team_(team) {
        const auto n = static_cast<size_t>(team.npes);
        root_ = static_cast<int>(plan.root % n);
        choice_ = mixed(plan.shape * 77 + static_cast<uint64_t>(shmem_my_pe()));
        operation_ = operation(plan.operation);
        bytes_ = is_reduction() ? operation_.bytes : plan.element_bytes;
        prepare();
    }
    void start() { perform(); }
    shmemx_req_t& request() { return request_; }
    const Plan& plan() const { return plan_; }
    void check() {
        if (dest_ != nullptr && std::memcmp(dest_, expected_.data(), expected_.size()) != 0) {
            size_t at = 0;
            while (dest_[at] == expected_[at]) ++at;
            char text[100];
            std::snprintf(text, sizeof text, "dest differs at byte %zu of %zu", at,
                          expected_.size());
            fail(plan_, team_, text);
        }
        if (source_ != nullptr && source_ != dest_ &&
            std::memcmp(source_, source_before_.data(), source_before_.size()) != 0) {
            fail(plan_, team_, "source has changed");
        }
    }

  private:
    bool is_reduction() const {
        return (plan_.kind >= kReduce && plan_.kind <= kReduceScatterv) || plan_.kind >= kIreduce;
    }
    Kind base() const {
        switch (plan_.kind) {
            case kIbroadcast: return kBroadcast;
            case kIallgather: return kAllgather;
            case kIalltoall: return kAlltoall;
            case kIreduce: return kReduce;
            case kIallreduce: return kAllreduce;
            default: return plan_.kind;
        }
    }
    size_t n() const { return static_cast<size_t>(team_.npes); }
    bool is_root() const { return team_.me == root_; }
    size_t place(size_t i) const { return i * (plan_.nelems + 1); }  // elements

    void take_source(size_t bytes) {
        source_ = arena.get(bytes, choice_);
        source_before_ = source_of(bytes, plan_, team_, team_.me);
        if (bytes > 0) std::memcpy(source_, source_before_.data(), bytes);
    }
    // A dest of `room` bytes, of which the test expects `expected`; the rest stays.
    void take_dest(size_t room) {
        const bool is_shared = plan_.is_in_place && source_ != nullptr &&
                               source_before_.size() >= room && may_be_in_place();
        dest_ = is_shared ? source_ : arena.get(room, choice_ / 3);
        expected_.assign(room, kUntouched);
        if (is_shared) expected_ = source_before_;
    }
    bool may_be_in_place() const {
        const Kind kind = base();
        return kind == kAlltoall || kind == kReduce || kind == kAllreduce ||
               kind == kReduceScatter || (kind == kBroadcast && is_root());
    }
    void expect(size_t at, const Bytes& data, size_t from, size_t bytes) {
        if (bytes > 0) std::memcpy(expected_.data() + at, data.data() + from, bytes);
    }
    Bytes source_of_member(size_t i, size_t bytes) const {
        return source_of(bytes, plan_, team_, static_cast<int>(i));
    }
    Bytes combined(size_t nelems) const {
        Bytes result = source_of_member(0, nelems * bytes_);
        for (size_t i = 1; i < n(); ++i) {
            const Bytes next = source_of_member(i, nelems * bytes_);
            operation_.combine(result.data(), next.data(), nelems, operation_.own.user_data);
        }
        return result;
    }
    void prepare();
    void prepare_blocks();
    void prepare_reduction();
    void perform();
    void perform_reduction();

    Plan plan_;
    Team team_;
    int root_ = 0;
    size_t bytes_ = 1;
    uint64_t choice_ = 0;
    Operation operation_;
    char* source_ = nullptr;
    char* dest_ = nullptr;
    Bytes source_before_, expected_;
    Sizes counts_, displs_, source_counts_, source_displs_;
    shmemx_req_t request_ = SHMEMX_REQ_COMPLETE;
};

inline void Call::prepare() {
    const size_t block = plan_.nelems * bytes_;
    const auto me = static_cast<size_t>(team_.me);
    switch (base()) {
        case kBroadcast:
            if (is_root()) take_source(block);
            take_dest(block);
            expect(0, source_of_member(static_cast<size_t>(root_), block), 0, block);
            return;
        case kGather:
        case kAllgather:
            take_source(block);
            if (base() == kGather && !is_root()) return;
            take_dest(block * n());
            for (size_t i = 0; i < n(); ++i)
                expect(i * block, source_of_member(i, block), 0, block);
            return;
        case kScatter:
            if (is_root()) take_source(block * n());
            take_dest(block);
            expect(0, source_of_member(static_cast<size_t>(root_), block * n()), me * block, block);
            return;
        case kAlltoall:
            take_source(block * n());
            take_dest(block * n());
            for (size_t i = 0; i < n(); ++i)
                expect(i * block, source_of_member(i, block * n()), me * block, block);
            return;
        case kIbarrier: return;
        default: return is_reduction() ? prepare_reduction() : prepare_blocks();
    }
}

inline void Call::prepare_blocks() {
    const size_t all = place(n()) * bytes_;
    const auto me = static_cast<size_t>(team_.me);
    const auto root = static_cast<size_t>(root_);
    const bool has_blocks = plan_.kind == kAlltoallv || (plan_.kind == kScatterv && is_root());
    const bool gives_one = plan_.kind == kGatherv || plan_.kind == kAllgatherv;
    for (size_t i = 0; i < n(); ++i) {
        counts_.push_back(count_of(plan_, static_cast<int>(i), team_.me));
        displs_.push_back(place(i));
        source_counts_.push_back(count_of(plan_, team_.me, static_cast<int>(i)));
        source_displs_.push_back(place(n() - 1 - i));
    }
    if (has_blocks) take_source(all);
    if (gives_one) take_source(count_of(plan_, team_.me, 0) * bytes_);
    if (plan_.kind == kScatterv) {
        take_dest(count_of(plan_, root_, team_.me) * bytes_);
        expect(0, source_of_member(root, all), place(n() - 1 - me) * bytes_, expected_.size());
        return;
    }
    if (plan_.kind == kGatherv && !is_root()) return;
    take_dest(all);
    for (size_t i = 0; i < n(); ++i) {
        const size_t bytes = counts_[i] * bytes_;
        const Bytes theirs = source_of_member(i, plan_.kind == kAlltoallv ? all : bytes);
        expect(displs_[i] * bytes_, theirs,
               plan_.kind == kAlltoallv ? place(n() - 1 - me) * bytes_ : 0, bytes);
    }
}

inline void Call::prepare_reduction() {
    const size_t nelems = plan_.nelems;
    const auto me = static_cast<size_t>(team_.me);
    switch (base()) {
        case kReduce:
        case kAllreduce:
            take_source(nelems * bytes_);
            if (base() == kReduce && !is_root()) return;
            take_dest(nelems * bytes_);
            return expect(0, combined(nelems), 0, nelems * bytes_);
        case kReduceScatter:
            take_source(nelems * bytes_ * n());
            take_dest(nelems * bytes_);
            return expect(0, combined(nelems * n()), me * nelems * bytes_, nelems * bytes_);
        default: break;
    }
    for (size_t i = 0; i < n(); ++i) {
        counts_.push_back(count_of(plan_, 0, static_cast<int>(i)));
        displs_.push_back(place(i));
    }
    take_source(place(n()) * bytes_);
    take_dest(counts_[me] * bytes_);
    expect(0, combined(place(n())), displs_[me] * bytes_, counts_[me] * bytes_);
}

inline void Call::perform() {
    const size_t nelems = plan_.nelems;
    shmem_team_t team = team_.handle;
    int status = 0;
    switch (plan_.kind) {
        case kBroadcast:
            status = shmemx_broadcast(team, dest_, source_, nelems, bytes_, root_);
            break;
        case kGather: status = shmemx_gather(team, dest_, source_, nelems, bytes_, root_); break;
        case kGatherv:
            status = shmemx_gatherv(team, dest_, is_root() ? counts_.data() : nullptr,
                                    is_root() ? displs_.data() : nullptr, source_,
                                    count_of(plan_, team_.me, 0), bytes_, root_);
            break;
        case kScatter: status = shmemx_scatter(team, dest_, source_, nelems, bytes_, root_); break;
        case kScatterv:
            status = shmemx_scatterv(team, dest_, count_of(plan_, root_, team_.me), source_,
                                     is_root() ? source_counts_.data() : nullptr,
                                     is_root() ? source_displs_.data() : nullptr, bytes_, root_);
            break;
        case kAllgather: status = shmemx_allgather(team, dest_, source_, nelems, bytes_); break;
        case kAllgatherv:
            status =
                shmemx_allgatherv(team, dest_, counts_.data(), displs_.data(), source_, bytes_);
            break;
        case kAlltoall: status = shmemx_alltoall(team, dest_, source_, nelems, bytes_); break;
        case kAlltoallv:
            status = shmemx_alltoallv(team, dest_, counts_.data(), displs_.data(), source_,
                                      source_counts_.data(), source_displs_.data(), bytes_);
            break;
        case kIbarrier: status = shmemx_ibarrier(team, &request_); break;
        case kIbroadcast:
            status = shmemx_ibroadcast(team, dest_, source_, nelems, bytes_, root_, &request_);
            break;
        case kIallgather:
            status = shmemx_iallgather(team, dest_, source_, nelems, bytes_, &request_);
            break;
        case kIalltoall:
            status = shmemx_ialltoall(team, dest_, source_, nelems, bytes_, &request_);
            break;
        default: return perform_reduction();
    }
    if (status != 0) fail(plan_, team_, "the status is not 0");
}

inline void Call::perform_reduction() {
    const size_t nelems = plan_.nelems;
    shmem_team_t team = team_.handle;
    const bool is_own = operation_.type == 0;
    const int type = operation_.type;
    const int op = operation_.op;
    const shmemx_op_t* own = &operation_.own;
    int status = 0;
    switch (plan_.kind) {
        case kReduce:
            status = is_own ? shmemx_reduce_op(team, dest_, source_, nelems, own, root_)
                            : shmemx_reduce(team, dest_, source_, nelems, type, op, root_);
            break;
        case kAllreduce:
            status = is_own ? shmemx_allreduce_op(team, dest_, source_, nelems, own)
                            : shmemx_allreduce(team, dest_, source_, nelems, type, op);
            break;
        case kReduceScatter:
            status = is_own ? shmemx_reduce_scatter_op(team, dest_, source_, nelems, own)
                            : shmemx_reduce_scatter(team, dest_, source_, nelems, type, op);
            break;
        case kReduceScatterv:
            status = is_own ? shmemx_reduce_scatterv_op(team, dest_, source_, counts_.data(),
                                                        displs_.data(), own)
                            : shmemx_reduce_scatterv(team, dest_, source_, counts_.data(),
                                                     displs_.data(), type, op);
            break;
        case kIreduce:
            status = is_own
                         ? shmemx_ireduce_op(team, dest_, source_, nelems, own, root_, &request_)
                         : shmemx_ireduce(team, dest_, source_, nelems, type, op, root_, &request_);
            break;
        default:
            status = is_own ? shmemx_iallreduce_op(team, dest_, source_, nelems, own, &request_)
                            : shmemx_iallreduce(team, dest_, source_, nelems, type, op, &request_);
            break;
    }
    if (status != 0) fail(plan_, team_, "the status is not 0");
}

}  // namespace tessera::test
