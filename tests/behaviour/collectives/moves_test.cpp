// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a broadcast, collect, fcollect, alltoall or alltoalls puts a byte where it does not
// belong, writes to a member that has not come yet, or mixes up calls that follow each other
// without a barrier. The algorithms are those of the settings; the runs of this program go through
// all of them. Calls, teams, lengths, places and delays are random.
#include <shmem.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "collectives/script.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::dawdle;

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::pattern;
using tessera::test::scaled;

constexpr std::size_t kArrayBytes = std::size_t{3} << 20;
constexpr std::size_t kStridedMax = 600;
constexpr std::size_t kBehind = 64;  // bytes behind dest that must stay as they are

// One type's routines.
struct Form {
    const char* name;
    std::size_t element_bytes;
    int (*broadcast)(shmem_team_t, void*, const void*, std::size_t, int);
    int (*collect)(shmem_team_t, void*, const void*, std::size_t);
    int (*fcollect)(shmem_team_t, void*, const void*, std::size_t);
    int (*alltoall)(shmem_team_t, void*, const void*, std::size_t);
    int (*alltoalls)(shmem_team_t, void*, const void*, std::ptrdiff_t, std::ptrdiff_t, std::size_t);
};
#define TYPED_FORM(NAME, T)                                                               \
    {                                                                                     \
#NAME, sizeof(T),                                                                       \
            [](shmem_team_t team, void* dest, const void* source, std::size_t nelems,           \
               int root) {                                                                      \
                return shmem_##NAME##_broadcast(team, static_cast<T*>(dest),                    \
                                                static_cast<const T*>(source), nelems, root);   \
            },                                                                                  \
            [](shmem_team_t team, void* dest, const void* source, std::size_t nelems) {         \
                return shmem_##NAME##_collect(team, static_cast<T*>(dest),                      \
                                              static_cast<const T*>(source), nelems);           \
            },                                                                                  \
            [](shmem_team_t team, void* dest, const void* source, std::size_t nelems) {         \
                return shmem_##NAME##_fcollect(team, static_cast<T*>(dest),                     \
                                               static_cast<const T*>(source), nelems);          \
            },                                                                                  \
            [](shmem_team_t team, void* dest, const void* source, std::size_t nelems) {         \
                return shmem_##NAME##_alltoall(team, static_cast<T*>(dest),                     \
                                               static_cast<const T*>(source), nelems);          \
            },                                                                                  \
            [](shmem_team_t team, void* dest, const void* source, std::ptrdiff_t dst,           \
               std::ptrdiff_t sst, std::size_t nelems) {                                        \
                return shmem_##NAME##_alltoalls(team, static_cast<T*>(dest),                    \
                                                static_cast<const T*>(source), dst, sst,        \
                                                nelems);                                        \
            } \
    }
const Form kForms[] = {TYPED_FORM(uchar, unsigned char),
                       TYPED_FORM(short, short),
                       TYPED_FORM(int, int),
                       TYPED_FORM(ulong, unsigned long),
                       {"mem", 1, shmem_broadcastmem, shmem_collectmem, shmem_fcollectmem,
                        shmem_alltoallmem, shmem_alltoallsmem}};
#undef TYPED_FORM

constexpr int kPsyncs = 8;
constexpr int kPsyncWords = std::max({SHMEM_BCAST_SYNC_SIZE, SHMEM_COLLECT_SYNC_SIZE,
                                      SHMEM_ALLTOALL_SYNC_SIZE, SHMEM_ALLTOALLS_SYNC_SIZE});
long psyncs[2][kPsyncs][kPsyncWords];  // for the world, and for the halves

// The PEs of a call.
struct Group {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    std::vector<int> pes;
    // The same as an active set; size 0: there is none.
    int start = 0;
    int log_stride = 0;
    int size = 0;
    long (*psync)[kPsyncWords] = nullptr;
    int psyncs_used = 0;

    int npes() const { return static_cast<int>(pes.size()); }
    int me() const { return shmem_team_my_pe(team); }
    // A pSync that all members have left.
    long* next_psync() {
        if (psyncs_used == kPsyncs) {
            shmem_team_sync(team);
            psyncs_used = 0;
        }
        return psync[psyncs_used++];
    }
};

enum class Routine { kBroadcast, kCollect, kFcollect, kAlltoall, kAlltoalls, kReduce, kSync };
constexpr int kRoutines = 7;

// The facts about a call that all members of a group know.
struct Call {
    Routine routine;
    const Form* form;
    std::size_t nelems;
    int root;
    bool is_in_place;    // broadcast
    bool is_active_set;  // the deprecated form, where the group is one
    bool source_is_static;
    bool dest_is_static;
    std::size_t offset;  // index of dest in its array
    int dst;
    int sst;
    std::size_t number;

