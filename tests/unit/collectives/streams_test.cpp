// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a schedule of the runtime layer's collectives sends a piece too early, forgets one,
// mixes up the order of the members, or waits for what never comes. All members run in this
// process, in random order, over streams that hold four messages each, as the real ones.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "collectives/streams/binomial.hpp"
#include "collectives/streams/places.hpp"
#include "collectives/streams/progress.hpp"
#include "teams/team_streams.hpp"

namespace tessera::collectives {
namespace {

using Bytes = std::vector<char>;

// The streams of all members.
struct World {
    explicit World(int members) : npes(members), queues(static_cast<std::size_t>(npes * npes)) {}
    std::deque<Bytes>& queue(int from, int to) {
        return queues[static_cast<std::size_t>(from * npes + to)];
    }
    bool is_empty() const {
        return std::all_of(queues.begin(), queues.end(), [](auto& queue) { return queue.empty(); });
    }
    int npes;
    std::vector<std::deque<Bytes>> queues;
    std::vector<Bytes> heaps = std::vector<Bytes>(static_cast<std::size_t>(npes));
};

// One member's end.
struct Ends {
    World& world;
    int me;
    std::size_t slot_bytes;
    void put(int to, std::size_t place, const char* data, std::size_t bytes) {
        Bytes& heap = world.heaps[static_cast<std::size_t>(to)];
        ASSERT_LE(place + bytes, heap.size());
        std::memcpy(heap.data() + place, data, bytes);
    }
    bool can_send(int to) { return world.queue(me, to).size() < kStreamSlots; }
    void send(int to, const char* data, std::size_t bytes) {
        ASSERT_LE(bytes, slot_bytes);
        ASSERT_NE(to, me);
        world.queue(me, to).emplace_back(data, data + bytes);
    }
    const char* next(int from) {
        auto& queue = world.queue(from, me);
        static char empty;
        if (queue.empty()) return nullptr;
        return queue.front().empty() ? &empty : queue.front().data();
    }
    void take(int from) { world.queue(from, me).pop_front(); }
};

// The calls of all members, in memory that each owns.
struct Member {
    RuntimeCall call;
    Position position;
    Bytes source;
    Bytes dest;
    Bytes scratch;
    std::vector<std::size_t> named, places;
    std::vector<std::size_t> out_counts, out_displs, in_counts, in_displs;
};

std::mt19937_64 random_numbers(4711);
std::size_t random_below(std::size_t limit) { return random_numbers() % limit; }
Bytes random_bytes(std::size_t count) {
    Bytes bytes(count);
    for (char& byte : bytes) byte = static_cast<char>(random_numbers());
    return bytes;
}

class Job {
  public:
    Job(int npes, std::size_t slot_bytes) : world(npes), slot_bytes_(slot_bytes) {
        for (int i = 0; i < npes; ++i) {
            members.push_back(std::make_unique<Member>());
            members.back()->call.npes = npes;
            members.back()->call.me = i;
        }
    }
    Member& member(int i) { return *members[static_cast<std::size_t>(i)]; }
    int npes() const { return world.npes; }

    // Every step of any member is possible in some order; a random one is taken.
    void run(const Schedule& schedule) {
        // The same for all members: often some parts are long, and some of these take two pieces.
        const std::size_t long_bytes_min = random_below(2) == 0 ? SIZE_MAX : 1 + random_below(400);
        const std::size_t long_piece_bytes = slot_bytes_ + random_below(400);
        for (auto& member : members) {
            RuntimeCall& call = member->call;
            call.schedule = &schedule;
            call.slot_bytes = slot_bytes_;
            call.long_bytes_min = long_bytes_min;
            call.long_piece_bytes = long_piece_bytes;
            member->scratch.resize((kScratchPieces + 2) * call.scratch_stride());
            call.scratch = member->scratch.data();
            if (schedule.count_places != nullptr) {
                schedule.count_places(call);
                name_places(*member);
            }
            call.sends = schedule.count_sends(call);
            call.receives = schedule.count_receives(call);
        }
        int idle = 0;
        while (!is_complete() && idle < 100 * npes()) {
            const int me = static_cast<int>(random_below(static_cast<std::size_t>(npes())));
            Ends ends{world, me, slot_bytes_};
            Member& mine = member(me);
            const bool has_moved = random_below(2) == 0
                                       ? send_next(mine.call, mine.position, ends)
                                       : receive_next(mine.call, mine.position, ends);
            idle = has_moved ? 0 : idle + 1;
        }
        ASSERT_TRUE(is_complete()) << schedule.name << " hangs, " << npes() << " members";
        ASSERT_TRUE(world.is_empty()) << schedule.name << " leaves messages";
    }

    World world;
    std::vector<std::unique_ptr<Member>> members;

