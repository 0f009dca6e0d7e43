// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a handle that has ended, or that is another PE's, finds a request, when slots are
// lost or given out twice, or when a request that was given up ends before its operation.
#include "progress/request_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "support/fake_world.hpp"

namespace tessera {
namespace {

shmemx_req_t handle_of(std::uint64_t bits) { return reinterpret_cast<shmemx_req_t>(bits); }
std::uint64_t bits_of(shmemx_req_t handle) { return reinterpret_cast<std::uint64_t>(handle); }

class Table : public testing::Test {
  protected:
    Request& open_one() {
        Request& request = *table_.open();
        request.operation.remote = 1;
        return request;
    }
    void end(Request& request) {
        request.operation.remote = 0;
        table_.close(request);
    }
    test::FakeWorld world_{3};
    RequestTable table_;
};

TEST_F(Table, HandlesFindTheirRequestsUntilTheseEnd) {
    Request& request = open_one();
    const shmemx_req_t handle = table_.publish(request);
    EXPECT_NE(handle, SHMEMX_REQ_COMPLETE);
    EXPECT_EQ(table_.find(handle), &request);
    EXPECT_EQ(table_.find(handle_of(bits_of(handle) + 128)), nullptr);
    EXPECT_EQ(table_.find(handle_of(bits_of(handle) + 1)), nullptr);
    end(request);
    EXPECT_EQ(table_.find(handle), nullptr);
    // The slot is used again, by another handle.
    Request& next = open_one();
    const shmemx_req_t other = table_.publish(next);
    EXPECT_EQ(&next, &request);
    EXPECT_NE(other, handle);
    EXPECT_EQ(table_.find(handle), nullptr);
    end(next);
}

TEST_F(Table, HandlesTellThePeAndOthersFromNoHandles) {
    Request& request = open_one();
    const shmemx_req_t handle = table_.publish(request);
    EXPECT_EQ(table_.pe_of(handle), 0);
    world_.become(2);
    Request& theirs = open_one();
    EXPECT_EQ(table_.pe_of(table_.publish(theirs)), 2);
    EXPECT_EQ(table_.pe_of(handle_of(0x7fff12345678)), -1);
    EXPECT_EQ(table_.find(handle_of(0x7fff12345678)), nullptr);
    end(request);
    end(theirs);
}

TEST_F(Table, NothingIsFoundBeforeTheFirstRequest) {
    EXPECT_EQ(table_.find(handle_of(0xE9ULL << 56 | 128)), nullptr);
    table_.close_all();
}

TEST_F(Table, GrowsAndGivesEverySlotOnce) {
    std::set<Request*> open;
    for (int i = 0; i < 2000; ++i) {
        Request& request = open_one();
        EXPECT_TRUE(open.insert(&request).second);
        EXPECT_NE(table_.publish(request), SHMEMX_REQ_COMPLETE);
    }
    int count = 0;
    table_.for_each_open([&](const Request&) { ++count; });
    EXPECT_EQ(count, 2000);
    for (Request* request : open) end(*request);
    for (int i = 0; i < 2000; ++i) EXPECT_TRUE(open.contains(table_.open()));
}

TEST_F(Table, ThereIsAnEnd) {
    for (std::uint32_t i = 1; i < RequestTable::kSlots; ++i) ASSERT_NE(table_.open(), nullptr);
    EXPECT_EQ(table_.open(), nullptr);
}

TEST_F(Table, RequestsThatWereGivenUpEndWithTheirOperations) {
    std::vector<Request*> given_up;
    for (int i = 0; i < 511; ++i) {  // All slots that there are.
        Request& request = open_one();
        const shmemx_req_t handle = table_.publish(request);
        table_.detach(request);
        EXPECT_EQ(table_.find(handle), nullptr);
        given_up.push_back(&request);
    }
    given_up[7]->operation.remote = 0;
    EXPECT_EQ(&open_one(), given_up[7]) << "the only one that is complete";
    Request& fresh = open_one();
    EXPECT_FALSE(std::ranges::count(given_up, &fresh)) << "still under way";
}

TEST_F(Table, ThreadsTakeAndGiveSlots) {
    std::atomic<int> mistakes{0};
    const auto work = [&](std::uint32_t me) {
        for (int round = 0; round < 2000; ++round) {
            Request* mine[8];
            for (Request*& each : mine) {
                each = table_.open();
                each->operation.local = me;
            }
            std::this_thread::yield();
            for (Request* each : mine) {
                if (each->operation.local.exchange(0) != me) ++mistakes;
                table_.close(*each);
            }
        }
    };
    std::thread first(work, 1);
    std::thread second(work, 2);
    std::thread third(work, 3);
    first.join();
    second.join();
    third.join();
    EXPECT_EQ(mistakes, 0);
}

}  // namespace
}  // namespace tessera