    std::string text() const {
        static constexpr const char* kNames[] = {"broadcast", "collect", "fcollect", "alltoall",
                                                 "alltoalls", "reduce",  "sync"};
        return std::string(kNames[static_cast<int>(routine)]) + " of " + std::to_string(nelems) +
               " " + form->name + ", call " + std::to_string(number) + ", root " +
               std::to_string(root) + (is_in_place ? ", in place" : "") +
               (is_active_set ? ", active set" : "");
    }
};

// The same on all PEs of a group; everything that a call depends on comes from it.
class Script {
  public:
    explicit Script(unsigned long seed) : random_(seed) {}
    std::size_t below(std::size_t limit) { return random_() % limit; }

    Call next(const Group& group, std::size_t number) {
        static constexpr std::size_t kLengths[] = {0,  1,   2,   3,   7,    8,    31,   64,
                                                   65, 127, 129, 513, 1000, 1025, 2047, 4099};
        Call call{};
        call.routine = static_cast<Routine>(below(kRoutines));
        call.form = &kForms[below(std::size(kForms))];
        call.nelems = kLengths[below(std::size(kLengths))];
        // Elements go one by one between nodes.
        if (call.routine == Routine::kAlltoalls) call.nelems = std::min(call.nelems, kStridedMax);
        call.root = static_cast<int>(below(group.pes.size()));
        call.is_in_place = below(4) == 0;
        call.is_active_set = below(6) == 0 && group.size > 0;
        call.source_is_static = below(4) == 0;
        call.dest_is_static = below(4) == 0;
        call.offset = below(9);
        call.dst = static_cast<int>(below(3)) + 1;
        call.sst = static_cast<int>(below(3)) + 1;
        call.number = number;
        return call;
    }

  private:
    std::mt19937_64 random_;
};

alignas(64) unsigned char static_source[kArrayBytes / 2];
alignas(64) unsigned char static_dest[kArrayBytes / 2];

struct Arrays {
    unsigned char* source = static_cast<unsigned char*>(shmem_align(64, kArrayBytes));
    unsigned char* dest = static_cast<unsigned char*>(shmem_align(64, kArrayBytes));

    void release() const {
        shmem_free(source);
        shmem_free(dest);
    }
};

// Runs one call on one PE: its arrays before, the routine, and what must be in dest then.
class Runner {
  public:
    Runner(Group& group, const Arrays& arrays, const Call& call)
        : group_(group), call_(call), form_(*call.form), bytes_(call.nelems * form_.element_bytes) {
        npes_ = group.pes.size();
        const std::size_t largest = std::max(npes_ * bytes_ * 3 + 1024, source_bytes());
        dest_ = (call.dest_is_static && largest < sizeof static_dest ? static_dest : arrays.dest) +
                call.offset * form_.element_bytes;
        source_ =
            call.source_is_static && largest < sizeof static_source ? static_source : arrays.source;
        if (call.routine == Routine::kBroadcast && call.is_in_place) source_ = dest_;
    }

    void run() {
        fill_in();
        ASSERT_EQ(call_.is_active_set ? run_active_set() : run_team(), 0) << call_.text();
        const std::string problem = difference(dest_, expected_.data(), expected_.size());
        ASSERT_EQ(problem, "") << call_.text();
        // Both belong to this PE alone from here on.
        std::fill_n(dest_, expected_.size(), static_cast<unsigned char>(0x11));
        std::fill_n(source_, source_bytes(), static_cast<unsigned char>(0x22));
    }

  private:
    std::size_t contribution(int index) const {
        if (call_.routine != Routine::kCollect) return call_.nelems;
        // None from some, all from others.
        return (static_cast<std::size_t>(index) * 7 + call_.number) % 4 * call_.nelems / 3;
    }
    std::size_t source_bytes() const {
        switch (call_.routine) {
            case Routine::kAlltoall: return npes_ * bytes_;
            case Routine::kAlltoalls: return npes_ * bytes_ * static_cast<std::size_t>(call_.sst);
            default: return bytes_;
        }
    }