  private:
    // Places for long parts in the member's heap, for some members of random ones, as the engine
    // gives them: all or none to parts without a dest.
    void name_places(Member& member) {
        RuntimeCall& call = member.call;
        member.named.assign(static_cast<std::size_t>(npes()), kNoPlace);
        member.places.assign(static_cast<std::size_t>(npes()), kNoPlace);
        call.named = member.named.data();
        call.places = member.places.data();
        Bytes& heap = world.heaps[static_cast<std::size_t>(call.me)];
        const bool lands = random_below(3) > 0;
        std::size_t end = 0;
        for (int from = 0; from < npes(); ++from) {
            const LongPart part = call.schedule->long_part(call, from);
            const bool is_named = part.dest != nullptr ? random_below(3) > 0 : lands;
            if (part.bytes == 0 || !part.may_land || !is_named) continue;
            call.named[from] = end;
            end += part.bytes;
        }
        heap.assign(end, 0);
        call.base = heap.data();
    }
    bool is_complete() const {
        return std::all_of(members.begin(), members.end(), [](auto& member) {
            return member->position.sent == member->call.sends &&
                   member->position.received == member->call.receives;
        });
    }
    std::size_t slot_bytes_;
};

// ---- An operation that is associative, and not commutative: maps x -> a x + b ----

struct Map {
    std::uint64_t a, b;
    bool operator==(const Map&) const = default;
};
void compose(void* inout, const void* in, std::size_t nelems, void* maps_per_element) {
    auto* left = static_cast<Map*>(inout);
    const auto* right = static_cast<const Map*>(in);
    for (std::size_t i = 0; i < nelems * *static_cast<std::size_t*>(maps_per_element); ++i)
        left[i] = {left[i].a * right[i].a, left[i].a * right[i].b + left[i].b};
}

struct Shape {
    int npes;
    std::size_t slot_bytes;
    std::size_t nelems;
    std::size_t maps;  // maps in an element
    int root;
    bool is_commutative;
    bool is_in_place;
};

Shape random_shape() {
    const int npes = 1 + static_cast<int>(random_below(random_below(4) == 0 ? 20 : 9));
    return {.npes = npes,
            .slot_bytes = 64 * (1 + random_below(4)),
            .nelems = random_below(random_below(3) == 0 ? 400 : 12),
            .maps = random_below(4) == 0 ? 5 + random_below(40) : 1 + random_below(3),
            .root = static_cast<int>(random_below(static_cast<std::size_t>(npes))),
            .is_commutative = random_below(2) == 0,
            .is_in_place = random_below(2) == 0};
}

std::string text_of(const Shape& shape) {
    return std::to_string(shape.npes) + " members, slots of " + std::to_string(shape.slot_bytes) +
           ", " + std::to_string(shape.nelems) + " elements of " + std::to_string(16 * shape.maps) +
           " bytes, root " + std::to_string(shape.root) +
           (shape.is_commutative ? ", commutative" : "") + (shape.is_in_place ? ", in place" : "");
}

// A commutative operation must not be told by its results: a sum of both words.
void add(void* inout, const void* in, std::size_t nelems, void* maps_per_element) {
    auto* left = static_cast<Map*>(inout);
    const auto* right = static_cast<const Map*>(in);
    for (std::size_t i = 0; i < nelems * *static_cast<std::size_t*>(maps_per_element); ++i)
        left[i] = {left[i].a + right[i].a, left[i].b + right[i].b};
}

// Reductions of vectors of `blocks` blocks. RETURNS: the right result.
Bytes prepare_reduction(Job& job, Shape& shape, std::size_t blocks) {
    const std::size_t element_bytes = shape.maps * sizeof(Map);
    const std::size_t bytes = blocks * shape.nelems * element_bytes;
    Bytes expected;
    for (int i = 0; i < job.npes(); ++i) {
        Member& member = job.member(i);
        member.source = random_bytes(bytes);
        member.dest = shape.is_in_place ? Bytes() : random_bytes(bytes);
        RuntimeCall& call = member.call;
        call.source = member.source.data();
        call.dest = shape.is_in_place ? member.source.data() : member.dest.data();
        call.bytes = bytes / blocks;
        call.root = shape.root;
        call.element_bytes = element_bytes;
        call.function = {.function = shape.is_commutative ? add : compose,
                         .user_data = &shape.maps,
                         .is_commutative = shape.is_commutative};
        if (i == 0) {
            expected = member.source;
        } else {
            call.function.combine(expected.data(), member.source.data(), blocks * shape.nelems);
        }
    }
    return expected;
}

bool is_result(const Member& member, const char* expected, std::size_t bytes) {
    return bytes == 0 || std::memcmp(member.call.dest, expected, bytes) == 0;
}

constexpr int kRounds = 500;

TEST(Streams, Reductions) {
    for (int round = 0; round < kRounds; ++round) {
        Shape shape = random_shape();
        Job job(shape.npes, shape.slot_bytes);
        const Bytes expected = prepare_reduction(job, shape, 1);
        const int which = static_cast<int>(random_below(3));
        job.run(which == 0 ? kReduceSchedule : which == 1 ? kDoublingSchedule : kHalvingSchedule);
        for (int i = 0; i < shape.npes; ++i) {
            if (which == 0 && i != shape.root) continue;
            ASSERT_TRUE(is_result(job.member(i), expected.data(), expected.size()))
                << which << " on " << i << ": " << text_of(shape);
        }
    }
}

TEST(Streams, ReduceScatter) {
    for (int round = 0; round < kRounds / 3; ++round) {
        Shape shape = random_shape();
        shape.nelems /= 8;
        Job job(shape.npes, shape.slot_bytes);
        const bool has_counts = random_below(2) == 0;
        if (has_counts) shape.is_in_place = false;
        const Bytes expected = prepare_reduction(job, shape, static_cast<std::size_t>(shape.npes));
        const std::size_t element_bytes = shape.maps * sizeof(Map);
        std::vector<std::size_t> counts;
        for (int i = 0; i < shape.npes; ++i) counts.push_back(random_below(shape.nelems + 1));
        for (int i = 0; i < shape.npes; ++i) {
            Member& member = job.member(i);
            RuntimeCall& call = member.call;
            call.out = {.start = member.source.data(), .stride = call.bytes, .bytes = call.bytes};
            if (!has_counts) continue;
            for (std::size_t k = 0; k < counts.size(); ++k)
                member.out_displs.push_back(k * shape.nelems);
            call.out = {.start = member.source.data(),
                        .counts = counts.data(),
                        .displacements = member.out_displs.data()};
        }
        job.run(kReduceScatterSchedule);
        for (int i = 0; i < shape.npes; ++i) {
            const auto at = static_cast<std::size_t>(i) * shape.nelems * element_bytes;
            const std::size_t nelems =
                has_counts ? counts[static_cast<std::size_t>(i)] : shape.nelems;
            ASSERT_TRUE(is_result(job.member(i), expected.data() + at, nelems * element_bytes))
                << "on " << i << ": " << text_of(shape);
        }
    }
}

TEST(Streams, Broadcast) {
    for (int round = 0; round < kRounds; ++round) {
        const Shape shape = random_shape();
        Job job(shape.npes, shape.slot_bytes);
        const std::size_t bytes = shape.nelems * 7;
        for (int i = 0; i < shape.npes; ++i) {
            Member& member = job.member(i);
            member.source = random_bytes(bytes);
            member.dest = random_bytes(bytes);
            RuntimeCall& call = member.call;
            call.source = member.source.data();
            const bool is_shared = shape.is_in_place && i == shape.root;
            call.dest = is_shared ? member.source.data() : member.dest.data();
            call.bytes = bytes;
            call.root = shape.root;
        }
        job.run(kBroadcastSchedule);
        for (int i = 0; i < shape.npes; ++i)
            ASSERT_TRUE(is_result(job.member(i), job.member(shape.root).source.data(), bytes));
    }
}

TEST(Streams, Barrier) {
    for (int npes = 1; npes <= 20; ++npes) {
        Job job(npes, 64);
        job.run(kBarrierSchedule);
    }
}

// counts[i][k]: from member i to member k.
TEST(Streams, AlltoallOfDifferentBlocks) {
    for (int round = 0; round < kRounds; ++round) {
        const Shape shape = random_shape();
        const auto npes = static_cast<std::size_t>(shape.npes);
        Job job(shape.npes, shape.slot_bytes);
        const std::size_t room = 1 + random_below(400);
        for (std::size_t i = 0; i < npes; ++i) {
            Member& member = *job.members[i];
            member.source = random_bytes(npes * room * 3);
            member.dest.assign(npes * room * 3, 0);
            member.in_counts.resize(npes);
            for (std::size_t k = 0; k < npes; ++k) {
                member.out_counts.push_back(random_below(3) == 0 ? 0 : random_below(room));
                member.out_displs.push_back(k * room);
                member.in_displs.push_back((npes - 1 - k) * room);
            }
        }
        for (std::size_t i = 0; i < npes; ++i) {
            Member& member = *job.members[i];
            for (std::size_t k = 0; k < npes; ++k)
                member.in_counts[k] = job.members[k]->out_counts[i];
            RuntimeCall& call = member.call;
            call.element_bytes = 3;
            call.out = {.start = member.source.data(),
                        .counts = member.out_counts.data(),
                        .displacements = member.out_displs.data()};
            call.in = {.start = member.dest.data(),
                       .counts = member.in_counts.data(),
                       .displacements = member.in_displs.data()};
        }
        job.run(kExchangeSchedule);
        for (std::size_t i = 0; i < npes; ++i) {
            for (std::size_t k = 0; k < npes; ++k) {
                const Member& from = *job.members[k];
                ASSERT_EQ(0, std::memcmp(job.members[i]->dest.data() + (npes - 1 - k) * room * 3,
                                         from.source.data() + i * room * 3, from.out_counts[i] * 3))
                    << k << " to " << i;
            }
        }
    }
}

TEST(Streams, AlltoallInPlace) {
    for (int round = 0; round < kRounds / 3; ++round) {
        const Shape shape = random_shape();
        const auto npes = static_cast<std::size_t>(shape.npes);
        const std::size_t bytes = 1 + random_below(3000);
        Job job(shape.npes, shape.slot_bytes);
        std::vector<Bytes> before;
        for (auto& member : job.members) {
            member->source = random_bytes(npes * bytes);
            before.push_back(member->source);
            member->call.out = {.start = member->source.data(), .stride = bytes, .bytes = bytes};
            member->call.in = member->call.out;
        }
        job.run(kExchangeSchedule);
        for (std::size_t i = 0; i < npes; ++i) {
            for (std::size_t k = 0; k < npes; ++k) {
                ASSERT_EQ(0, std::memcmp(job.members[i]->source.data() + k * bytes,
                                         before[k].data() + i * bytes, bytes));
            }
        }
    }
}

TEST(Streams, GatherScatterAllgather) {
    for (int round = 0; round < kRounds; ++round) {
        const Shape shape = random_shape();
        const auto npes = static_cast<std::size_t>(shape.npes);
        const std::size_t bytes = random_below(500);
        const int which = static_cast<int>(random_below(3));
        Job job(shape.npes, shape.slot_bytes);
        for (int i = 0; i < shape.npes; ++i) {
            Member& member = job.member(i);
            member.source = random_bytes(npes * bytes + 1);
            member.dest = random_bytes(npes * bytes + 1);
            MemberParts one{.start = member.source.data(), .bytes = bytes};
            MemberParts all{.start = member.dest.data(), .stride = bytes, .bytes = bytes};
            if (which == 1) std::swap(one.start, all.start);
            if (which < 2) one.only = shape.root;
            if (which < 2 && i != shape.root) all = {.only = kNoMember};
            member.call.out = which == 1 ? all : one;
            member.call.in = which == 1 ? one : all;
        }
        job.run(kExchangeSchedule);
        const auto root = static_cast<std::size_t>(shape.root);
        for (std::size_t i = 0; i < npes; ++i) {
            const Member& mine = *job.members[i];
            if (which == 1) {
                ASSERT_EQ(0, std::memcmp(mine.dest.data(),
                                         job.members[root]->source.data() + i * bytes, bytes));
                continue;
            }
            for (std::size_t k = 0; k < npes && (which == 2 || i == root); ++k) {
                ASSERT_EQ(0, std::memcmp(mine.dest.data() + k * bytes,
                                         job.members[k]->source.data(), bytes));
            }
        }
    }
}

// ---- The places of gates and slots ----

void check_layout(std::size_t block_bytes, std::initializer_list<int> members) {
    const std::size_t gates_bytes = StreamLayout::gates_bytes(block_bytes);
    for (int npes : members) {
        const StreamLayout layout(npes, block_bytes);
        ASSERT_GE(layout.slot_bytes(), 64U);
        const int last = npes - 1;
        for (int set = 0; set < layout.sets(); ++set) {
            EXPECT_LE(layout.arrived(set, last) + sizeof(Gate), layout.freed(set, 0));
            EXPECT_LE(layout.freed(set, last) + sizeof(Gate),
                      set + 1 < layout.sets() ? layout.arrived(set + 1, 0) : gates_bytes);
            EXPECT_GE(layout.slot(set, 0, 0), gates_bytes);
            const std::size_t end = layout.slot(set, last, kStreamSlots - 1) + layout.slot_bytes();
            EXPECT_LE(end, set + 1 < layout.sets() ? layout.slot(set + 1, 0, 0) : block_bytes);
        }
        EXPECT_EQ(layout.slot(0, 0, 1), layout.slot(0, 0, 1 + kStreamSlots));
    }
}

TEST(StreamLayout, GatesAndSlotsAreApart) {
    check_layout(kLongStreamBlockBytes, {1, 2, 3, 100, 512, 513, 2000, 3584});
    check_layout(kShortStreamBlockBytes, {1, 2, 3, 32, 33, 100, 224});
    EXPECT_EQ(3584, StreamLayout::members_max(kLongStreamBlockBytes));
    EXPECT_EQ(224, StreamLayout::members_max(kShortStreamBlockBytes));
}

}  // namespace
}  // namespace tessera::collectives
