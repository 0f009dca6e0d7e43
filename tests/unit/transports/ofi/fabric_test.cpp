// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the opened objects of libfabric do not do what Capabilities says: two endpoints of
// this process, on each provider, write and read each other's memory, send messages, sleep, and
// count on one word by the provider's atomics and the CPU's.
#include <gtest/gtest.h>
#include <rdma/fi_atomic.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>

#include "transports/ofi/fabric_pair.hpp"

namespace tessera::ofi {
namespace {

constexpr std::size_t kBytes = PairSide::kBytes;
// Longer than any test may take: a thread that is not woken hangs.
constexpr int kForeverMs = 1000 * 3600;

Hints hints_for(const std::string& provider, bool atomics = false) {
    Hints hints;
    hints.provider = provider;
    hints.address = "127.0.0.1";
    hints.atomics = atomics;
    return hints;
}

std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
    std::vector<unsigned char> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        result[i] = static_cast<unsigned char>((i * 131 + i / 251 + seed) & 0xff);
    return result;
}

class EachProvider : public testing::TestWithParam<std::string> {};

TEST_P(EachProvider, WritesAndReads) {
    FabricPair pair(hints_for(GetParam()));
    unsigned seed = 0;
    for (std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{4097}, kBytes - 64}) {
        std::vector<unsigned char> source = pattern(bytes, ++seed);
        pair.write_delivered(source.data(), bytes, 16);
        // Delivered is delivered: the target's queue is not read any more.
        ASSERT_EQ(std::memcmp(pair.there.memory.data() + 16, source.data(), bytes), 0) << bytes;
        std::vector<unsigned char> back(bytes);
        pair.read(back.data(), bytes, 16);
        ASSERT_EQ(back, source) << bytes;
    }
}

// Several operations under way complete the same number.
TEST_P(EachProvider, OwnContextsLeadToWhatIsComplete) {
    Hints hints = hints_for(GetParam());
    hints.own_contexts = true;
    FabricPair pair(hints);
    constexpr int kAtOnce = 8;
    const std::vector<unsigned char> source = pattern(64, 5);
    for (int round = 0; round < 3; ++round) {
        int done = 0;
        for (int i = 0; i < kAtOnce; ++i)
            pair.post([&] { return pair.start_write(source.data(), source.size(), 0, &done); });
        while (done < kAtOnce) pair.progress();
        EXPECT_EQ(done, kAtOnce);
        int received = 0;
        int sent = 0;
        char message[64] = {};
        pair.post([&] { return pair.start_receive(message, sizeof message, &received); });
        pair.post([&] { return pair.start_send("done", 4, &sent); });
        while (received == 0 || sent == 0) pair.progress();
        EXPECT_STREQ(message, "done");
    }
    EXPECT_EQ(pair.entries, 3 * (kAtOnce + 2));
}

TEST_P(EachProvider, VectorsOfAllGrantedPieces) {
    FabricPair pair(hints_for(GetParam()));
    const Capabilities& facts = pair.here.fabric.capabilities();
    const Region& target = pair.there.region;
    constexpr std::size_t kPiece = 24;
    std::size_t pieces = std::min(facts.iov_max, facts.rma_iov_max);
    ASSERT_LE(pieces, kPiecesMax);
    std::vector<unsigned char> source = pattern(pieces * kPiece * 2, 7);
    iovec local[kPiecesMax];
    fi_rma_iov remote[kPiecesMax];
    for (std::size_t i = 0; i < pieces; ++i) {
        local[i] = {.iov_base = source.data() + 2 * i * kPiece, .iov_len = kPiece};
        remote[i] = {.addr = target.remote_base + 1000 * i, .len = kPiece, .key = target.key};
    }
    fi_msg_rma message{};
    message.msg_iov = local;
    message.iov_count = pieces;
    message.addr = pair.here.other;
    message.rma_iov = remote;
    message.rma_iov_count = pieces;
    pair.run([&](int* done) {
        message.context = done;
        return fi_writemsg(pair.here.fabric.endpoint(), &message,
                           FI_COMPLETION | FI_DELIVERY_COMPLETE);
    });
    for (std::size_t i = 0; i < pieces; ++i) {
        EXPECT_EQ(std::memcmp(pair.there.memory.data() + 1000 * i, local[i].iov_base, kPiece), 0)
            << "piece " << i;
        EXPECT_EQ(pair.there.memory[1000 * i + kPiece], 0);
    }
}

