// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an operation takes the wrong one of its two ways, mapped memory or transport, or asks
// a transport for something else than the program did. All PEs are in this process.
#include "core/context.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shmem/signal.h"
#include "support/fake_world.hpp"

namespace tessera {
namespace {

using test::FakeWorld;

// Writes down what it is asked for. Answers atomics with 5 and gets with 'g'.
class Recorder final : public Transport {
  public:
    const char* name() const override { return "recorder"; }
    void put(TransportContext&, void* dest, const void*, std::size_t bytes, int pe) override {
        note("put", dest, bytes, pe);
    }
    void get(TransportContext&, void* dest, const void* source, std::size_t bytes,
             int pe) override {
        std::memset(dest, 'g', bytes);
        note("get", source, bytes, pe);
    }
    void put_nbi(TransportContext&, void* dest, const void*, std::size_t bytes, int pe) override {
        note("put_nbi", dest, bytes, pe);
    }
    void get_nbi(TransportContext&, void*, const void* source, std::size_t bytes, int pe) override {
        note("get_nbi", source, bytes, pe);
    }
    std::uint64_t atomic(TransportContext&, const AtomicRequest& request, int pe) override {
        note("atomic", request.dest, request.bytes, pe);
        last = request;
        return 5;
    }
    void accumulate(TransportContext&, const Accumulation& what, int pe) override {
        note("accumulate", what.dest, what.nelems, pe);
    }
    void fence(TransportContext&) override {}
    void quiet(TransportContext&) override {}
    void progress() override {}

    // The requests since the last call.
    std::vector<std::string> take() { return std::move(notes_); }
    const char* base = nullptr;  // addresses are noted as offsets from here
    AtomicRequest last;

  private:
    void note(const char* what, const void* symmetric, std::size_t bytes, int pe) {
        auto offset = static_cast<const char*>(symmetric) - base;
        notes_.push_back(std::string(what) + " " + std::to_string(bytes) + " at " +
                         std::to_string(offset) + " of " + std::to_string(pe));
    }
    std::vector<std::string> notes_;
};

using Notes = std::vector<std::string>;

class ContextTest : public testing::Test {
  protected:
    ContextTest() : world_(3) {
        recorder_.base = world_.statics(0);
        world_.peer(2).statics = nullptr;
        world_.transport(2) = &recorder_;
        Context::default_transport_context = &transport_context_;
    }
    long* word(int pe, int index = 0) const {
        return reinterpret_cast<long*>(world_.heap(pe)) + index;
    }
    long* unmapped(int index = 0) const {  // memory of PE 2, which only the transport reaches
        return reinterpret_cast<long*>(world_.statics(0)) + index;
    }

