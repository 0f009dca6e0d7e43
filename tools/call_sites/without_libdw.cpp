// SPDX-License-Identifier: BSD-3-Clause
//
// See call_sites.hpp: for builds without libdw. /proc says which file an address belongs to; of
// stacks nothing is known.
#include <cstdio>
#include <memory>

#include "call_sites.hpp"

namespace tessera::call_sites {

struct Process::State {
    std::string maps;
};

Process::Process(pid_t pid) : Process("/proc/" + std::to_string(pid) + "/maps") {}
Process::Process(const std::string& maps) : state_(std::make_unique<State>(maps)) {}
Process::~Process() = default;

Site Process::caller_at(std::uint64_t return_address) { return site_of(return_address); }

Site Process::site_of(std::uint64_t pc) {
    Site site;
    site.address = pc;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen(state_->maps.c_str(), "re"),
                                                         std::fclose);
    if (maps == nullptr) return site;
    char line[4500];
    while (std::fgets(line, sizeof line, maps.get()) != nullptr) {
        unsigned long begin = 0;
        unsigned long end = 0;
        unsigned long offset = 0;
        char file[4096] = "";
        if (std::sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &begin, &end, &offset, file) < 4)
            continue;
        if (pc < begin || pc >= end || file[0] != '/') continue;
        site.module = file;
        site.module_offset = pc - begin + offset;
        break;
    }
    return site;
}

Site Process::module_of(std::uint64_t pc) { return site_of(pc); }

std::vector<Site> Process::sites_of(std::uint64_t pc) { return {site_of(pc)}; }

std::optional<Symbol> Process::symbol_of(std::uint64_t /*address*/) { return {}; }

std::uint64_t Process::address_of(std::string_view /*name*/) { return 0; }
void Process::for_each_variable(const VariableVisit& /*visit*/) {}

std::vector<Stack> Process::stacks(std::string& error) {
    error = "this build is without libdw (elfutils), so it cannot read stacks";
    return {};
}

Stack Process::stack_of(pid_t thread, std::string& error) {
    stacks(error);
    return {.thread = thread, .calls = {}};
}

std::string readable_name(const char* name) { return name; }

bool has_debug_information() { return false; }

}  // namespace tessera::call_sites
