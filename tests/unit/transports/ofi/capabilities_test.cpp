// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the wrong provider is chosen, or when what Capabilities says of one is not what the
// rest of the transport may rely on. The facts are those of libfabric 1.17 (Debian 12) and 2.1
// (Debian 13).
#include "transports/ofi/capabilities.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tessera::ofi {
namespace {

Capabilities of(const std::string& provider, bool atomics = false) {
    Hints hints;
    hints.provider = provider;
    hints.address = "127.0.0.1";
    hints.atomics = atomics;
    return choose(hints).capabilities;
}

// The provider that `net` means. From libfabric 2.0 on it is called `tcp`, and offers no atomics.
std::string net() { return library().version() < FI_VERSION(2, 0) ? "net" : "tcp"; }

TEST(Capabilities, EthernetTakesTcp) {
    Capabilities facts = of("");
    EXPECT_EQ(facts.provider, "tcp;ofi_rxm");
    EXPECT_EQ(facts.address, "127.0.0.1");
    EXPECT_EQ(facts.domain, "lo");
}

TEST(Capabilities, NamesMayBeShort) {
    EXPECT_EQ(of("tcp").provider, net() == "tcp" ? "tcp" : "tcp;ofi_rxm");
    EXPECT_EQ(of("net").provider, net());
    EXPECT_EQ(of("net;ofi_rxm").provider, net() + ";ofi_rxm");
}

TEST(Capabilities, InterfaceComesBeforeTheAddress) {
    Hints hints;
    hints.address = "10.99.0.1";
    hints.interface = "127.0.0.0/8";
    EXPECT_EQ(choose(hints).capabilities.address, "127.0.0.1");
    hints.interface = "lo";
    EXPECT_EQ(choose(hints).capabilities.address, "127.0.0.1");
}

TEST(Capabilities, FabricAndDomainFilter) {
    Hints hints;
    hints.address = "10.99.0.1";
    hints.fabric = "127.0.0.1/32";
    hints.domain = "lo";
    EXPECT_EQ(choose(hints).capabilities.domain, "lo");
}

// The common properties of all sockets providers, and the differences.
struct Facts {
    std::string provider;
    bool atomics;
    bool orders_with_atomics;
    bool cq_has_fd;
    std::size_t inject;
    std::size_t pieces;
};

class EachProvider : public testing::TestWithParam<Facts> {};

TEST_P(EachProvider, WithoutAtomics) {
    Capabilities facts = of(GetParam().provider);
    EXPECT_EQ(facts.provider, GetParam().provider == "net" ? net() : GetParam().provider);
    EXPECT_FALSE(facts.provider_keys);
    EXPECT_EQ(facts.key_bytes, 8U);
    EXPECT_TRUE(facts.write_after_write);
    EXPECT_TRUE(facts.send_after_write);
    EXPECT_TRUE(facts.read_after_write);
    EXPECT_TRUE(facts.send_after_send);
    EXPECT_GE(facts.ordered_write_bytes, facts.max_rma_bytes);
    EXPECT_GE(facts.ordered_read_bytes, facts.max_rma_bytes);
    EXPECT_TRUE(facts.delivery_complete);
    EXPECT_FALSE(facts.atomics) << "not asked for";
    EXPECT_FALSE(facts.writes_words_whole) << "tests/behaviour/rma/words_test.cpp sees it";
    EXPECT_EQ(facts.cq_has_fd, GetParam().cq_has_fd);
    EXPECT_EQ(facts.inject_write_bytes, GetParam().inject);
    EXPECT_EQ(facts.iov_max, GetParam().pieces);
    EXPECT_EQ(facts.rma_iov_max, GetParam().pieces);
    EXPECT_GE(facts.max_rma_bytes, std::size_t{1} << 20);
    EXPECT_GE(facts.eager_message_bytes, 4096U);
    EXPECT_GE(facts.tx_size, 256U);
}

TEST_P(EachProvider, WithAtomics) {
    if (GetParam().provider == "net" && net() == "tcp") GTEST_SKIP() << "has no atomics";
    Capabilities facts = of(GetParam().provider, true);
    EXPECT_EQ(facts.atomics, GetParam().atomics);
    EXPECT_EQ(facts.atomics_are_cpu_atomics, GetParam().atomics);
    EXPECT_EQ(facts.send_after_write, GetParam().orders_with_atomics);
    EXPECT_EQ(facts.write_after_write, GetParam().orders_with_atomics);
    EXPECT_EQ(facts.read_after_write, GetParam().orders_with_atomics);
    EXPECT_TRUE(facts.send_after_send);
}

INSTANTIATE_TEST_SUITE_P(Providers, EachProvider,
                         testing::Values(Facts{"tcp;ofi_rxm", true, false, true, 64, 4},
                                         Facts{"net", false, true, true, 128, 4},
                                         Facts{"sockets", true, true, false, 255, 8},
                                         Facts{"shm", true, true, false, 4096, 4}),
                         [](const auto& test) {
                             return test.param.provider.substr(0, test.param.provider.find(';'));
                         });

TEST(Capabilities, DescriptionNamesProviderAndInterface) {
    std::string text = describe(of("tcp;ofi_rxm"));
    EXPECT_EQ(text.find("tcp;ofi_rxm on 127.0.0.1 (lo), libfabric "), 0U) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

void choose_with(const Hints& hints) { (void)choose(hints); }

TEST(CapabilitiesDeathTest, UnknownHintsAreRefusedWithAList) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Hints hints;
    hints.provider = "carrier-pigeon";
    EXPECT_EXIT(choose_with(hints), testing::ExitedWithCode(1),
                "SHMEM_OFI_PROVIDER=carrier-pigeon; there are .*(\n.*)*tcp;ofi_rxm  127.0.0.1/32");
    hints = {};
    hints.fabric = "10.255.0.0/30";
    EXPECT_EXIT(choose_with(hints), testing::ExitedWithCode(1),
                "SHMEM_OFI_FABRIC=10.255.0.0/30; there are");
    hints = {};
    hints.provider = "tcp";
    hints.domain = "moon";
    EXPECT_EXIT(choose_with(hints), testing::ExitedWithCode(1),
                "SHMEM_OFI_PROVIDER=tcp SHMEM_OFI_DOMAIN=moon; there are");
}

TEST(CapabilitiesDeathTest, SharedMemoryOnlyIfNamed) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::setenv("FI_PROVIDER", "shm", 1);
            choose_with({});
        },
        testing::ExitedWithCode(1), "no provider for reaching other nodes; .*\n  shm  shm  shm");
}

}  // namespace
}  // namespace tessera::ofi