    FakeWorld world_;
    Recorder recorder_;
    TransportContext transport_context_;
    Context context_;
};

TEST_F(ContextTest, MappedMemoryIsWrittenAtOnce) {
    const long values[] = {1, 2, 3};
    context_.put(word(0, 5), values, sizeof values, 1, "test");
    EXPECT_EQ(*word(1, 7), 3);
    context_.put_nbi(word(0, 5), values + 1, 8, 2, "test");
    EXPECT_EQ(*word(2, 5), 2);
    long got[3] = {};
    context_.get(got, word(0, 5), sizeof got, 1, "test");
    EXPECT_EQ(got[2], 3);
    context_.get_nbi(got, word(0, 5), 8, 2, "test");
    EXPECT_EQ(got[0], 2);
    context_.p(word(0, 9), 77L, 1, "test");
    EXPECT_EQ(context_.g(word(0, 9), 1, "test"), 77);
    EXPECT_EQ(*word(0, 9), 0) << "our own copy";
    EXPECT_EQ(context_.fetch_add(word(0, 9), 3L, 1, "test"), 77);
    EXPECT_EQ(*word(1, 9), 80);
    EXPECT_EQ(recorder_.take(), Notes{});
}

TEST_F(ContextTest, StaticDataThatIsMappedIsWrittenAtOnce) {
    long values[12] = {1, 2, 3};
    const auto* theirs = reinterpret_cast<long*>(world_.statics(1));
    for (std::size_t bytes : {std::size_t{8}, std::size_t{64}, sizeof values}) {  // short and long
        values[0] = static_cast<long>(bytes);
        context_.put(unmapped(2), values, bytes, 1, "test");
        EXPECT_EQ(theirs[2], values[0]);
        context_.put_nbi(unmapped(20), values, bytes, 1, "test");
        EXPECT_EQ(theirs[20], values[0]);
        long got[12] = {};
        context_.get(got, unmapped(2), bytes, 1, "test");
        EXPECT_EQ(got[0], values[0]);
        context_.get_nbi(got + 1, unmapped(20), bytes - 8, 1, "test");
        EXPECT_EQ(got[bytes > 8 ? 1 : 0], values[0]);
    }
    context_.p(unmapped(9), 77L, 1, "test");
    EXPECT_EQ(context_.g(unmapped(9), 1, "test"), 77);
    EXPECT_EQ(context_.fetch_add(unmapped(9), 3L, 1, "test"), 77);
    EXPECT_EQ(theirs[9], 80);
    EXPECT_EQ(*unmapped(9), 0) << "our own copy";
    EXPECT_EQ(recorder_.take(), Notes{});
}

// Operations that begin so near to the end of a segment are not for the short path.
TEST_F(ContextTest, TheLastBytesOfASegmentAreReached) {
    struct Segment {
        char *mine, *theirs;
        std::size_t bytes;
    };
    for (const Segment& segment :
         {Segment{world_.heap(0), world_.heap(1), FakeWorld::kHeapBytes},
          Segment{world_.statics(0), world_.statics(1), FakeWorld::kStaticBytes}}) {
        auto* mine = reinterpret_cast<long*>(segment.mine + segment.bytes) - 1;
        auto* theirs = reinterpret_cast<long*>(segment.theirs + segment.bytes) - 1;
        const long value[2] = {5, 5};
        context_.put(mine, value, 8, 1, "test");
        EXPECT_EQ(*theirs, 5);
        context_.p(mine, 6L, 1, "test");
        EXPECT_EQ(context_.g(mine, 1, "test"), 6);
        EXPECT_EQ(context_.fetch_add(mine, 1L, 1, "test"), 6);
        auto* word = reinterpret_cast<std::uint64_t*>(mine);
        context_.put_signal(mine - 1, value, 8, {word, 9, SHMEM_SIGNAL_SET}, 1, "test");
        EXPECT_EQ(theirs[-1], 5);
        EXPECT_EQ(*theirs, 9);
        EXPECT_EXIT(context_.put(mine, value, 9, 1, "shmem_put"), testing::ExitedWithCode(1),
                    "shmem_put: 9 bytes at 0x.* run past the end");
    }
}

TEST_F(ContextTest, PutSignalUpdatesTheSignalAfterTheData) {
    long values[12] = {};
    for (std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{64}, sizeof values}) {
        for (long* place : {word(0, 100), unmapped(100)}) {
            auto* signal = reinterpret_cast<std::uint64_t*>(place - 1);
            const bool is_heap = place == word(0, 100);
            auto* theirs =
                is_heap ? word(1, 100) : reinterpret_cast<long*>(world_.statics(1)) + 100;
            values[0] = static_cast<long>(bytes) + 1;
            theirs[0] = 0;
            context_.put_signal(place, values, bytes, {signal, 5, SHMEM_SIGNAL_SET}, 1, "test");
            EXPECT_EQ(theirs[-1], 5);
            EXPECT_EQ(theirs[0], bytes > 0 ? values[0] : 0);
            context_.put_signal(place, values, bytes, {signal, 3, SHMEM_SIGNAL_ADD}, 1, "test");
            EXPECT_EQ(theirs[-1], 8);
            EXPECT_EXIT(context_.put_signal(place, values, bytes, {signal, 3, 77}, 1, "shmem_x"),
                        testing::ExitedWithCode(1), "shmem_x: sig_op 77 is neither");
            auto* crooked = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(signal) + 1);
            EXPECT_EXIT(context_.put_signal(place, values, bytes, {crooked, 3, SHMEM_SIGNAL_SET}, 1,
                                            "shmem_x"),
                        testing::ExitedWithCode(1), "shmem_x: address 0x.* is not aligned");
            EXPECT_EXIT(context_.put_signal(place, values, bytes, {signal, 3, SHMEM_SIGNAL_SET}, 3,
                                            "shmem_x"),
                        testing::ExitedWithCode(1), "shmem_x: pe 3 is not in");
        }
    }
    EXPECT_EQ(recorder_.take(), Notes{});
}

TEST_F(ContextTest, OtherMemoryGoesToTheTransport) {
    const long values[3] = {1, 2, 3};
    long got = 0;
    context_.put(unmapped(2), values, 8, 2, "test");
    context_.get(&got, unmapped(3), 8, 2, "test");
    context_.put_nbi(unmapped(4), values, 24, 2, "test");
    context_.get_nbi(&got, unmapped(5), 8, 2, "test");
    context_.p(unmapped(6), 3L, 2, "test");
    EXPECT_EQ(context_.g(reinterpret_cast<char*>(unmapped(7)), 2, "test"), 'g');
    EXPECT_EQ(recorder_.take(),
              (Notes{"put 8 at 16 of 2", "get 8 at 24 of 2", "put_nbi 24 at 32 of 2",
                     "get_nbi 8 at 40 of 2", "put 8 at 48 of 2", "get 1 at 56 of 2"}));
    context_.put(unmapped(2), values, 0, 2, "test");
    EXPECT_EQ(recorder_.take(), Notes{}) << "nothing to do";
    context_.put(unmapped(2), values, 8, 1, "test");
    EXPECT_EQ(recorder_.take(), Notes{}) << "PE 1 has mapped its static data";
}

