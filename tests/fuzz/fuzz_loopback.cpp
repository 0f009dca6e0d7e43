// SPDX-License-Identifier: BSD-3-Clause
//
// Messages from other PEs to the fabric loopback, over its real socket. Input: messages, each
// behind its length in two bytes. A get of this PE is under way, so that answers may hit it.
#include "fuzz/fuzz.hpp"
#include "transports/loopback/message.hpp"

namespace tessera::loopback {

extern const FabricEntry kFabric;

namespace {

constexpr std::size_t kHeapBytes = 2048;
constexpr std::size_t kInternalBytes = 1024;

// PE 0 of two, for one input; the target is PE 1. The memory is on the heap, where sanitizers see
// its ends.
struct World {
    World() {
        FabricSetup setup{
            .npes = 2,
            .segments = {.heap = {heap.get(), kHeapBytes},
                         .internal = {internal.get(), kInternalBytes}},
            .element_lock = &lock,
            .sleeper = &sleeper,
            .has_progress_thread = false,
        };
        setup.endpoint_info_of = [this](int) {
            const EndpointInfo theirs{.fingerprint = {}, .key = 1, .name = peer.name()};
            const auto bytes = std::as_bytes(std::span(&theirs, 1));
            return std::vector<std::byte>(bytes.begin(), bytes.end());
        };
        fabric = kFabric.make(std::move(setup));
        std::memcpy(&mine, fabric->endpoint_info().data(), sizeof mine);
        fabric->start();
        context = fabric->make_context({});
        fabric->get_nbi(*context, got, heap.get(), sizeof got, 1);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void send(std::string_view bytes) {
        Message message;
        std::memcpy(&message, bytes.data(), std::min(bytes.size(), sizeof message));
        // Otherwise nearly all of them would be those of strangers.
        message.key = mine.key;
        message.source &= 1;
        if (bytes.size() < sizeof message) bytes = {};
        bytes.remove_prefix(std::min(bytes.size(), sizeof message));
        iovec parts[] = {{.iov_base = &message, .iov_len = sizeof message},
                         {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()}};
        peer.try_send(mine.name, parts);
        fabric->progress();
    }
    void take_answers() {
        std::byte answer[sizeof(Message) + kDataBytesMax];
        while (peer.try_receive(answer) > 0) {
        }
        fabric->progress();
    }

    std::unique_ptr<char[]> heap = std::make_unique<char[]>(kHeapBytes);
    std::unique_ptr<char[]> internal = std::make_unique<char[]>(kInternalBytes);
    Sleeper sleeper{};
    std::atomic<std::uint32_t> lock{0};
    Socket peer;
    EndpointInfo mine;
    std::unique_ptr<FabricTransport> fabric;
    std::unique_ptr<TransportContext> context;
    char got[64] = {};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Input input;
    World world;
    fuzz::Bytes bytes(data, size);
    try {
        while (!bytes.is_empty()) {
            const auto length = bytes.take<std::uint16_t>();
            world.send(bytes.take(length));
            // Answers that find no room come later.
            if (length % 2 != 0) world.take_answers();
        }
    } catch (const fuzz::Ended&) {
    }
    return 0;
}

}  // namespace tessera::loopback