TEST_P(EachProvider, InjectedOnesLeaveNoEntry) {
    FabricPair pair(hints_for(GetParam()));
    const Region& target = pair.there.region;
    std::size_t bytes = pair.here.fabric.capabilities().inject_write_bytes;
    std::vector<unsigned char> source = pattern(bytes, 3);
    ssize_t result = -FI_EAGAIN;
    while (result == -FI_EAGAIN) {
        result = fi_inject_write(pair.here.fabric.endpoint(), source.data(), bytes, pair.here.other,
                                 target.remote_base, target.key);
        if (result == -FI_EAGAIN) pair.progress();
    }
    ASSERT_EQ(result, 0);
    // A read behind the write sees it (Capabilities::read_after_write).
    std::vector<unsigned char> back(bytes);
    pair.run([&](int* done) {
        return fi_read(pair.here.fabric.endpoint(), back.data(), bytes, nullptr, pair.here.other,
                       target.remote_base, target.key, done);
    });
    EXPECT_EQ(back, source);
    EXPECT_EQ(pair.entries, 1) << "the read's";
}

TEST_P(EachProvider, ReachesItself) {
    FabricPair pair(hints_for(GetParam()));
    Fabric& fabric = pair.here.fabric;
    fi_addr_t self = fabric.add_peer(fabric.address());
    std::uint64_t value = 42;
    pair.run([&](int* done) {
        return fi_write(fabric.endpoint(), &value, sizeof value, nullptr, self,
                        pair.here.region.remote_base + 8, pair.here.region.key, done);
    });
    std::uint64_t back = 0;
    pair.run([&](int* done) {
        return fi_read(fabric.endpoint(), &back, sizeof back, nullptr, self,
                       pair.here.region.remote_base + 8, pair.here.region.key, done);
    });
    EXPECT_EQ(back, 42U);
}

TEST_P(EachProvider, MessageComesBehindItsWrites) {
    FabricPair pair(hints_for(GetParam()));
    const Region& target = pair.there.region;
    ASSERT_TRUE(pair.here.fabric.capabilities().send_after_write);
    for (unsigned round = 1; round <= 200; ++round) {
        std::size_t bytes = std::size_t{1} << (round % 17);
        std::vector<unsigned char> source = pattern(bytes, round);
        unsigned char message[64] = {};
        int written = 0;
        ssize_t result = -FI_EAGAIN;
        while (result == -FI_EAGAIN) {
            result = fi_write(pair.here.fabric.endpoint(), source.data(), bytes, nullptr,
                              pair.here.other, target.remote_base, target.key, &written);
            if (result == -FI_EAGAIN) pair.progress();
        }
        ASSERT_EQ(result, 0);
        int received = 0;
        ASSERT_EQ(fi_recv(pair.there.fabric.endpoint(), message, sizeof message, nullptr,
                          FI_ADDR_UNSPEC, &received),
                  0);
        int sent = 0;
        result = -FI_EAGAIN;
        while (result == -FI_EAGAIN) {
            result =
                fi_send(pair.here.fabric.endpoint(), "done", 4, nullptr, pair.here.other, &sent);
            if (result == -FI_EAGAIN) pair.progress();
        }
        ASSERT_EQ(result, 0);
        while (received == 0) pair.progress();
        ASSERT_EQ(std::memcmp(message, "done", 4), 0);
        ASSERT_EQ(std::memcmp(pair.there.memory.data(), source.data(), bytes), 0) << bytes;
        while (written == 0 || sent == 0) pair.progress();
    }
}

TEST_P(EachProvider, KeysAreRandom) {
    Fabric fabric(hints_for(GetParam()));
    ASSERT_FALSE(fabric.capabilities().provider_keys);
    std::uint64_t ones = 0;
    std::uint64_t zeros = 0;
    std::vector<Region> regions;
    for (int i = 0; i < 64; ++i) {  // a bit that is equal in all: once in 10^17 runs
        regions.push_back(fabric.register_memory(&ones, sizeof ones));
        ones |= regions.back().key;
        zeros |= ~regions.back().key;
    }
    EXPECT_EQ(ones, ~std::uint64_t{0});
    EXPECT_EQ(zeros, ~std::uint64_t{0});
    for (const Region& region : regions) fabric.unregister_memory(region);
}

TEST_P(EachProvider, WakeEndsTheSleep) {
    Fabric fabric(hints_for(GetParam()));
    for (int round = 0; round < 3; ++round) {
        std::thread sleeper([&] { fabric.wait_for_events(kForeverMs); });
        fabric.wake();
        sleeper.join();
    }
}

