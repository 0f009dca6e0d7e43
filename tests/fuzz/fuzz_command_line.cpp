// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of oshrun. Input: its words, each ended by a zero byte or a line end.
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "tools/oshrun/options.hpp"

namespace tessera {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Input input;
    std::vector<std::string> words = {"oshrun"};
    fuzz::Bytes bytes(data, size);
    while (!bytes.is_empty()) {
        std::string word(bytes.take_until('\n'));
        word.resize(std::strlen(word.c_str()));
        words.push_back(std::move(word));
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    try {
        const oshrun::Options options =
            oshrun::parse_options(static_cast<int>(words.size()), arguments.data());
        for (const oshrun::App& app : options.apps) {
            fuzz::require(!app.command.empty(), "a program without a name");
            fuzz::require(app.npes >= 0, "a negative number of PEs");
        }
    } catch (const fuzz::Ended&) {
    }
    return 0;
}

}  // namespace tessera
