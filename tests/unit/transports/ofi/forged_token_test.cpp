// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE trusts a token that comes from the network: answers name operations of the PE
// that asked, and an answer with a token that this PE did not give out must end the job with an
// explanation, not corrupt memory or crash. Or when a PE trusts the size of a put. The test knows
// PE 0's keys, as a PE gone wrong does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/endpoint_slot.hpp"
#include "base/wait.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/ofi/endpoint_info.hpp"
#include "transports/ofi/fabric.hpp"
#include "transports/ofi/message.hpp"

namespace tessera::ofi {
namespace {

// PE 0 is a transport, PE 1 a bare endpoint of this process.
struct World {
    World() : bare({.provider = "tcp;ofi_rxm", .address = "127.0.0.1"}) {
        FabricSetup setup;
        setup.npes = 2;
        setup.segments = {.heap = {heap, sizeof heap}, .internal = {internal, sizeof internal}};
        setup.confirmation_word = reinterpret_cast<std::uint64_t*>(internal);
        setup.sleeper = &sleeper;
        setup.values = [](std::string_view name) {
            return std::string(name == "SHMEM_OFI_PROVIDER" ? "tcp;ofi_rxm" : "");
        };
        setup.address = "127.0.0.1";
        setup.has_progress_thread = false;
        setup.endpoint_table = table.data();
        // Only for PE 0's answers.
        setup.endpoint_info_of = [this](int) {
            EndpointInfo mine = info;
            const std::vector<std::byte> address = bare.address();
            mine.address_bytes = static_cast<std::uint32_t>(address.size());
            std::memcpy(mine.address, address.data(), address.size());
            const auto bytes = std::as_bytes(std::span(&mine, 1));
            return std::vector<std::byte>(bytes.begin(), bytes.end());
        };
        transport = make_fabric("ofi", std::move(setup));
        context = transport->make_context({});
        const std::vector<std::byte> bytes = transport->endpoint_info();
        std::memcpy(&info, bytes.data(), sizeof info);
        transport->start();
        pe0 = bare.add_peer({info.address, info.address_bytes}, info.admission_key);
    }

    void step() {
        fi_cq_msg_entry entry{};
        fi_cq_read(bare.queue(), &entry, 1);
        transport->progress();
    }
    template <class Message>
    void send(Message message) {
        message.key = info.message_key;
        message.source = 1;
        while (fi_inject(bare.endpoint(), &message, sizeof message, pe0) == -FI_EAGAIN) step();
    }
    // RETURNS when: all earlier messages have been executed, because this one is executed after
    // them.
    void send_gate() {
        GateMessage message{};
        message.kind = MessageKind::kGate;
        message.offset = 1024;
        message.number = 1;
        send(message);
        auto* gate = reinterpret_cast<Gate*>(internal + 1024);
        while (!gate->has_reached(1)) step();
    }

