// SPDX-License-Identifier: BSD-3-Clause
//
// Owners for the two things the kernel hands out here: a file descriptor and a memory mapping.
// Both are move-only and give their resource back at the end of their scope.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera {

class Fd {
  public:
    Fd() = default;
    explicit Fd(int number) : number_(number) {}
    Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Fd() { reset(); }

    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    int release() { return std::exchange(number_, -1); }
    void reset() {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }

  private:
    int number_ = -1;
};

// A file in memory, closed in programs that the process becomes. Empty: errno has the reason.
Fd make_memory_file(const char* name);

// The size of the processor's pages.
std::uintptr_t page_bytes();

// The address that a mapping gets. The default: any.
struct MappingAddress {
    std::size_t aligned_to = 0;  // a power of two above the page size
    std::size_t aligned_at = 0;  // the offset in the mapping whose address is a multiple of it
    char* wanted = nullptr;      // taken when it is aligned and nothing is there
};

class Mapping {
  public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept
        : address_(std::exchange(other.address_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(address_, other.address_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Mapping() { reset(); }

    // Maps `bytes` of `fd` from `offset`, shared, for reading and writing. is_mapped(): success;
    // else errno has the reason.
    static Mapping share(int fd, std::uint64_t offset, std::size_t bytes,
                         const MappingAddress& target = {});

    // Memory of this process alone, zeros that exist once they are touched.
    static Mapping private_memory(std::size_t bytes, const MappingAddress& target = {});

    char* data() const { return address_; }
    std::size_t bytes() const { return bytes_; }
    bool is_mapped() const { return address_ != nullptr; }
    void reset() {
        if (address_ != nullptr) ::munmap(address_, bytes_);
        address_ = nullptr;
        bytes_ = 0;
    }

  private:
    static Mapping map(int flags, int fd, std::uint64_t offset, std::size_t bytes,
                       const MappingAddress& target);
    Mapping(char* address, std::size_t bytes) : address_(address), bytes_(bytes) {}

    char* address_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace tessera
