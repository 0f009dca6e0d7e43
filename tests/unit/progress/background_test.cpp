// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when work in the background is not advanced by waits, is advanced again after its end, by
// two threads at once or out of order, or when waits still look for it when there is none.
#include "progress/background.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/wait_environment.hpp"
#include "core/pe_state.hpp"
#include "progress/request.hpp"
#include "support/fake_world.hpp"

namespace tessera {
namespace {

// Needs so many steps.
class Steps final : public BackgroundWork {
  public:
    Steps(int steps, std::vector<int>* order, int name)
        : left_(steps), order_(order), name_(name) {}
    bool advance() override {
        EXPECT_FALSE(is_released);
        EXPECT_FALSE(is_running_.exchange(true)) << "two threads at once";
        if (order_ != nullptr) order_->push_back(name_);
        const bool is_complete = --left_ <= 0;
        is_running_ = false;
        return is_complete;
    }
    void release() override { is_released = true; }
    bool is_released = false;
    int left() const { return left_; }

  private:
    int left_;
    std::vector<int>* order_;
    int name_;
    std::atomic<bool> is_running_{false};
};

class Background : public testing::Test {
  protected:
    Background() { pe_state.background = &works_; }
    test::FakeWorld world_{1};
    BackgroundList works_;
};

TEST_F(Background, IsAdvancedOnceByItsStartAndThenByWaits) {
    Steps work(4, nullptr, 0);
    Operation operation;
    start_background(work, operation);
    EXPECT_EQ(work.left(), 3);
    EXPECT_FALSE(operation.is_local());
    EXPECT_TRUE(drive_progress()) << "waits must call";
    EXPECT_EQ(work.left(), 2);
    drive_until([&] { return operation.is_remote(); }, "test");
    EXPECT_TRUE(work.is_released);
    EXPECT_FALSE(drive_progress()) << "nothing is left";
    advance_background();
}

TEST_F(Background, ThatIsCompleteAtOnceLeavesNothing) {
    Steps work(1, nullptr, 0);
    Operation operation;
    start_background(work, operation);
    EXPECT_TRUE(operation.is_local());
    EXPECT_TRUE(work.is_released);
    EXPECT_FALSE(drive_progress());
}

TEST_F(Background, GoesInTheOrderOfTheStarts) {
    std::vector<int> order;
    Steps first(4, &order, 1);
    Steps second(2, &order, 2);
    Steps third(3, &order, 3);
    Operation operations[3];
    start_background(first, operations[0]);
    start_background(second, operations[1]);
    start_background(third, operations[2]);
    order.clear();
    drive_until([] { return pe_state.background->is_empty(); }, "test");
    EXPECT_EQ(order, (std::vector<int>{1, 3, 3}));
    for (const Operation& operation : operations) EXPECT_TRUE(operation.is_remote());
}

TEST_F(Background, IsDrivenByOneThreadAtATime) {
    std::vector<std::unique_ptr<Steps>> works;
    std::vector<Operation> operations(50);
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over) advance_background();
    });
    for (Operation& operation : operations) {
        works.push_back(std::make_unique<Steps>(100, nullptr, 0));
        start_background(*works.back(), operation);
    }
    drive_until([] { return pe_state.background->is_empty(); }, "test");
    is_over = true;
    other.join();
    for (const auto& work : works) EXPECT_TRUE(work->is_released);
    for (const Operation& operation : operations) EXPECT_TRUE(operation.is_remote());
}

}  // namespace
}  // namespace tessera
