// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a connection reaches a provider of libfabric without proof that it belongs to the
// job, when strangers use up descriptors, or when a PE of the job is refused.
#include "transports/ofi/admission.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <rdma/fi_rma.h>

#include <cstring>
#include <string>
#include <vector>

#include "transports/ofi/fabric.hpp"

namespace tessera::ofi {
namespace {

constexpr std::size_t kBytes = 4096;

Hints hints_for(const std::string& provider) {
    Hints hints;
    hints.provider = provider;
    hints.address = "127.0.0.1";
    hints.members_only = true;
    return hints;
}

void progress(Fabric& fabric, fi_cq_msg_entry& entry, ssize_t& got) {
    got = fi_cq_read(fabric.queue(), &entry, 1);
    ASSERT_TRUE(got == 1 || got == -FI_EAGAIN) << error_text(got);
}

// Reads the queue, which lets the provider look at connections, until `is_done()`.
template <class Done>
void progress_until(Fabric& fabric, Done is_done) {
    fi_cq_msg_entry entry{};
    ssize_t got = 0;
    while (!is_done() && !testing::Test::HasFatalFailure()) progress(fabric, entry, got);
}

Fd connect_to(const Fabric& fabric) {
    const std::vector<std::byte> address = fabric.address();
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(address.data()),
                        sizeof(sockaddr_in)),
              0);
    return socket;
}

bool was_closed(int socket) {
    char byte = 0;
    const ssize_t got = ::recv(socket, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

class AdmissionTest : public testing::TestWithParam<const char*> {
  protected:
    // A member of the job writes, whatever else there is.
    void expect_members_pass() {
        Fabric member(hints_for(GetParam()));
        std::vector<unsigned char> memory(kBytes, 0);
        const std::vector<unsigned char> source(kBytes, 7);
        const Region region = fabric.register_memory(memory.data(), kBytes);
        const fi_addr_t peer = member.add_peer(fabric.address(), fabric.admission_key());
        fi_cq_msg_entry entry{};
        ssize_t got = 0;
        ssize_t posted = -FI_EAGAIN;
        while (posted == -FI_EAGAIN) {
            posted = fi_write(member.endpoint(), source.data(), kBytes, nullptr, peer,
                              region.remote_base, region.key, nullptr);
            progress(member, entry, got);
            progress(fabric, entry, got);
        }
        ASSERT_EQ(posted, 0);
        // Volatile: the provider writes.
        const volatile unsigned char& last = memory[kBytes - 1];
        while (last != 7) {
            progress(member, entry, got);
            progress(fabric, entry, got);
        }
        fabric.unregister_memory(region);
    }

    Fabric fabric{hints_for(GetParam())};
};

TEST_P(AdmissionTest, RefusesWhatIsNoProof) {
    ASSERT_NE(fabric.admission_key(), 0U);
    const Proof wrong{.key = fabric.admission_key() ^ 1};
    const Fd stranger = connect_to(fabric);
    ASSERT_EQ(::send(stranger.get(), &wrong, sizeof wrong, 0), ssize_t{sizeof wrong});
    progress_until(fabric, [&] { return was_closed(stranger.get()); });
    expect_members_pass();
}

TEST_P(AdmissionTest, WaitsForTheRestOfAProof) {
    const Proof proof{.key = fabric.admission_key()};
    const Fd slow = connect_to(fabric);
    ASSERT_EQ(::send(slow.get(), &proof, 5, 0), 5);
    expect_members_pass();
    EXPECT_FALSE(was_closed(slow.get()));
    // From here on the connection is the provider's, which waits for its first request.
    ASSERT_EQ(::send(slow.get(), reinterpret_cast<const char*>(&proof) + 5, sizeof proof - 5, 0),
              ssize_t{sizeof proof - 5});
    expect_members_pass();
    EXPECT_FALSE(was_closed(slow.get()));
}

TEST_P(AdmissionTest, SilentStrangersGoTheOldestFirst) {
    std::vector<Fd> strangers;
    for (std::size_t i = 0; i < 2 * Admission::kPendingMax; ++i)
        strangers.push_back(connect_to(fabric));
    const std::size_t oldest_left = strangers.size() - Admission::kPendingMax - 1;
    progress_until(fabric, [&] { return was_closed(strangers[oldest_left].get()); });
    for (std::size_t i = 0; i < oldest_left; ++i) EXPECT_TRUE(was_closed(strangers[i].get()));
    EXPECT_FALSE(was_closed(strangers.back().get()));
    expect_members_pass();
}

TEST_P(AdmissionTest, TellsItsAddress) {
    const std::vector<std::byte> bytes = fabric.address();
    sockaddr_in address{};
    ASSERT_GE(bytes.size(), sizeof address);
    std::memcpy(&address, bytes.data(), sizeof address);
    EXPECT_EQ(address.sin_family, AF_INET);
    EXPECT_EQ(ntohl(address.sin_addr.s_addr), INADDR_LOOPBACK);
    EXPECT_NE(address.sin_port, 0);
}

INSTANTIATE_TEST_SUITE_P(Providers, AdmissionTest, testing::Values("tcp;ofi_rxm", "net", "sockets"),
                         [](const auto& tested) {
                             return std::string(tested.param, std::strcspn(tested.param, ";"));
                         });

TEST(Admission, ConnectionsOfOthersAreAsBefore) {
    Fabric open([] {
        Hints hints = hints_for("tcp;ofi_rxm");
        hints.members_only = false;
        return hints;
    }());
    EXPECT_EQ(open.admission_key(), 0U);
}

}  // namespace
}  // namespace tessera::ofi
