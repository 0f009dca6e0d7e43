// SPDX-License-Identifier: BSD-3-Clause
//
// The words of an option that takes one of several, for CLI11's IsMember and for the look-up.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// `names`: those of the values 0, 1, 2, ... of the enum.
template <class Enum>
std::map<std::string, Enum> named_values(std::span<const std::string_view> names) {
    std::map<std::string, Enum> values;
    int number = 0;
    for (std::string_view name : names) values[std::string(name)] = static_cast<Enum>(number++);
    return values;
}

}  // namespace tessera
