// SPDX-License-Identifier: BSD-3-Clause
//
// The claims of PEs on bytes in this epoch, so that the result of a random program does not depend
// on the order in which PEs run. Epochs end with a barrier; everything is free again then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "random/program.hpp"

namespace tessera::random {

// The state of a byte of a PE's memory in this epoch. "Owner": the PE whose memory it is.
enum class Claim : std::uint8_t {
    kFree = 1,     // nothing: any PE may read it or change it
    kRead = 2,     // read by a PE: any PE may read it
    kBusy = 4,     // changed, or being changed: no PE may touch it
    kOwned = 8,    // only the owner knows the new value: the owner may read and change it
    kFrozen = 16,  // the same, but another PE may still read it for the owner (nbi)
};
inline unsigned operator|(Claim a, Claim b) {
    return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}
inline constexpr unsigned kReadByAll =
    static_cast<unsigned>(Claim::kFree) | static_cast<unsigned>(Claim::kRead);
inline constexpr unsigned kReadByOwner =
    kReadByAll | static_cast<unsigned>(Claim::kOwned) | static_cast<unsigned>(Claim::kFrozen);
inline constexpr unsigned kChangedByOwner =
    static_cast<unsigned>(Claim::kFree) | static_cast<unsigned>(Claim::kOwned);
inline constexpr unsigned kChangedByAll = static_cast<unsigned>(Claim::kFree);

class Claims {
  public:
    explicit Claims(int npes) : npes_(npes) {}

    void resize_block(int block, std::uint32_t bytes) {
        const auto index = static_cast<std::size_t>(block);
        if (index >= blocks_.size()) blocks_.resize(index + 1);
        blocks_[index] = {
            bytes,
            std::vector<Claim>(std::size_t{bytes} * static_cast<std::size_t>(npes_), Claim::kFree)};
    }

    void start_epoch() {
        for (Block& block : blocks_)
            std::fill(block.claims.begin(), block.claims.end(), Claim::kFree);
    }

    // Whether all these bytes are in one of the `allowed` states.
    bool are(unsigned allowed, int pe, BlockOffset place, const Layout& layout) const {
        if (layout.run == 0) return true;
        const Claim* claims = at(pe, place);
        for (std::uint32_t i = 0; i < layout.runs; ++i) {
            const Claim* run = claims + layout.run_offset(i);
            for (std::uint32_t k = 0; k < layout.run_bytes(); ++k) {
                if ((static_cast<unsigned>(run[k]) & allowed) == 0) return false;
            }
        }
        return true;
    }

    void set(Claim claim, int pe, BlockOffset place, const Layout& layout) {
        for_each_run(pe, place, layout,
                     [claim](Claim* begin, Claim* end) { std::fill(begin, end, claim); });
    }

    // The owner reads, or another PE for it until a quiet if `is_nbi`.
    void read_by_owner(int pe, BlockOffset place, const Layout& layout, bool is_nbi) {
        if (are(kReadByAll, pe, place, layout)) return set(Claim::kRead, pe, place, layout);
        if (is_nbi) return set(Claim::kFrozen, pe, place, layout);
        for_each_run(pe, place, layout, [](Claim* begin, Claim* end) {
            std::replace(begin, end, Claim::kFree, Claim::kRead);
        });
    }

    // The owner reads bytes that no other PE has read, and may change them then.
    void own(int pe, BlockOffset place, const Layout& layout) {
        for_each_run(pe, place, layout, [](Claim* begin, Claim* end) {
            std::replace(begin, end, Claim::kFree, Claim::kOwned);
        });
    }

  private:
    struct Block {
        std::uint32_t bytes = 0;
        std::vector<Claim> claims;  // for all PEs, one after the other
    };

    const Claim* at(int pe, BlockOffset place) const {
        const Block& block = blocks_[static_cast<std::size_t>(place.block)];
        return block.claims.data() + static_cast<std::size_t>(pe) * block.bytes + place.offset;
    }

    template <class Change>
    void for_each_run(int pe, BlockOffset place, const Layout& layout, Change change) {
        if (layout.run == 0) return;
        Claim* claims = const_cast<Claim*>(at(pe, place));
        for (std::uint32_t i = 0; i < layout.runs; ++i) {
            Claim* begin = claims + layout.run_offset(i);
            change(begin, begin + layout.run_bytes());
        }
    }

    int npes_;
    std::vector<Block> blocks_;
};

}  // namespace tessera::random
