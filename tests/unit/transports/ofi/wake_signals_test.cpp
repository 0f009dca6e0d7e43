// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a standing signal of libfabric is lost or takes system calls of libfabric, or when
// other pairs and descriptors become standing signals, too.
#include "transports/ofi/wake_signals.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <rdma/fi_domain.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "transports/ofi/fabric.hpp"

namespace tessera::ofi {
namespace {

constexpr int kDescriptors = 200;  // more than this program has open

std::vector<int> standing_descriptors() {
    std::vector<int> result;
    for (int i = 0; i < kDescriptors; ++i) {
        if (StandingSignals::has(i)) result.push_back(i);
    }
    return result;
}

Hints hints(bool members_only) {
    Hints result;
    result.provider = "tcp;ofi_rxm";
    result.address = "127.0.0.1";
    result.members_only = members_only;
    return result;
}

bool is_readable(int descriptor) {
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, 0) == 1;
}

// A fabric that sleeps on sockets has standing signals, and only while it is open.
TEST(StandingSignals, BelongToFabricsThatSleepOnSockets) {
    {
        const Fabric sleeps_on_the_queue(hints(false));
        EXPECT_TRUE(standing_descriptors().empty());
    }
    {
        const Fabric sleeps_on_sockets(hints(true));
        EXPECT_FALSE(standing_descriptors().empty());
    }
    EXPECT_TRUE(standing_descriptors().empty());
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    EXPECT_FALSE(StandingSignals::has(pair[0])) << "this program has made it";
    ::close(pair[0]);
    ::close(pair[1]);
}

// A queue of the provider tcp, which announces its entries by a signal.
class Queue {
  public:
    explicit Queue(bool is_standing) : fabric_(hints(false)) {
        const StandingSignals::Scope scope(is_standing);
        fi_cq_attr attributes{};
        attributes.format = FI_CQ_FORMAT_MSG;
        attributes.wait_obj = FI_WAIT_FD;
        fid_cq* queue = nullptr;
        EXPECT_EQ(fi_cq_open(fabric_.domain(), &attributes, &queue, nullptr), 0);
        queue_.reset(queue);
    }
    void signal() { EXPECT_EQ(fi_cq_signal(queue_.get()), 0); }
    // Readable while the signal is set.
    int descriptor() {
        int result = -1;
        EXPECT_EQ(fi_control(&queue_->fid, FI_GETWAIT, &result), 0);
        return result;
    }

  private:
    Fabric fabric_;
    Fid<fid_cq> queue_;
};

TEST(StandingSignals, AreAlwaysSet) {
    Queue ordinary(false);
    EXPECT_FALSE(is_readable(ordinary.descriptor()));
    ordinary.signal();
    EXPECT_TRUE(is_readable(ordinary.descriptor()));
    Queue standing(true);
    EXPECT_TRUE(is_readable(standing.descriptor()));
    standing.signal();
    EXPECT_TRUE(is_readable(standing.descriptor()));
}

int unread_bytes() {
    int sum = 0;
    for (const int descriptor : standing_descriptors()) {
        int bytes = 0;
        EXPECT_EQ(::ioctl(descriptor, FIONREAD, &bytes), 0);
        sum += bytes;
    }
    return sum;
}

TEST(StandingSignals, MoveNoBytes) {
    Queue queue(true);
    const int before = unread_bytes();
    EXPECT_GT(before, 0);
    queue.signal();
    EXPECT_EQ(unread_bytes(), before);
}

}  // namespace
}  // namespace tessera::ofi
