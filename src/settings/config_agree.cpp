// SPDX-License-Identifier: BSD-3-Clause
//
// Settings that must be the same on all PEs: the comparison, and the message about a difference.
// See config.hpp.
#include <algorithm>

#include "base/bits.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kFnvOffset = 0xcbf29ce484222325;  // FNV-1a
constexpr std::uint64_t kFnvPrime = 0x100000001b3;

void add_to_digest(std::uint64_t& digest, std::string_view text) {
    for (char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * kFnvPrime;
}

// Hosts may name one memory differently; the signatures in it prove that it is the same
// (session/public_file.hpp).
std::string agreed_text(const Config& config, const Variable& variable) {
    const auto* heap = std::get_if<HeapMode Config::*>(&variable.field);
    if (heap != nullptr && (config.**heap).kind == HeapKind::kFile)
        return std::string(kFileHeapPrefix);
    return value_text(config, variable);
}

// The index of the name, or a digest.
std::uint8_t mark_of(const Config& config, const Variable& variable) {
    const std::string text = agreed_text(config, variable);
    const Names names = value_names(variable);
    const auto at = std::find(names.begin(), names.end(), text);
    if (at != names.end()) return static_cast<std::uint8_t>(at - names.begin());
    std::uint64_t digest = kFnvOffset;
    add_to_digest(digest, text);
    // Short texts change few of the digest's higher bits.
    return static_cast<std::uint8_t>(mix_bits(digest));
}

std::string difference_of(const Config& config, const Variable& variable, std::uint8_t theirs,
                          int pe) {
    const Names names = value_names(variable);
    std::string mine = value_text(config, variable);
    if (mine.empty()) mine = "not set";
    std::string text = std::string(variable.name) + " is " + mine + " here, but ";
    text += theirs < names.size() ? names[theirs] : "differs";
    return text + " on PE " + std::to_string(pe);
}

}  // namespace

std::uint64_t settings_digest(const Config& config) {
    std::uint64_t digest = kFnvOffset;
    for (const Variable& variable : variables()) {
        if (!variable.must_agree) continue;
        add_to_digest(digest,
                      std::string(variable.name) + "=" + agreed_text(config, variable) + "\n");
    }
    return digest;
}

std::uint64_t settings_digest() { return settings_digest(config()); }

SettingMarks setting_marks(const Config& config) {
    SettingMarks marks{};
    std::size_t next = 0;
    for (const Variable& variable : variables()) {
        if (!variable.must_agree || next == marks.size()) continue;
        marks[next++] = mark_of(config, variable);
    }
    return marks;
}

std::string settings_difference(const Config& config, const SettingMarks& theirs, int pe) {
    const SettingMarks mine = setting_marks(config);
    std::size_t next = 0;
    for (const Variable& variable : variables()) {
        if (!variable.must_agree || next == mine.size()) continue;
        if (mine[next] != theirs[next]) return difference_of(config, variable, theirs[next], pe);
        ++next;
    }
    return "the SHMEM_* settings of this PE differ from those of PE " + std::to_string(pe);
}

std::string settings_difference(const SettingMarks& theirs, int pe) {
    return settings_difference(config(), theirs, pe);
}

}  // namespace tessera