// As the engine does. RETURNS: whether that took an entry out of the queue.
bool sleep(Fabric& fabric, int timeout_ms, int idle = 0) {
    return fabric.wait_for_events(timeout_ms, idle) == Fabric::Event::kStuck &&
           fabric.reset_descriptor();
}

void message_ends_the_sleep(const Hints& hints) {
    FabricPair pair(hints);
    unsigned char message[64] = {};
    std::atomic<bool> is_received = false;
    ASSERT_EQ(fi_recv(pair.there.fabric.endpoint(), message, sizeof message, nullptr,
                      FI_ADDR_UNSPEC, nullptr),
              0);
    std::thread sleeper([&] {
        fi_cq_msg_entry entry{};
        for (int idle = 0; !is_received.load(); ++idle) {
            ssize_t got = fi_cq_read(pair.there.fabric.queue(), &entry, 1);
            // Where sleeping takes the entry out of the queue, there is none to read.
            if (got == 1 || sleep(pair.there.fabric, kForeverMs, idle)) is_received.store(true);
        }
    });
    fi_cq_msg_entry entry{};
    Fabric& here = pair.here.fabric;
    ssize_t result = -FI_EAGAIN;
    while ((result = fi_send(here.endpoint(), "hi", 2, nullptr, pair.here.other, nullptr)) ==
           -FI_EAGAIN) {
        fi_cq_read(here.queue(), &entry, 1);
    }
    ASSERT_EQ(result, 0);
    while (!is_received.load()) fi_cq_read(here.queue(), &entry, 1);
    sleeper.join();
    EXPECT_EQ(std::memcmp(message, "hi", 2), 0);
}

// Providers whose sockets tell sleep on those, others on a descriptor of their own.
TEST_P(EachProvider, MessageEndsTheSleep) {
    Hints hints = hints_for(GetParam());
    hints.members_only = true;
    message_ends_the_sleep(hints);
    hints.members_only = false;
    message_ends_the_sleep(hints);
}

TEST_P(EachProvider, IdleQueueLetsItsReaderSleep) {
    Hints hints = hints_for(GetParam());
    hints.members_only = true;
    Fabric fabric(hints);
    const Capabilities& facts = fabric.capabilities();
    if (!facts.cq_has_fd && !facts.sockets_tell) GTEST_SKIP() << "its reader sleeps by the clock";
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) fabric.wait_for_events(10);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(50));
}

// The target's thread serves a read that is longer than its sockets take at once, and has to sleep
// until they take more.
TEST_P(EachProvider, FullSocketThatTakesMoreEndsTheSleep) {
    constexpr std::size_t kLong = std::size_t{32} << 20;
    Hints hints = hints_for(GetParam());
    hints.members_only = true;
    FabricPair pair(hints);
    if (pair.there.fabric.capabilities().max_rma_bytes < kLong) GTEST_SKIP() << "reads are short";
    std::vector<unsigned char> source = pattern(kLong, 3);
    const Region region = pair.there.fabric.register_memory(source.data(), kLong);
    std::atomic<bool> is_over = false;
    std::thread target([&] {
        fi_cq_msg_entry entry{};
        for (int idle = 0; !is_over.load(); ++idle) {
            if (fi_cq_read(pair.there.fabric.queue(), &entry, 1) == -FI_EAGAIN)
                sleep(pair.there.fabric, kForeverMs, idle);
        }
    });
    std::vector<unsigned char> back(kLong);
    int done = 0;
    ssize_t result = -FI_EAGAIN;
    fi_cq_msg_entry entry{};
    Fabric& here = pair.here.fabric;
    while ((result = fi_read(here.endpoint(), back.data(), kLong, nullptr, pair.here.other,
                             region.remote_base, region.key, &done)) == -FI_EAGAIN) {
        fi_cq_read(here.queue(), &entry, 1);
    }
    EXPECT_EQ(result, 0) << error_text(result);
    while (result == 0 && fi_cq_read(here.queue(), &entry, 1) != 1) {
    }
    is_over.store(true);
    pair.there.fabric.wake();
    target.join();
    EXPECT_EQ(back, source);
    pair.there.fabric.unregister_memory(region);
}

