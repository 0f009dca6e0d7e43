// SPDX-License-Identifier: BSD-3-Clause
//
// Warnings for SHMEM_* variables that this library does not know: a misspelled setting would
// otherwise be lost in silence. See config.hpp.
#include <algorithm>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/place_variables.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

constexpr std::string_view kPrefix = "SHMEM_";

// The place of an OpenSHMEM installation, which module files and build systems set. These variables
// are for compilers, not for the library, and are in every environment of such a machine.
// Settings of other libraries are not here: the user must learn that they have no effect. Coarray
// programs (runtimes/caf) read SHMEM_NUM_IMAGES before a launcher runs.
constexpr std::string_view kNotSettings[] = {"SHMEM_HOME", "SHMEM_ROOT", "SHMEM_DIR",
                                             "SHMEM_NUM_IMAGES"};

}  // namespace

std::string unknown_variable_text(std::string_view name) {
    if (name.substr(0, kPrefix.size()) != kPrefix) return "";
    if (std::ranges::find(kNotSettings, name) != std::end(kNotSettings)) return "";
    if (std::ranges::find(kVariablesOfPe, name) != std::end(kVariablesOfPe)) return "";
    // Compared without the prefix, which would make all names alike.
    std::vector<std::string_view> known;
    for (const Variable& variable : variables()) {
        if (name == variable.name) return "";
        known.push_back(variable.name.substr(kPrefix.size()));
    }
    for (const OtherName& other : other_names()) {
        if (name == other.name) return "";
    }
    std::string text = "unknown variable " + std::string(name) + " has no effect";
    std::string_view nearest = nearest_name(name.substr(kPrefix.size()), known);
    if (!nearest.empty())
        return text + "; did you mean " + std::string(kPrefix) + std::string(nearest) + "?";
    return text + "; osh_info --variables lists the known ones";
}

std::vector<std::string> unknown_variable_texts(const char* const* entries) {
    std::vector<std::string> texts;
    for (; entries != nullptr && *entries != nullptr; ++entries) {
        std::string_view entry = *entries;
        std::string text = unknown_variable_text(entry.substr(0, entry.find('=')));
        if (!text.empty()) texts.push_back(text);
    }
    return texts;
}

void warn_about_values(const Config& config) {
    for (const std::string& text : config.warnings) warn("%s", text.c_str());
}

void warn_about_settings(const Config& config) {
    warn_about_values(config);
    for (const std::string& text : unknown_variable_texts(environment_entries()))
        warn("%s", text.c_str());
}

}  // namespace tessera
