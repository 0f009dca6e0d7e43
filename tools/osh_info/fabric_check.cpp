// SPDX-License-Identifier: BSD-3-Clause
//
// See fabric_check.hpp.
#include "tools/osh_info/fabric_check.hpp"

#include <cstdio>
#include <sstream>

#include "base/fatal.hpp"
#include "settings/config.hpp"
#include "tools/osh_info/doctor/command.hpp"
#include "tools/osh_info/fabric_promises.hpp"
#include "tools/osh_info/socket_promises.hpp"

namespace tessera::osh_info {
namespace {

using ofi::FabricPair;
using ofi::Hints;
using ofi::ProviderError;

constexpr int kCheckSeconds = 30;

Hints hints(bool atomics = false) {
    return {.provider = fabric_setting("SHMEM_OFI_PROVIDER"),
            .fabric = fabric_setting("SHMEM_OFI_FABRIC"),
            .domain = fabric_setting("SHMEM_OFI_DOMAIN"),
            .interface = fabric_setting("SHMEM_OFI_INTERFACE"),
            .rma = fabric_setting("SHMEM_OFI_RMA") == "on",
            .atomics = atomics};
}

constexpr const char* kKept = "kept";
constexpr const char* kBroken = "BROKEN";
constexpr const char* kNone = "none";

// A check prints three lines: whether Tessera relies on the promise, the verdict, and details.
void say(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

struct Verdict {
    std::string use = "relied on";
    std::string word = kBroken;
    std::string detail;
};

Verdict verdict_of(const Promise& promise, const Outcome& outcome) {
    Verdict verdict;
    std::istringstream lines(outcome.out);
    std::string first;
    if (std::getline(lines, first) && (first == "relied on" || first == "not used"))
        verdict.use = first;
    // A provider may crash or hang when it closes what the check has left: the verdict stands.
    std::string word;
    if (std::getline(lines, word) && (word == kKept || word == kBroken || word == kNone) &&
        std::getline(lines, verdict.detail)) {
        verdict.word = word;
        return verdict;
    }
    if (outcome.timed_out) {
        verdict.detail = "no end after " + std::to_string(kCheckSeconds) + " s";
    } else if (promise.needs_atomics && outcome.exit_code == kFatalExitCode) {
        verdict = {"not used", kNone, "the provider has no atomics"};
    } else {
        verdict.detail = "exit code " + std::to_string(outcome.exit_code);
        if (!word.empty()) verdict.detail += ", " + word;
        while (std::getline(lines, word)) verdict.detail += ", " + word;
    }
    return verdict;
}

int print_conclusion(bool is_broken) {
    std::printf("\n%s\n", is_broken
                              ? "A promise that Tessera relies on is broken. Please send this "
                                "text with osh_info --report."
                              : "All promises that Tessera relies on are kept.");
    return is_broken ? 1 : 0;
}

void print_verdict(const Verdict& verdict, const char* name, const char* promise) {
    std::printf("%-7s %-10s %-16s %s (%s)\n", verdict.word.c_str(), verdict.use.c_str(), name,
                promise, verdict.detail.c_str());
    std::fflush(stdout);
}

// Loopback has no provider, and relies on the kernel alone.
int check_loopback() {
    std::printf("loopback, Unix datagram sockets of this host; everything by messages\n\n");
    bool is_broken = false;
    for (const SocketPromise& promise : socket_promises()) {
        const Seen seen = promise.check();
        const bool is_kept = seen.broken.empty();
        is_broken |= !is_kept;
        print_verdict(
            {.word = is_kept ? kKept : kBroken, .detail = is_kept ? seen.how_often : seen.broken},
            promise.name, promise.text);
    }
    return print_conclusion(is_broken);
}

}  // namespace

int run_fabric_check(const std::string& name) {
    if (name == "provider") {
        std::printf("%s\n", ofi::describe(ofi::choose(hints()).capabilities).c_str());
        return 0;
    }
    for (const Promise& promise : promises()) {
        if (promise.name != name) continue;
        FabricPair pair(hints(promise.needs_atomics));
        if (promise.needs_rma && !pair.here.fabric.capabilities().has_rma) {
            for (const char* line : {"not used", kNone, "messages only"}) say(line);
            return 0;
        }
        const bool is_relied_on = promise.is_relied_on(pair.here.fabric.capabilities());
        say(is_relied_on ? "relied on" : "not used");
        Seen seen;
        try {
            seen = promise.check(pair);
        } catch (const ProviderError& error) {
            seen.broken = error.what();
        }
        say(seen.broken.empty() ? kKept : kBroken);
        say(seen.broken.empty() ? seen.how_often : seen.broken);
        return 0;
    }
    fatal("fabric-check=%s: there is no such check", name.c_str());
}

int check_fabric() {
    if (fabric_choice_name() == "loopback") return check_loopback();
    const auto run_part = [](const std::string& name) {
        return run({own_path(), "--doctor-part", "fabric-check=" + name}, kCheckSeconds);
    };
    const Outcome provider = run_part("provider");
    std::printf("%s", provider.out.c_str());
    if (provider.exit_code != 0) return kFatalExitCode;
    std::printf("Both ends are on this host.\n\n");
    bool is_broken = false;
    for (const Promise& promise : promises()) {
        const Outcome outcome = run_part(promise.name);
        const Verdict verdict = verdict_of(promise, outcome);
        is_broken |= verdict.word == kBroken && verdict.use == "relied on";
        print_verdict(verdict, promise.name, promise.text);
    }
    return print_conclusion(is_broken);
}

}  // namespace tessera::osh_info