// A descriptor that stays readable once there was an entry keeps a core busy.
TEST_P(EachProvider, ReaderSleepsAgainAfterMessages) {
    Hints hints = hints_for(GetParam());
    hints.members_only = true;
    FabricPair pair(hints);
    const Capabilities& facts = pair.here.fabric.capabilities();
    if (!facts.cq_has_fd && !facts.sockets_tell) GTEST_SKIP() << "its reader sleeps by the clock";
    for (int round = 0; round < 3; ++round) {
        unsigned char message[64] = {};
        int received = 0;
        ASSERT_EQ(fi_recv(pair.there.fabric.endpoint(), message, sizeof message, nullptr,
                          FI_ADDR_UNSPEC, &received),
                  0);
        pair.run([&](int* done) {
            return fi_send(pair.here.fabric.endpoint(), "hi", 2, nullptr, pair.here.other, done);
        });
        while (received == 0) pair.progress();
        for (int i = 0; i < 100; ++i) pair.progress();
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 100; ++i) {
            sleep(pair.there.fabric, 1);
            pair.progress();  // As a reader does: the provider may have had a late event.
        }
        // A few may end early; of a stuck descriptor all do.
        EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
    }
}

INSTANTIATE_TEST_SUITE_P(Providers, EachProvider,
                         testing::Values("tcp;ofi_rxm", "net", "sockets", "shm"),
                         [](const auto& test) {
                             return test.param.substr(0, test.param.find(';'));
                         });

// "One word, one path" allows the provider's atomics only where this passes.
class CpuAtomics : public testing::TestWithParam<std::string> {};

template <class T>
void count_together(FabricPair& pair, fi_datatype type, std::size_t offset) {
    constexpr int kCount = 3000;
    T* word = reinterpret_cast<T*>(pair.there.memory.data() + offset);
    std::atomic<bool> is_over = false;
    std::uint64_t cpu_count = 0;
    std::thread cpu([&] {
        while (!is_over.load()) {
            std::atomic_ref<T>(*word).fetch_add(1);
            ++cpu_count;
        }
    });
    const Region& target = pair.there.region;
    T one = 1;
    T old = 0;
    for (int i = 0; i < kCount; ++i) {
        pair.run([&](int* done) {
            return fi_fetch_atomic(pair.here.fabric.endpoint(), &one, 1, nullptr, &old, nullptr,
                                   pair.here.other, target.remote_base + offset, target.key, type,
                                   FI_SUM, done);
        });
    }
    is_over.store(true);
    cpu.join();
    EXPECT_EQ(std::atomic_ref<T>(*word).load(), static_cast<T>(cpu_count + kCount));
}

TEST_P(CpuAtomics, LoseNoUpdateOfOurs) {
    FabricPair pair(hints_for(GetParam(), true));
    ASSERT_TRUE(pair.here.fabric.capabilities().atomics_are_cpu_atomics);
    count_together<std::uint32_t>(pair, FI_UINT32, 256);
    count_together<std::uint64_t>(pair, FI_UINT64, 512);
}

INSTANTIATE_TEST_SUITE_P(Providers, CpuAtomics,
                         testing::Values("tcp;ofi_rxm", "net;ofi_rxm", "sockets", "shm"),
                         [](const auto& test) {
                             return test.param.substr(0, test.param.find(';'));
                         });

TEST(Fabric, EndpointIsBoundToTheChosenAddressAlone) {
    for (const char* provider : {"tcp;ofi_rxm", "net", "sockets"}) {
        Fabric fabric(hints_for(provider));
        std::vector<std::byte> address = fabric.address();
        const unsigned char loopback[4] = {127, 0, 0, 1};
        ASSERT_EQ(address.size(), 16U);  // sockaddr_in: family, port, address
        EXPECT_EQ(std::memcmp(address.data() + 4, loopback, 4), 0) << provider;
    }
}

// Mappings of this process for which the kernel was asked for huge pages.
std::size_t mappings_on_huge_pages() {
    std::ifstream mappings("/proc/self/smaps");
    std::size_t count = 0;
    for (std::string line; std::getline(mappings, line);) {
        if (line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos) ++count;
    }
    return count;
}

// An endpoint that opens would fault in each page of its 30 MB of buffers.
TEST(Buffers, LieOnHugePages) {
    if (::access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) GTEST_SKIP() << "no such pages";
    const std::size_t before = mappings_on_huge_pages();
    Fabric fabric(hints_for("tcp;ofi_rxm"));
    EXPECT_GT(mappings_on_huge_pages(), before);
}

}  // namespace
}  // namespace tessera::ofi
