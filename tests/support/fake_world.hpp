// SPDX-License-Identifier: BSD-3-Clause
//
// Several PEs in one process, for unit tests of src/core: each has a heap and static data of its
// own, all of them mapped. The test says which PE it is at the moment. No job, no runtime.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "base/platform.hpp"
#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "transports/transport.hpp"

namespace tessera::test {

class FakeWorld {
  public:
    static constexpr std::size_t kHeapBytes = kHugePageBytes;
    static constexpr std::size_t kStaticBytes = 8192;

    explicit FakeWorld(int npes)
        : peers_(static_cast<std::size_t>(npes)), sleepers_(peers_.size()) {
        for (std::size_t pe = 0; pe < peers_.size(); ++pe) {
            heaps_.push_back(make_memory(kHeapBytes));
            statics_.push_back(make_memory(kStaticBytes));
            peers_[pe] = {.heap_inline_limit = inline_limit_of(kHeapBytes),
                          .heap = heaps_[pe].get(),
                          .statics = statics_[pe].get(),
                          .sleeper = &sleepers_[pe]};
        }
        transports_.resize(peers_.size());
        become(0);
    }
    ~FakeWorld() { std::construct_at(&address_map); }
    FakeWorld(const FakeWorld&) = delete;
    FakeWorld& operator=(const FakeWorld&) = delete;

    // From here on the calls are those of PE `pe`.
    void become(int pe) {
        auto index = static_cast<std::size_t>(pe);
        std::construct_at(&address_map);
        address_map.npes = static_cast<std::uint32_t>(peers_.size());
        address_map.direct_npes = address_map.npes;
        address_map.my_pe = pe;
        address_map.heap_base = reinterpret_cast<std::uintptr_t>(heaps_[index].get());
        address_map.heap_bytes = kHeapBytes;
        address_map.team_begin = address_map.local_begin = kHeapBytes;
        address_map.static_base = reinterpret_cast<std::uintptr_t>(statics_[index].get());
        address_map.static_bytes = kStaticBytes;
        address_map.static_inline_limit = inline_limit_of(kStaticBytes);
        address_map.peers = peers_.data();
        address_map.transports = transports_.data();
    }

    // The memory of a PE, wherever we are.
    char* heap(int pe) const { return heaps_[static_cast<std::size_t>(pe)].get(); }
    char* statics(int pe) const { return statics_[static_cast<std::size_t>(pe)].get(); }
    Peer& peer(int pe) { return peers_[static_cast<std::size_t>(pe)]; }
    // The transport to memory of a PE that is not mapped.
    Transport*& transport(int pe) { return transports_[static_cast<std::size_t>(pe)]; }

  private:
    struct Free {
        void operator()(char* memory) const {
            ::operator delete[](memory, std::align_val_t(kFalseSharingBytes));
        }
    };
    using Memory = std::unique_ptr<char[], Free>;
    static Memory make_memory(std::size_t bytes) {
        auto* memory =
            static_cast<char*>(::operator new[](bytes, std::align_val_t(kFalseSharingBytes)));
        std::memset(memory, 0, bytes);
        return Memory(memory);
    }

    std::vector<Peer> peers_;
    std::vector<Transport*> transports_;
    std::vector<Sleeper> sleepers_;
    std::vector<Memory> heaps_;
    std::vector<Memory> statics_;
};

}  // namespace tessera::test
