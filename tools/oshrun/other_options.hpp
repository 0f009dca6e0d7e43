// SPDX-License-Identifier: BSD-3-Clause
//
// The options of other launchers, so that scripts written for them work: one table says which of
// them oshrun takes as an option of its own, which it accepts without effect, and which it refuses
// with the words to write instead. docs/run/porting.md has the same table, and a test compares.
// Called by options.cpp. Errors come back as text.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::oshrun {

struct OtherOption {
    std::string_view from;    // the launchers that have it
    std::string_view names;   // all spellings, with blanks between; "-name" stands for "--name" too
    std::string_view values;  // the words behind it: "", "NAME" or "NAME VALUE"
    std::string_view ours;    // oshrun's words for it; $1 and $2 are the values, $each is a part of
                              // a list, for each of which the words are repeated
    std::string_view advice;  // not empty: the reason why oshrun refuses it, or the words to write
};

std::span<const OtherOption> other_options();

// The table as Markdown.
std::string other_options_table();

// The number of words that oshrun's own option takes; -1: there is no such option.
using OwnOption = std::function<int(const std::string&)>;

// Replaces the options at the beginning of `words` by oshrun's own, up to the program's name.
// RETURNS: "" or the complaint.
std::string translate_options(std::vector<std::string>& words, const OwnOption& own_option);

}  // namespace tessera::oshrun
