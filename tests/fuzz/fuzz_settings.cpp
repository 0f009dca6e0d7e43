// SPDX-License-Identifier: BSD-3-Clause
//
// Environment variables and the spellings of their values. Input: lines NAME=VALUE.
#include <map>
#include <string>

#include "fuzz/fuzz.hpp"
#include "settings/config.hpp"
#include "settings/config_parse.hpp"

namespace tessera {

namespace {

void check_spellings(const std::string& value) {
    if (const auto bytes = parse_size(value)) {
        fuzz::require(*bytes <= kSizeMax, "a size above the largest one");
        fuzz::require(parse_size(print_size(*bytes)) == bytes, "print_size() lost a size");
    }
    if (const auto set = parse_subsystems(value))
        fuzz::require(parse_subsystems(print_subsystems(*set)).has_value(), "print_subsystems()");
    static_cast<void>(parse_count(value));
    static_cast<void>(parse_bool(value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Input input;
    std::map<std::string, std::string> values;
    std::vector<const char*> entries;
    std::vector<std::string> lines;
    fuzz::Bytes bytes(data, size);
    while (!bytes.is_empty()) {
        std::string line(bytes.take_until('\n').substr(0, 4096));
        line.resize(std::strlen(line.c_str()));
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos) values[line.substr(0, equals)] = line.substr(equals + 1);
        lines.push_back(std::move(line));
    }
    for (const auto& [name, value] : values) check_spellings(value);
    const auto lookup = [&](const char* name) {
        const auto found = values.find(name);
        return found != values.end() ? found->second.c_str() : nullptr;
    };
    std::string error;
    const Config config = load_config(lookup, error);
    if (error.empty()) fuzz::require(!settings_text(config, {}).empty(), "no text of the settings");
    for (const std::string& line : lines) entries.push_back(line.c_str());
    entries.push_back(nullptr);
    static_cast<void>(unknown_variable_texts(entries.data()));
    return 0;
}

}  // namespace tessera