    // Sources say whose they are and where they go; dest must be overwritten, and no more than it.
    void fill_in() {
        const int me = group_.me();
        std::fill_n(source_, source_bytes(), static_cast<unsigned char>(0x33));
        expected_.assign(dest_bytes() + kBehind, kGuard);
        std::copy(expected_.begin(), expected_.end(), dest_);
        switch (call_.routine) {
            case Routine::kBroadcast: return fill_broadcast(me);
            case Routine::kCollect:
            case Routine::kFcollect: return fill_collect(me);
            case Routine::kAlltoall: return fill_alltoall(me, 1, 1);
            case Routine::kAlltoalls: return fill_alltoall(me, call_.dst, call_.sst);
            default: return;
        }
    }
    std::size_t dest_bytes() const {
        switch (call_.routine) {
            case Routine::kBroadcast: return bytes_;
            case Routine::kAlltoalls: return npes_ * bytes_ * static_cast<std::size_t>(call_.dst);
            case Routine::kCollect: {
                std::size_t nelems = 0;
                for (int i = 0; i < group_.npes(); ++i) nelems += contribution(i);
                return nelems * form_.element_bytes;
            }
            default: return npes_ * bytes_;
        }
    }
    void fill_broadcast(int me) {
        if (me == call_.root) fill(source_, bytes_, call_.root, 0, call_.number);
        const bool is_written = me != call_.root || !call_.is_active_set || call_.is_in_place;
        if (is_written) fill(expected_.data(), bytes_, call_.root, 0, call_.number);
    }
    void fill_collect(int me) {
        fill(source_, contribution(me) * form_.element_bytes, me, 0, call_.number);
        std::size_t at = 0;
        for (int i = 0; i < group_.npes(); ++i) {
            const std::size_t size = contribution(i) * form_.element_bytes;
            fill(expected_.data() + at, size, i, 0, call_.number);
            at += size;
        }
    }
    void fill_alltoall(int me, int dst, int sst) {
        for (int other = 0; other < group_.npes(); ++other) {
            const std::size_t block = static_cast<std::size_t>(other) * call_.nelems;
            for (std::size_t i = 0; i < call_.nelems; ++i) {
                for (std::size_t byte = 0; byte < form_.element_bytes; ++byte) {
                    const std::size_t from = static_cast<std::size_t>(sst) * (block + i);
                    const std::size_t to = static_cast<std::size_t>(dst) * (block + i);
                    const std::size_t which = i * form_.element_bytes + byte;
                    source_[from * form_.element_bytes + byte] =
                        pattern(me, other, call_.number, which);
                    expected_[to * form_.element_bytes + byte] =
                        pattern(other, me, call_.number, which);
                }
            }
        }
    }

    int run_team() {
        shmem_team_t team = group_.team;
        switch (call_.routine) {
            case Routine::kBroadcast:
                return form_.broadcast(team, dest_, source_, call_.nelems, call_.root);
            case Routine::kCollect:
                return form_.collect(team, dest_, source_, contribution(group_.me()));
            case Routine::kFcollect: return form_.fcollect(team, dest_, source_, call_.nelems);
            case Routine::kAlltoall: return form_.alltoall(team, dest_, source_, call_.nelems);
            case Routine::kAlltoalls:
                return form_.alltoalls(team, dest_, source_, call_.dst, call_.sst, call_.nelems);
            case Routine::kReduce: return reduce();
            case Routine::kSync: return shmem_team_sync(team);
        }
        return -1;
    }
    // Other collectives of the team use the same flags.
    int reduce() {
        static int mine;
        static int sum;
        mine = group_.me() + 1;
        const int result = shmem_int_sum_reduce(group_.team, &sum, &mine, 1);
        EXPECT_EQ(sum, group_.npes() * (group_.npes() + 1) / 2) << call_.text();
        return result;
    }
    int run_active_set() {
        // Elements of 4 or 8 bytes only; the others are called for a team.
        if (form_.element_bytes == 4) {
            return run_sized(shmem_broadcast32, shmem_collect32, shmem_fcollect32, shmem_alltoall32,
                             shmem_alltoalls32);
        }
        return run_sized(shmem_broadcast64, shmem_collect64, shmem_fcollect64, shmem_alltoall64,
                         shmem_alltoalls64);
    }
    template <class Broadcast, class Collect, class Alltoalls>
    int run_sized(Broadcast broadcast, Collect collect, Collect fcollect, Collect alltoall,
                  Alltoalls alltoalls) {
        const int start = group_.start;
        const int log_stride = group_.log_stride;
        const int size = group_.size;
        long* psync = group_.next_psync();
        switch (call_.routine) {
            case Routine::kBroadcast:
                broadcast(dest_, source_, call_.nelems, call_.root, start, log_stride, size, psync);
                return 0;
            case Routine::kCollect:
                collect(dest_, source_, contribution(group_.me()), start, log_stride, size, psync);
                return 0;
            case Routine::kFcollect:
                fcollect(dest_, source_, call_.nelems, start, log_stride, size, psync);
                return 0;
            case Routine::kAlltoall:
                alltoall(dest_, source_, call_.nelems, start, log_stride, size, psync);
                return 0;
            case Routine::kAlltoalls:
                alltoalls(dest_, source_, call_.dst, call_.sst, call_.nelems, start, log_stride,
                          size, psync);
                return 0;
            default: return run_team();
        }
    }

