// SPDX-License-Identifier: BSD-3-Clause
//
// See checks.hpp: names of hosts, and the interface that the fabric would use.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "tools/osh_info/doctor/checks.hpp"
#include "tools/osh_info/doctor/command.hpp"
#include "tools/osh_info/doctor/launchers.hpp"

namespace tessera::osh_info {
namespace {

constexpr int kFabricSeconds = 60;
constexpr const char* kNameRemedy =
    "add a line \"ADDRESS NAME\" to /etc/hosts on every host, or correct DNS (getent hosts NAME "
    "shows what the system finds)";

std::string address_text(const sockaddr* address) {
    sockaddr_in internet;
    std::memcpy(&internet, address, sizeof internet);
    char text[INET_ADDRSTRLEN] = "";
    ::inet_ntop(AF_INET, &internet.sin_addr, text, sizeof text);
    return text;
}

struct Resolved {
    std::string address;  // the first IPv4 address
    std::string error;    // "" if there is one
};

Resolved resolve(const std::string& name) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    const int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
    if (error != 0) return {.address = "", .error = ::gai_strerror(error)};
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(first, ::freeaddrinfo);
    return {.address = address_text(list->ai_addr), .error = ""};
}

std::vector<std::string> own_addresses() {
    std::vector<std::string> addresses;
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return addresses;
    for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        addresses.push_back(address_text(one->ifa_addr));
    }
    ::freeifaddrs(first);
    return addresses;
}

std::string host_name() {
    char name[HOST_NAME_MAX + 1] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

Findings check_host_name(const Subject& subject) {
    const std::string name = host_name();
    const Resolved own = resolve(name);
    if (!own.error.empty())
        return {hosts_problem(subject, name + " does not resolve: " + own.error, kNameRemedy)};
    const std::string text = name + " is " + own.address;
    const std::vector<std::string> addresses = own_addresses();
    const bool is_loopback = own.address.starts_with("127.");
    if (!is_loopback && std::ranges::find(addresses, own.address) == addresses.end())
        return {hosts_problem(subject, text + ", which is no address of this host", kNameRemedy)};
    if (is_loopback && is_for_several_hosts(subject)) {
        return {note(text + ", the loopback, which other hosts cannot reach",
                     "give the name its address in the network of the hosts in /etc/hosts")};
    }
    return {ok(text)};
}

Findings check_hosts(const Subject& subject) {
    std::string error;
    const std::vector<oshrun::Host> hosts = hosts_of(subject, error);
    if (!error.empty()) return {problem("--hosts: " + error, "--hosts a,b,c")};
    if (hosts.empty()) {
        const int count = hosts_of_allocation();
        return {ok(count > 0 ? std::to_string(count) + " in this Slurm allocation"
                             : "none named; --hosts a,b,... checks them")};
    }
    Findings findings;
    for (const oshrun::Host& host : hosts) {
        const Resolved found = resolve(host.name);
        findings.push_back(
            found.error.empty()
                ? ok(host.name + " is " + found.address)
                : problem(host.name + " does not resolve: " + found.error, kNameRemedy));
    }
    return findings;
}

Findings check_fabric(const Subject& subject) {
    const Outcome outcome = run({own_path(), "--doctor-part", "fabric"}, kFabricSeconds);
    const std::string text = last_lines(outcome.out, INT_MAX);
    if (outcome.exit_code != 0) {
        return {hosts_problem(subject, text.empty() ? "libfabric crashes" : text,
                              "unset or correct SHMEM_OFI_PROVIDER, SHMEM_OFI_INTERFACE, "
                              "SHMEM_OFI_FABRIC, SHMEM_OFI_DOMAIN and FI_*; fi_info -l lists the "
                              "providers, ip -4 addr the interfaces")};
    }
    if (text.find(" on 127.") != std::string::npos && is_for_several_hosts(subject)) {
        return {problem(text + "\nis the loopback: no other interface is up",
                        "ip link set NAME up; SHMEM_OFI_INTERFACE chooses among several")};
    }
    return {ok(text)};
}

}  // namespace tessera::osh_info
