// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric memory of all PEs as one program sees it that makes all calls one after the other.
// Written without the library: bytes are copied and numbers are added. The generator uses one to
// know what memory holds at a step, the executor one to check against.
#pragma once

#include <cstdint>
#include <vector>

#include "random/program.hpp"

namespace tessera::random {

class Model {
  public:
    Model(int npes, std::uint64_t seed);

    // Makes one call. RETURNS: the value before the call for an atomic, else 0.
    std::uint64_t apply(const Call& call);

    int blocks() const { return static_cast<int>(blocks_.size()); }
    bool is_live(int block) const { return block_bytes(block) > 0; }
    std::uint32_t block_bytes(int block) const {
        return blocks_[static_cast<std::size_t>(block)].bytes;
    }
    const unsigned char* memory(int pe, BlockOffset place) const;
    // A word of 4 or 8 bytes, the rest is 0.
    std::uint64_t word(int pe, BlockOffset place, std::uint32_t bytes) const;

    // The contents of the calling PE's private memory before `transfer`, for its local layout.
    static std::vector<unsigned char> private_source(const Transfer& transfer);

  private:
    struct Block {
        std::uint32_t bytes = 0;
        std::vector<unsigned char> memory;  // memory of all PEs, one after the other
    };

    void make(const Transfer& transfer);
    void make(const SignalUpdate& update);
    std::uint64_t make(const AtomicCall& call);
    void make(const StoreValues& store);
    void make(const Tickets& tickets);
    void make(const TokenSwap& swap);
    void make(const LockedAdd& add);
    void make(const Collective& collective);
    void make(const EpochEnd& end);
    // Calls that change no memory.
    void make(const Order&) {}
    void make(const Wait&) {}
    void make(const SplitStrided&) {}
    void make(const Split2d&) {}
    void make(const DestroyTeam&) {}
    void make(const TranslatePe&) {}
    void make(const CreateContext&) {}
    void make(const DestroyContext&) {}
    void make(const Session&) {}
    void make(const Pause&) {}

    unsigned char* change(int pe, BlockOffset place);  // memory() to write to
    void set_word(int pe, BlockOffset place, std::uint32_t bytes, std::uint64_t value);
    void update_signal(int pe, const Signal& signal);
    void resize(int block, std::uint32_t bytes, bool is_zeroed);
    void move(const Collective& collective);
    void alltoall(const Collective& collective, std::uint32_t element_bytes);
    void reduce(const Collective& collective);

    int npes_;
    std::uint64_t seed_;
    std::vector<Block> blocks_;
    std::vector<unsigned char> scratch_;
};

// The value that atomic `name` leaves in a word of `bytes` that held `old`.
std::uint64_t atomic_result(const AtomicCall& call, std::uint32_t bytes, std::uint64_t old);

// Elements between memory and packed bytes.
void gather(unsigned char* packed, const unsigned char* memory, const Layout& layout);
void scatter(unsigned char* memory, const unsigned char* packed, const Layout& layout);

}  // namespace tessera::random