TEST_F(ContextTest, AtomicsTravelAsBits) {
    EXPECT_EQ(context_.fetch_add(unmapped(1), -1L, 2, "test"), 5);
    EXPECT_EQ(recorder_.last.op, AtomicOp::kAdd);
    EXPECT_EQ(recorder_.last.operand, ~std::uint64_t{0});
    EXPECT_EQ(recorder_.last.bytes, 8U);
    auto* small = reinterpret_cast<int*>(unmapped(2));
    EXPECT_EQ(context_.compare_swap(small, -2, -3, 2, "test"), 5);
    EXPECT_EQ(recorder_.last.op, AtomicOp::kCompareSwap);
    EXPECT_EQ(recorder_.last.condition, 0xfffffffeU) << "zero-extended";
    EXPECT_EQ(recorder_.last.operand, 0xfffffffdU);
    EXPECT_EQ(recorder_.last.bytes, 4U);
    context_.set(reinterpret_cast<float*>(unmapped(3)), 1.0F, 2, "test");
    EXPECT_EQ(recorder_.last.op, AtomicOp::kSet);
    EXPECT_EQ(recorder_.last.operand, 0x3f800000U);
    context_.swap(reinterpret_cast<double*>(unmapped(3)), 1.0, 2, "test");
    EXPECT_EQ(recorder_.last.operand, 0x3ff0000000000000U);
    context_.fetch(unmapped(3), 2, "test");
    EXPECT_EQ(recorder_.last.op, AtomicOp::kFetch);
    context_.fetch_and(unmapped(3), 6L, 2, "test");
    EXPECT_EQ(recorder_.last.op, AtomicOp::kAnd);
    context_.fetch_or(unmapped(3), 6L, 2, "test");
    EXPECT_EQ(recorder_.last.op, AtomicOp::kOr);
    context_.fetch_xor(unmapped(3), 6L, 2, "test");
    EXPECT_EQ(recorder_.last.op, AtomicOp::kXor);
    EXPECT_EQ(recorder_.last.operand, 6U);
    EXPECT_EQ(recorder_.take().size(), 8U);
}

TEST_F(ContextTest, StridesBecomeOneTransferABlock) {
    const long source[20] = {};
    context_.put_strided(unmapped(0), source,
                         {.dest_stride = 3,
                          .source_stride = 2,
                          .block_elements = 2,
                          .blocks = 3,
                          .element_bytes = 8},
                         2, "test");
    EXPECT_EQ(recorder_.take(),
              (Notes{"put 16 at 0 of 2", "put 16 at 24 of 2", "put 16 at 48 of 2"}));
    long dest[20] = {};
    context_.get_strided(dest, unmapped(0),
                         {.dest_stride = 1, .source_stride = 4, .blocks = 2, .element_bytes = 8}, 2,
                         "test");
    EXPECT_EQ(recorder_.take(), (Notes{"get 8 at 0 of 2", "get 8 at 32 of 2"}));
}

TEST_F(ContextTest, ChangesWakeTheTarget) {
    int changes = 0;
    const Signal signal{reinterpret_cast<std::uint64_t*>(word(0)), 1, SHMEM_SIGNAL_SET};
    for (int way = 0; way < 6; ++way) {
        static Sleeper sleeper;
        world_.peer(1).sleeper = &sleeper;
        // The value that the sleeper would find in its last check before it sleeps.
        auto act = [&] {
            switch (way) {
                case 0: return context_.p(word(0), 1L, 1, "test");
                case 1: return context_.set(word(0), 1L, 1, "test");
                case 2: context_.fetch_add(word(0), 1L, 1, "test"); return;
                case 3: return context_.update_signal(signal, 1, "test");
                case 4: return context_.put_signal(word(0, 8), &way, 4, signal, 1, "test");
                default: context_.compare_swap(word(0), 0L, 1L, 1, "test");
            }
        };
        struct State {
            decltype(act)* run;
            int* changes;
        } state{&act, &changes};
        // Acts while the target says that it sleeps, then lets it go into a timed sleep.
        sleeper.sleep_unless(
            [](void* opaque) {
                auto& now = *static_cast<State*>(opaque);
                (*now.run)();
                ++*now.changes;
                return false;
            },
            &state);
        EXPECT_FALSE(sleeper.is_sleeping()) << way;
    }
    EXPECT_EQ(changes, 6);
}

}  // namespace
}  // namespace tessera
