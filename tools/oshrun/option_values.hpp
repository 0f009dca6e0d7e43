// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of the values of oshrun's options, for CLI11. A complaint says what is wanted. Called by
// options.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::oshrun {

inline bool read_number(std::string_view text, int& number) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end;
}

// "0,3"
inline bool read_list(std::string_view text, std::vector<int>& numbers) {
    while (true) {
        int number = 0;
        if (!read_number(text.substr(0, text.find(',')), number) || number < 0) return false;
        numbers.push_back(number);
        if (text.find(',') == std::string_view::npos) return true;
        text.remove_prefix(text.find(',') + 1);
    }
}

inline CLI::Validator whole_number(int least, int most) {
    return {[least, most](std::string& text) {
                int number = 0;
                if (read_number(text, number) && number >= least && number <= most)
                    return std::string();
                return "must be a whole number from " + std::to_string(least) + " to " +
                       std::to_string(most) + ", not \"" + text + "\"";
            },
            ""};
}

inline CLI::Validator pe_or_none() {
    return {[](std::string& text) {
                int number = 0;
                if (text == "none" || (read_number(text, number) && number >= 0))
                    return std::string();
                return "must be the number of one PE, or none, not \"" + text +
                       "\"; a file becomes the input by < FILE";
            },
            ""};
}

inline CLI::Validator not_empty() {
    return {[](std::string& text) {
                return text.empty() ? std::string("must name a file") : std::string();
            },
            ""};
}

// "90", "90s", "1.5m", "1h30m"; becomes a number of seconds.
inline bool read_seconds(std::string_view text, double& seconds) {
    constexpr double kSecondsMax = 1e9;
    seconds = 0;
    do {
        double number = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc() || !(number >= 0)) return false;
        text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
        const char unit = text.empty() ? 's' : text.front();
        if (unit != 's' && unit != 'm' && unit != 'h' && unit != 'd') return false;
        seconds += number * (unit == 'd' ? 86400 : unit == 'h' ? 3600 : unit == 'm' ? 60 : 1);
        if (!text.empty()) text.remove_prefix(1);
    } while (!text.empty());
    return seconds > 0 && seconds <= kSecondsMax;
}

inline CLI::Validator seconds() {
    return {[](std::string& text) {
                double number = 0;
                if (!read_seconds(text, number)) {
                    return "must be a time greater than 0, such as 90, 90s, 1.5m, 1h30m or 2d, "
                           "not \"" +
                           text + "\"";
                }
                char digits[32];
                std::snprintf(digits, sizeof digits, "%.9g", number);
                text = digits;
                return std::string();
            },
            ""};
}

}  // namespace tessera::oshrun
