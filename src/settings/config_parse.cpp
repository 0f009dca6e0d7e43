// SPDX-License-Identifier: BSD-3-Clause
//
// See config_parse.hpp. Sizes are computed in integers, so 3.1M is rounded up from the decimal
// value and not from the nearest binary fraction, and no locale changes the decimal point.
#include "settings/config_parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "heap/heap_address.hpp"
#include "settings/progress_mode.hpp"

namespace tessera {
namespace {

using Wide = unsigned __int128;

constexpr int kDigitsMax = 19;        // always fits into 64 bits
constexpr int kExponentLimit = 1000;  // beyond it every value is 0, 1 or too large
constexpr int kWidePowerMax = 38;     // 10^38 < 2^128

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

// digits x 10^exponent. Digits beyond kDigitsMax were dropped and the last one kept rounded up.
struct Decimal {
    std::uint64_t digits = 0;
    int exponent = 0;
};

// Collects digits, from the most significant one.
class DecimalReader {
  public:
    void add(char digit, bool is_fraction) {
        if (count_ == kDigitsMax) {
            if (digit != '0') dropped_ = true;
            if (!is_fraction) ++value_.exponent;
            return;
        }
        value_.digits = value_.digits * 10 + static_cast<std::uint64_t>(digit - '0');
        if (value_.digits != 0) ++count_;
        if (is_fraction) --value_.exponent;
    }

    Decimal result(int exponent) const {
        Decimal value = value_;
        value.exponent += exponent;
        if (dropped_) ++value.digits;
        return value;
    }

  private:
    Decimal value_;
    int count_ = 0;  // significant digits so far
    bool dropped_ = false;
};

// Takes "e+12" off the front of `text` if it is there, else leaves it alone.
int take_exponent(std::string_view& text) {
    if (text.size() < 2 || lower(text[0]) != 'e') return 0;
    std::size_t start = text[1] == '+' || text[1] == '-' ? 2 : 1;
    std::size_t end = start;
    int value = 0;
    for (; end < text.size() && is_digit(text[end]); ++end)
        value = std::min(value * 10 + (text[end] - '0'), kExponentLimit);
    if (end == start) return 0;
    value = text[1] == '-' ? -value : value;
    text.remove_prefix(end);
    return value;
}

// Takes a number off the front of `text`: 12, 12., .5, 1.5e3. No sign.
std::optional<Decimal> take_decimal(std::string_view& text) {
    DecimalReader reader;
    bool is_fraction = false;
    bool has_digits = false;
    while (!text.empty()) {
        if (text[0] == '.' && !is_fraction) {
            is_fraction = true;
        } else if (is_digit(text[0])) {
            has_digits = true;
            reader.add(text[0], is_fraction);
        } else {
            break;
        }
        text.remove_prefix(1);
    }
    if (!has_digits) return std::nullopt;
    return reader.result(take_exponent(text));
}

// ceil(value x 2^shift), or nothing beyond kSizeMax. digits x 2^40 fits into Wide.
std::optional<std::uint64_t> scale(const Decimal& value, int shift) {
    Wide result = Wide{value.digits} << shift;
    for (int i = 0; i < value.exponent && result != 0; ++i) {
        result *= 10;
        if (result > kSizeMax) return std::nullopt;
    }
    if (value.exponent < 0) {
        Wide divisor = 1;
        int power = std::min(-value.exponent, kWidePowerMax);  // 10^38 > digits x 2^40
        for (int i = 0; i < power; ++i) divisor *= 10;
        result = (result + divisor - 1) / divisor;
    }
    if (result > kSizeMax) return std::nullopt;
    return static_cast<std::uint64_t>(result);
}

constexpr std::string_view kSizeSuffixes = "kmgt";

// Characters to insert, drop, change or swap to get from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::optional<bool> parse_bool(std::string_view text) {
    static constexpr std::string_view kOff[] = {"0", "no", "off", "false", "n", "f"};
    static constexpr std::string_view kOn[] = {"1", "yes", "on", "true", "y", "t"};
    if (parse_choice(text, kOff)) return false;
    if (parse_choice(text, kOn)) return true;
    return std::nullopt;
}

std::string print_bool(bool value) { return value ? "on" : "off"; }

std::optional<std::uint64_t> parse_size(std::string_view text) {
    std::optional<Decimal> number = take_decimal(text);
    if (!number) return std::nullopt;
    int shift = 0;
    if (!text.empty()) {
        std::size_t index = kSizeSuffixes.find(lower(text[0]));
        if (index == std::string_view::npos) return std::nullopt;
        shift = 10 * (static_cast<int>(index) + 1);
    }
    return scale(*number, shift);
}

std::string print_size(std::uint64_t bytes) {
    std::string suffix;
    for (char letter : {'K', 'M', 'G', 'T'}) {
        if (bytes == 0 || bytes % 1024 != 0) break;
        bytes /= 1024;
        suffix = letter;
    }
    return std::to_string(bytes) + suffix;
}

std::optional<std::uint32_t> parse_count(std::string_view text) {
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    auto [stopped_at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped_at != end) return std::nullopt;
    return value;
}

std::optional<std::size_t> parse_choice(std::string_view text, Names names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (equals_ignoring_case(text, names[i])) return i;
    }
    return std::nullopt;
}

