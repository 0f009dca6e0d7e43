// SPDX-License-Identifier: BSD-3-Clause
//
// The spellings of values in environment variables: text to value and back, one pair per kind.
// Called by config.cpp, and by tools for the same spellings on the command line. Independent of the
// locale. Every parse_* is given the whole value and takes all of it or nothing. The output of
// print_* parses to the same value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/log.hpp"

namespace tessera {

using Names = std::span<const std::string_view>;

// 0/1, no/yes, off/on, false/true, n/y, f/t, in any case.
std::optional<bool> parse_bool(std::string_view text);
std::string print_bool(bool value);

// OpenSHMEM 1.6, section 8: a non-negative integer or decimal number, then at most one of k m g t
// in either case (powers of 1024); text behind the suffix is ignored. At most kSizeMax.
// RETURNS: never less than number x suffix; exactly its ceiling up to 19 significant digits.
inline constexpr std::uint64_t kSizeMax = ~std::uint64_t{0} >> 1;
std::optional<std::uint64_t> parse_size(std::string_view text);
// With the largest suffix that keeps it an integer: 536870912 is "512M".
std::string print_size(std::uint64_t bytes);

// A non-negative decimal integer of 32 bits.
std::optional<std::uint32_t> parse_count(std::string_view text);

// The index of `text` in `names`, in any case.
std::optional<std::size_t> parse_choice(std::string_view text, Names names);

// Names of kSubsystemNames with commas between them, or "all", or "none".
std::optional<SubsystemSet> parse_subsystems(std::string_view text);
std::string print_subsystems(SubsystemSet set);

// "auto, central, dissemination"
std::string join(Names names);

// The name that a user most likely meant by `text`, or "" when none is near. Counts inserted, lost,
// wrong and swapped characters; a name cut short or with an addition is near as well.
std::string_view nearest_name(std::string_view text, Names names);

}  // namespace tessera
