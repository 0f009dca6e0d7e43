// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE posts a long transfer itself though it does not wait, when a wait returns before
// its transfers are complete or waits for those of others, or when the fabric's thread gets
// transfers that it must not have. Copies on the node: tests/behaviour/progress.
#include "progress/offload.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/pe_state.hpp"
#include "progress/background.hpp"
#include "progress/request.hpp"
#include "support/fake_world.hpp"

namespace tessera {
namespace {

using Transfer = Offload::Transfer;
using Which = Offload::Which;

// Keeps what is posted under way until arrive(), or until a wait drives it.
class FakeFabric final : public FabricTransport {
  public:
    std::vector<std::string> posted;
    int wakes = 0;
    int waits = 0;
    bool has_fence = false;

    void arrive() {
        for (Operation* operation : under_way_) operation->remote.fetch_sub(1);
        under_way_.clear();
    }

    void put_tracked(TransportContext&, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        post("put", dest, source, bytes, pe, operation);
    }
    void get_tracked(TransportContext&, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        post("get", dest, source, bytes, pe, operation);
    }
    void put_signal_tracked(TransportContext&, void* dest, const void* source, std::size_t bytes,
                            const AtomicRequest& signal, int pe, Operation& operation) override {
        post("signal " + std::to_string(signal.operand), dest, source, bytes, pe, operation);
    }
    void wake_thread() override { ++wakes; }
    bool is_behind_fence(TransportContext&, int) override { return has_fence; }
    void drive_until(bool (*is_done)(void*), void* state) override {
        ++waits;
        while (!is_done(state)) arrive();
    }

    const char* name() const override { return "fake"; }
    void put(TransportContext&, void*, const void*, std::size_t, int) override { FAIL(); }
    void get(TransportContext&, void*, const void*, std::size_t, int) override { FAIL(); }
    void put_nbi(TransportContext&, void*, const void*, std::size_t, int) override { FAIL(); }
    void get_nbi(TransportContext&, void*, const void*, std::size_t, int) override { FAIL(); }
    std::uint64_t atomic(TransportContext&, const AtomicRequest&, int) override { return 0; }
    void accumulate(TransportContext&, const Accumulation&, int) override { FAIL(); }
    void fence(TransportContext&) override { FAIL(); }
    void quiet(TransportContext&) override { EXPECT_TRUE(under_way_.empty()); }
    void progress() override {}
    void post_gate(const Gate&, std::uint32_t, int) override { FAIL(); }
    void post_gate_behind(TransportContext&, const Gate&, std::uint32_t, int) override { FAIL(); }
    bool runs_my_program(int) override { return true; }
    std::vector<std::byte> endpoint_info() const override { return {}; }
    void start() override {}
    void leave() override {}
    std::string description() const override { return "fake"; }
    const std::string& provider() const override { return provider_; }

  private:
    void post(const std::string& what, void* dest, const void* source, std::size_t bytes, int pe,
              Operation& operation) {
        EXPECT_NE(dest, nullptr);
        EXPECT_NE(source, nullptr);
        posted.push_back(what + " of " + std::to_string(bytes) + " to " + std::to_string(pe));
        operation.remote.fetch_add(1);
        under_way_.push_back(&operation);
    }

    std::vector<Operation*> under_way_;
    const std::string provider_ = "fake";
};

class OffloadToFabric : public testing::Test {
  protected:
    OffloadToFabric() {
        address_map.fabric = &fabric_;
        pe_state.background = &works_;
    }

    Transfer put_of(std::size_t bytes) {
        return {.local = memory_, .remote = memory_, .bytes = bytes, .pe = 1};
    }
    Transfer get_of(std::size_t bytes) {
        Transfer get = put_of(bytes);
        get.direction = Direction::kGet;
        return get;
    }

