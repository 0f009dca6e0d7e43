// SPDX-License-Identifier: BSD-3-Clause
//
// See report.hpp.
#include "tools/check/report.hpp"

#include <unistd.h>

#include <mutex>
#include <set>
#include <string_view>

#include "base/environment.hpp"
#include "tools/check/places.hpp"

namespace tessera::check {
namespace {

int pe = -1;

// One write, so that the lines of several PEs do not mix.
void write_lines(const std::string& title, const std::vector<std::string>& lines) {
    std::string text = "[pe " + std::to_string(pe) + "] check: " + title + "\n";
    for (const std::string& line : lines) text += "    " + line + "\n";
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
        if (written <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

bool is_new(const interpose::Call& call, const std::string& mistake) {
    static std::mutex mutex;
    static auto& told = *new std::set<std::pair<const void*, std::string>>;
    std::lock_guard guard(mutex);
    return told.emplace(call.site, mistake).second;
}

}  // namespace

void set_pe(int number) { pe = number; }
int my_pe() { return pe; }

bool only_warns() {
    static const bool warns = [] {
        const char* value = environment("SHMEM_CHECK");
        return value != nullptr && std::string_view(value) == "warn";
    }();
    return warns;
}

std::string text_of(const interpose::Call& call) {
    return std::string(call.routine) + " at " + place_of(call.site);
}

void report(const interpose::Call& call, const std::string& mistake,
            const std::vector<std::string>& lines) {
    if (!is_new(call, mistake)) return;
    write_lines(mistake, lines);
    if (!only_warns()) pshmem_global_exit(1);
}

std::string counted(std::size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

void note(const std::string& title, const std::vector<std::string>& lines) {
    write_lines("note: " + title, lines);
}

}  // namespace tessera::check