std::optional<SubsystemSet> parse_subsystems(std::string_view text) {
    SubsystemSet set;
    if (equals_ignoring_case(text, "none")) return set;
    for (;;) {
        std::size_t comma = std::min(text.find(','), text.size());
        std::string_view name = text.substr(0, comma);
        if (equals_ignoring_case(name, "all")) {
            for (std::size_t i = 0; i < std::size(kSubsystemNames); ++i)
                set.add(static_cast<Subsystem>(i));
        } else if (auto index = parse_choice(name, kSubsystemNames)) {
            set.add(static_cast<Subsystem>(*index));
        } else {
            return std::nullopt;
        }
        if (comma == text.size()) return set;
        text.remove_prefix(comma + 1);
    }
}

std::string print_subsystems(SubsystemSet set) {
    std::string text;
    for (std::size_t i = 0; i < std::size(kSubsystemNames); ++i) {
        if (!set.has(static_cast<Subsystem>(i))) continue;
        if (!text.empty()) text += ',';
        text += kSubsystemNames[i];
    }
    return text.empty() ? "none" : text;
}

std::optional<ProgressMode> parse_progress(std::string_view text) {
    static constexpr std::string_view kNames[] = {"auto", "thread", "helpers", "none"};
    ProgressMode mode;
    const bool is_forced = text.ends_with('!');
    if (is_forced) text.remove_suffix(1);
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto kind = parse_choice(text.substr(0, colon), kNames);
    if (!kind) return std::nullopt;
    mode.kind = static_cast<Progress>(*kind);
    if (mode.kind != Progress::kHelpers)
        return is_forced || colon < text.size() ? std::nullopt : std::optional(mode);
    mode.is_forced = is_forced;
    mode.helpers = 1;
    if (colon == text.size()) return mode;
    const std::optional<std::uint32_t> count = parse_count(text.substr(colon + 1));
    if (!count || *count == 0 || *count > kHelpersMax) return std::nullopt;
    mode.helpers = *count;
    return mode;
}

std::string print_progress(const ProgressMode& mode) {
    switch (mode.kind) {
        case Progress::kAuto: break;
        case Progress::kThread: return "thread";
        case Progress::kNone: return "none";
        case Progress::kHelpers:
            return "helpers:" + std::to_string(mode.helpers) + (mode.is_forced ? "!" : "");
    }
    return "auto";
}

std::optional<HeapAddress> parse_heap_address(std::string_view text) {
    static constexpr std::string_view kNames[] = {"auto", "same", "any"};
    if (const auto kind = parse_choice(text, kNames))
        return HeapAddress{.kind = static_cast<HeapAddressKind>(*kind)};
    if (text.size() < 3 || text[0] != '0' || lower(text[1]) != 'x') return std::nullopt;
    HeapAddress address{.kind = HeapAddressKind::kFixed};
    const char* end = text.data() + text.size();
    const auto [read_to, error] = std::from_chars(text.data() + 2, end, address.fixed, 16);
    if (error != std::errc() || read_to != end || address.fixed == 0) return std::nullopt;
    return address;
}

std::string print_heap_address(const HeapAddress& address) {
    char digits[sizeof address.fixed * 2];
    switch (address.kind) {
        case HeapAddressKind::kAuto: break;
        case HeapAddressKind::kSame: return "same";
        case HeapAddressKind::kAny: return "any";
        case HeapAddressKind::kFixed:
            const auto written =
                std::to_chars(std::begin(digits), std::end(digits), address.fixed, 16);
            return "0x" + std::string(std::begin(digits), written.ptr);
    }
    return "auto";
}

std::string join(Names names) {
    std::string text;
    for (std::string_view name : names) {
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

std::string_view nearest_name(std::string_view text, Names names) {
    std::string_view nearest;
    // More than a third wrong is another word.
    std::size_t least = text.size() / 3 + 1;
    for (std::string_view name : names) {
        const auto [shorter, longer] = std::minmax({text.size(), name.size()});
        const bool is_start = shorter >= 4 && text.substr(0, shorter) == name.substr(0, shorter);
        // A text of a thousand characters needs no comparison with each short name.
        if (!is_start && longer - shorter >= least) continue;
        const std::size_t distance = is_start ? 1 : edit_distance(text, name);
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}

}  // namespace tessera