    Group& group_;
    const Call& call_;
    const Form& form_;
    std::size_t bytes_;
    std::size_t npes_;
    unsigned char* source_;
    unsigned char* dest_;
    Bytes expected_;
};

void run(Group& group, const Arrays& arrays, Script& script, std::size_t number) {
    Call call = script.next(group, number);
    const std::size_t element = call.form->element_bytes;
    call.is_active_set = call.is_active_set && (element == 4 || element == 8);
    Runner(group, arrays, call).run();
}

Group world() {
    Group group;
    group.team = SHMEM_TEAM_WORLD;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) group.pes.push_back(pe);
    group.size = shmem_n_pes();
    group.psync = psyncs[0];
    return group;
}

// The even or the odd PEs.
Group half() {
    Group group;
    const int npes = shmem_n_pes();
    for (int start = 0; start < std::min(npes, 2); ++start) {
        const int size = (npes - start + 1) / 2;
        shmem_team_t team = SHMEM_TEAM_INVALID;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 2, size, nullptr, 0, &team);
        if (team == SHMEM_TEAM_INVALID) continue;
        group.team = team;
        for (int i = 0; i < size; ++i) group.pes.push_back(start + 2 * i);
        group.start = start;
        group.log_stride = 1;
        group.size = size;
        group.psync = psyncs[1];
    }
    return group;
}

// All PEs, the last one first.
Group backwards() {
    Group group;
    const int npes = shmem_n_pes();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, nullptr, 0, &group.team);
    for (int pe = npes - 1; pe >= 0; --pe) group.pes.push_back(pe);
    return group;
}

void expect_clean_psyncs() {
    shmem_barrier_all();
    for (auto& of_group : psyncs) {
        for (auto& psync : of_group) {
            for (long word : psync) ASSERT_EQ(word, SHMEM_SYNC_VALUE);
        }
    }
}

// Between two calls each PE only changes its own arrays.
TEST(Moves, CallsFollowEachOtherWithoutABarrier) {
    const Arrays arrays;
    Group all = world();
    Script script(tessera::test::shared_seed());
    std::mt19937 own(static_cast<unsigned>(shmem_my_pe()) + 1);
    for (int i = 0; i < scaled(1500); ++i) {
        dawdle(own);
        run(all, arrays, script, static_cast<std::size_t>(i));
        if (HasFatalFailure()) return;
    }
    expect_clean_psyncs();
    arrays.release();
}

// Two halves at the same time, and all together, in two orders, now and then.
TEST(Moves, TeamsDoNotMix) {
    const Arrays arrays;
    Group all = world();
    Group mine = half();
    Group reverse = backwards();
    const auto side = static_cast<unsigned long>(shmem_my_pe() % 2);
    Script together(tessera::test::shared_seed() + 1);
    Script apart(tessera::test::shared_seed() + 2 + side);
    std::mt19937 own(static_cast<unsigned>(shmem_my_pe()) + 100);
    for (int i = 0; i < scaled(1000); ++i) {
        dawdle(own);
        const auto number = static_cast<std::size_t>(i);
        switch (i % 7) {
            case 0: run(all, arrays, together, number); break;
            case 3: run(reverse, arrays, together, number); break;
            default: run(mine, arrays, apart, number); break;
        }
        if (HasFatalFailure()) return;
    }
    expect_clean_psyncs();
    shmem_team_destroy(mine.team);
    shmem_team_destroy(reverse.team);
    arrays.release();
}

// Lengths about those of pieces, buffers and blocks, and long ones.
TEST(Moves, LongVectors) {
    const Arrays arrays;
    Group all = world();
    Script script(tessera::test::shared_seed() + 4);
    const Form& bytes = kForms[std::size(kForms) - 1];
    std::size_t number = 0;
    for (std::size_t length : {8191, 8192, 16385, 65535, 65536, 65537, 196608, 200001, 1048576}) {
        // Most of them are broadcasts: each piece of the data may be late.
        for (int i = 0; i < 8; ++i) {
            Call call = script.next(all, number++);
            call.routine = i <= static_cast<int>(Routine::kAlltoall) ? static_cast<Routine>(i)
                                                                     : Routine::kBroadcast;
            call.form = &bytes;
            call.is_active_set = false;
            const bool is_one_vector = call.routine == Routine::kBroadcast;
            call.nelems = is_one_vector ? length : length / all.pes.size();
            Runner(all, arrays, call).run();
            if (HasFatalFailure()) return;
        }
    }
    arrays.release();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