    test::FakeWorld world_{2};
    BackgroundList works_;
    FakeFabric fabric_;
    TransportContext context_;
    TransportContext other_;
    TransportContext internal_;
    // The node file's: the board and the ring of this PE.
    struct alignas(kFalseSharingBytes) Memory {
        std::byte bytes[heap::offload_board_bytes(1)];
    };
    const std::unique_ptr<Memory> board_ = std::make_unique<Memory>();
    Offload transfers_{{.board = reinterpret_cast<heap::OffloadBoard&>(*board_),
                        .local_pes = {0},
                        .pids = {0},
                        .maps = {},
                        .fabric = &fabric_,
                        .excluded = {&internal_}}};
    char memory_[1] = {};
};

TEST_F(OffloadToFabric, ThreadPostsAndCompletes) {
    ASSERT_TRUE(transfers_.try_take(put_of(2000), context_));
    ASSERT_TRUE(transfers_.try_take(get_of(3000), context_));
    EXPECT_TRUE(fabric_.posted.empty()) << "the caller must not post";
    EXPECT_EQ(fabric_.wakes, 2);
    advance_background();
    EXPECT_EQ(fabric_.posted, (std::vector<std::string>{"put of 2000 to 1", "get of 3000 to 1"}));
    advance_background();
    EXPECT_EQ(fabric_.posted.size(), 2U) << "posted once";
    fabric_.arrive();
    advance_background();
    transfers_.complete(context_, Which::kAll);
    EXPECT_EQ(fabric_.waits, 0) << "nothing was left to wait for";
}

TEST_F(OffloadToFabric, WaitPostsWhatTheThreadHasNotBegun) {
    ASSERT_TRUE(transfers_.try_take(put_of(2000), context_));
    transfers_.complete(context_, Which::kAll);
    EXPECT_EQ(fabric_.posted.size(), 1U);
    EXPECT_EQ(fabric_.waits, 1);
}

TEST_F(OffloadToFabric, FenceWaitsForPutsAndSignalsOnly) {
    ASSERT_TRUE(transfers_.try_take(get_of(2000), context_));
    advance_background();
    transfers_.complete(context_, Which::kPuts);
    EXPECT_EQ(fabric_.waits, 0);
    Transfer signal = put_of(2000);
    const AtomicRequest seven{.op = AtomicOp::kSet, .operand = 7};
    signal.signal = &seven;
    ASSERT_TRUE(transfers_.try_take(signal, context_));
    transfers_.complete(context_, Which::kPuts);
    EXPECT_EQ(fabric_.waits, 1);
    EXPECT_EQ(fabric_.posted.back(), "signal 7 of 2000 to 1");
    transfers_.complete_all();
}

TEST_F(OffloadToFabric, WaitsOfOtherContextsDoNotWait) {
    ASSERT_TRUE(transfers_.try_take(put_of(2000), context_));
    advance_background();
    transfers_.complete(other_, Which::kAll);
    EXPECT_EQ(fabric_.waits, 0);
    transfers_.complete_all();
    EXPECT_EQ(fabric_.waits, 1);
}

TEST_F(OffloadToFabric, LeavesToTheCallerWhatItMustNotHave) {
    EXPECT_FALSE(transfers_.try_take(put_of(2000), internal_)) << "of the library";
    fabric_.has_fence = true;
    EXPECT_FALSE(transfers_.try_take(put_of(2000), context_)) << "may pass a fence";
    fabric_.has_fence = false;
    int taken = 0;
    while (transfers_.try_take(put_of(2000), context_)) ++taken;
    EXPECT_EQ(taken, 64);
    transfers_.complete(context_, Which::kAll);
    EXPECT_TRUE(transfers_.try_take(put_of(2000), context_)) << "the places are free again";
    transfers_.complete_all();
    EXPECT_EQ(fabric_.posted.size(), 65U);
}

TEST_F(OffloadToFabric, RequestsCompleteOneByOne) {
    shmemx_req_t first = SHMEMX_REQ_COMPLETE;
    shmemx_req_t second = SHMEMX_REQ_COMPLETE;
    ASSERT_TRUE(transfers_.try_take(put_of(2000), context_, &first, "test"));
    EXPECT_FALSE(test_request(first, Completion::kRemote, "test"));
    advance_background();
    fabric_.arrive();
    ASSERT_TRUE(transfers_.try_take(get_of(2000), context_, &second, "test"));
    advance_background();
    EXPECT_TRUE(test_request(first, Completion::kRemote, "test"));
    EXPECT_FALSE(test_request(second, Completion::kLocal, "test"));
    fabric_.arrive();
    advance_background();
    EXPECT_TRUE(test_request(second, Completion::kLocal, "test"));
}

}  // namespace
}  // namespace tessera
