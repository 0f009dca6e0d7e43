// SPDX-License-Identifier: BSD-3-Clause
//
// The values of SHMEM_HEAP: the memory through which PEs reach each other's symmetric memory.
// Two readers look at the variable: a constructor of the library before main (static_data.cpp), and
// the table of settings (settings/config.cpp), which reports a bad value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

enum class HeapKind : std::uint8_t {
    kShared,    // each PE maps the memory of the others; the hardware keeps it coherent
    kEmulated,  // private and public copies, kept coherent by software (transports/noncoherent)
    kFile       // the same; the public copies lie in a file or device, stored past the caches
};

struct HeapMode {
    HeapKind kind = HeapKind::kShared;
    std::string path;  // kFile
    bool is_coherent() const { return kind == HeapKind::kShared; }
    bool operator==(const HeapMode&) const = default;
};

inline constexpr std::string_view kHeapModeText =
    "shared, noncoherent-emulated, or noncoherent:PATH";
inline constexpr std::string_view kSharedHeapName = "shared";
inline constexpr std::string_view kEmulatedHeapName = "noncoherent-emulated";
inline constexpr std::string_view kFileHeapPrefix = "noncoherent:";

// Whether `text` begins with `name`, in capital letters or not.
constexpr bool begins_with_name(std::string_view text, std::string_view name) {
    if (text.size() < name.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char letter =
            text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
        if (letter != name[i]) return false;
    }
    return true;
}
constexpr bool is_name(std::string_view text, std::string_view name) {
    return text.size() == name.size() && begins_with_name(text, name);
}

// Whether a valid value means copies that software keeps coherent.
constexpr bool names_noncoherent_heap(std::string_view text) {
    return is_name(text, kEmulatedHeapName) || begins_with_name(text, kFileHeapPrefix);
}

inline std::optional<HeapMode> parse_heap_mode(std::string_view text) {
    if (is_name(text, kSharedHeapName)) return HeapMode{};
    if (is_name(text, kEmulatedHeapName)) return HeapMode{.kind = HeapKind::kEmulated, .path = {}};
    if (!begins_with_name(text, kFileHeapPrefix) || is_name(text, kFileHeapPrefix))
        return std::nullopt;
    return HeapMode{.kind = HeapKind::kFile,
                    .path = std::string(text.substr(kFileHeapPrefix.size()))};
}

inline std::string print_heap_mode(const HeapMode& mode) {
    switch (mode.kind) {
        case HeapKind::kShared: break;
        case HeapKind::kEmulated: return std::string(kEmulatedHeapName);
        case HeapKind::kFile: return std::string(kFileHeapPrefix) + mode.path;
    }
    return std::string(kSharedHeapName);
}

}  // namespace tessera