    alignas(64) char heap[4096] = {};
    alignas(64) char internal[4096] = {};
    Sleeper sleeper{};
    std::vector<char> table = std::vector<char>(2 * kEndpointSlotBytes);
    EndpointInfo info;
    Fabric bare;
    std::unique_ptr<FabricTransport> transport;
    std::unique_ptr<TransportContext> context;
    fi_addr_t pe0 = 0;
};

// Ends the process with 0 if nothing comes of it.
[[noreturn]] void forge(MessageKind kind, std::uint64_t token) {
    World world;
    Reply message{};
    message.kind = kind;
    message.count = 1;
    message.token = token;
    world.send(message);
    world.send_gate();
    std::_Exit(0);
}

constexpr const char* kUsualMessage = "PE 1, on another node, answered an operation that this PE ";
constexpr std::uint64_t kTokens[] = {1, 0x10000, 0x7f0000001000, ~std::uint64_t{0}, 3ULL << 32 | 1};

TEST(ForgedToken, OfAReplyEndsTheJobWithAnExplanation) {
    for (const std::uint64_t token : kTokens) {
        EXPECT_EXIT(forge(MessageKind::kReply, token), testing::ExitedWithCode(1), kUsualMessage)
            << token;
    }
}

TEST(ForgedToken, OfAnAcknowledgementEndsTheJobWithAnExplanation) {
    for (const std::uint64_t token : kTokens) {
        EXPECT_EXIT(forge(MessageKind::kAck, token), testing::ExitedWithCode(1), kUsualMessage)
            << token;
    }
}

TEST(ForgedToken, OfTheDataOfAGetEndsTheJobWithAnExplanation) {
    for (const std::uint64_t token : kTokens) {
        EXPECT_EXIT(forge(MessageKind::kGathered, token), testing::ExitedWithCode(1), kUsualMessage)
            << token;
    }
}

// The slots of a live context can be guessed, but not what they wait for.
TEST(ForgedToken, OfASlotWithNothingInFlightEndsTheJobToo) {
    EXPECT_EXIT(forge(MessageKind::kAck, 1ULL << 32 | 1), testing::ExitedWithCode(1),
                kUsualMessage);
}

struct ForgedPut : Header {
    Update update;
    char data[8];
};
// RETURNS: the contents of PE 0's heap afterwards.
std::string put_forged(std::size_t offset, std::uint64_t bytes, std::uint16_t count) {
    World world;
    ForgedPut message{};
    message.kind = MessageKind::kUpdates;
    message.count = count;
    message.update = {.word = RemoteWord::pack_bytes(Segment::kHeap, offset), .operand = bytes};
    std::memset(message.data, 'x', sizeof message.data);
    world.send(message);
    world.send_gate();
    return {world.heap, sizeof world.heap};
}

TEST(ForgedUpdate, ReachesNothingBeyondTheMessageAndTheHeap) {
    std::string expected(4096, '\0');
    EXPECT_EQ(put_forged(0, 9, 1), expected);
    EXPECT_EQ(put_forged(0, 4096, 1), expected);
    EXPECT_EQ(put_forged(0, ~std::uint64_t{0}, 1), expected);
    EXPECT_EQ(put_forged(4089, 8, 1), expected);
    EXPECT_EQ(put_forged(std::size_t{1} << 53, 8, 1), expected);
    EXPECT_EQ(put_forged(0, 8, 0), expected);
    expected.replace(4088, 8, 8, 'x');
    EXPECT_EQ(put_forged(4088, 8, 1), expected);
    EXPECT_EQ(put_forged(4088, 8, 2), expected);
}

TEST(ForgedToken, NoTokenIsAnAnswerToAPing) {
    EXPECT_EXIT(forge(MessageKind::kAck, 0), testing::ExitedWithCode(0), "");
}

struct ForgedPutWithGates : PutWithGatesMessage {
    char data[8];
};
// RETURNS: the contents of PE 0's internal segment afterwards.
std::string put_forged_with_gates(std::uint64_t dest, std::uint64_t gate) {
    World world;
    ForgedPutWithGates message{};
    message.kind = MessageKind::kPutWithGates;
    message.dest = dest;
    message.gate = gate;
    message.other_gate = PutWithGatesMessage::kNoGate;
    message.number = 1;
    std::memset(message.data, 'x', sizeof message.data);
    world.send(message);
    world.send_gate();
    return {world.internal, sizeof world.internal};
}

TEST(ForgedPutWithGates, OutsideOfTheSegmentChangesNothing) {
    const auto has_put = [](const std::string& segment) {
        return segment.find('x') != std::string::npos;
    };
    EXPECT_TRUE(has_put(put_forged_with_gates(64, 128))) << "one that is right";
    EXPECT_FALSE(has_put(put_forged_with_gates(4096, 128)));
    EXPECT_FALSE(has_put(put_forged_with_gates(4089, 128)));
    EXPECT_FALSE(has_put(put_forged_with_gates(~std::uint64_t{0} - 3, 128)));
    // A gate that is no gate is ignored; so is one at an address that is no multiple of 4.
    put_forged_with_gates(64, 4096);
    put_forged_with_gates(64, 129);
}

}  // namespace
}  // namespace tessera::ofi
