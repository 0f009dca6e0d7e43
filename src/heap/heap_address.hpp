// SPDX-License-Identifier: BSD-3-Clause
//
// The values of SHMEM_HEAP_ADDRESS: the address of each PE's own range (heap/node_file.hpp). PEs
// whose ranges have one address can use each other's pointers to symmetric objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

enum class HeapAddressKind : std::uint8_t {
    kAuto,  // the same on all PEs where that can be had, else any
    kSame,  // the same on all PEs, or no job
    kAny,   // as the kernel has it
    kFixed  // this one on all PEs, or no job
};

struct HeapAddress {
    HeapAddressKind kind = HeapAddressKind::kAuto;
    std::uintptr_t fixed = 0;  // kFixed
    bool must_be_same() const {
        return kind == HeapAddressKind::kSame || kind == HeapAddressKind::kFixed;
    }
    bool operator==(const HeapAddress&) const = default;
};

namespace heap {

// The PEs of a job take the first one that is free on all of them: addresses that stay free beside
// programs of any kind, libraries, stacks, and the shadow memory of the address sanitizer; then
// another one of these; then one for small address spaces and the thread sanitizer.
inline constexpr std::array<std::uintptr_t, 3> kHeapAddresses = {0x3000'0000'0000, 0x1800'0000'0000,
                                                                 0x0040'0000'0000};
// Stands for "any" among the numbers of tries.
inline constexpr std::uint32_t kNoHeapAddress = kHeapAddresses.size();

// The address that PEs take at this try, from 0 on; 0: there are no more.
constexpr std::uintptr_t heap_address_at(const HeapAddress& setting, std::uint32_t number) {
    if (setting.kind == HeapAddressKind::kAny) return 0;
    if (setting.kind == HeapAddressKind::kFixed) return number == 0 ? setting.fixed : 0;
    return number < kHeapAddresses.size() ? kHeapAddresses[number] : 0;
}

}  // namespace heap

inline constexpr std::string_view kHeapAddressText =
    "auto, same, any, or an address in hexadecimal: 0x300000000000";

std::optional<HeapAddress> parse_heap_address(std::string_view text);
std::string print_heap_address(const HeapAddress& address);

}  // namespace tessera
