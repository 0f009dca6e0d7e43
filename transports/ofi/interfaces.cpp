// SPDX-License-Identifier: BSD-3-Clause
//
// See interfaces.hpp.
#include "transports/ofi/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

constexpr char kLoopback[] = "127.0.0.1";

struct Interface {
    std::string name;
    std::string address;
    bool is_loopback;
};

// The interfaces that are up and have an IPv4 address, in the kernel's order.
std::vector<Interface> interfaces() {
    std::vector<Interface> result;
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0)
        fatal("shmem_init: cannot list the network interfaces: %s", std::strerror(errno));
    for (ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
        if ((entry->ifa_flags & IFF_UP) == 0) continue;
        sockaddr_in address;
        std::memcpy(&address, entry->ifa_addr, sizeof address);
        char text[INET_ADDRSTRLEN];
        ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
        result.push_back({entry->ifa_name, text, (entry->ifa_flags & IFF_LOOPBACK) != 0});
    }
    ::freeifaddrs(first);
    return result;
}

bool parse_address(const std::string& text, std::uint32_t& address) {
    in_addr parsed;
    if (::inet_pton(AF_INET, text.c_str(), &parsed) != 1) return false;
    address = ntohl(parsed.s_addr);
    return true;
}

bool parse_number(std::string_view text, unsigned& number) {
    const char* end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end;
}

struct Network {
    std::uint32_t address = 0;
    std::uint32_t mask = 0;
};

bool parse_network(std::string_view text, Network& network) {
    unsigned bits = 32;
    std::size_t slash = text.find('/');
    if (slash != std::string_view::npos &&
        (!parse_number(text.substr(slash + 1), bits) || bits > 32)) {
        return false;
    }
    network.mask = bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits);
    return parse_address(std::string(text.substr(0, slash)), network.address);
}

[[noreturn]] void refuse(const std::string& hint, const std::vector<Interface>& all) {
    std::string list;
    for (const Interface& one : all) list += "\n  " + one.name + "  " + one.address;
    fatal(
        "shmem_init: SHMEM_OFI_INTERFACE=%s: this host has no such interface that is up and has "
        "an IPv4 address; give a name, an address or a network like 10.1.0.0/16. There are:%s",
        hint.c_str(), list.empty() ? " none" : list.c_str());
}

}  // namespace

bool is_in_network(const std::string& address, std::string_view network) {
    Network parsed;
    std::uint32_t number = 0;
    return parse_network(network, parsed) && parse_address(address, number) &&
           (number & parsed.mask) == (parsed.address & parsed.mask);
}

std::string choose_address(const std::string& hint, const std::string& otherwise) {
    if (hint.empty() && !otherwise.empty()) return otherwise;
    std::vector<Interface> all = interfaces();
    if (hint.empty()) {
        for (const Interface& one : all) {
            if (!one.is_loopback) return one.address;
        }
        return kLoopback;
    }
    for (const Interface& one : all) {
        if (one.name == hint || is_in_network(one.address, hint)) return one.address;
    }
    refuse(hint, all);
}

int count_listed(const std::string& list, const cpu_set_t& usable) {
    int count = 0;
    const char* at = list.c_str();
    unsigned first = 0;
    int length = 0;
    while (std::sscanf(at, "%u%n", &first, &length) == 1) {
        at += length;
        unsigned last = first;
        if (*at == '-' && std::sscanf(at, "-%u%n", &last, &length) == 1) at += length;
        for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu)
            count += CPU_ISSET(cpu, &usable) ? 1 : 0;
        if (*at != ',') break;
        ++at;
    }
    return count;
}

int local_processors(const std::string& pci_device, const cpu_set_t& usable,
                     const std::string& devices) {
    std::string path = devices + "/" + pci_device + "/local_cpulist";
    std::FILE* file = std::fopen(path.c_str(), "re");
    if (file == nullptr) return 0;
    char line[4096] = "";
    char* got = std::fgets(line, sizeof line, file);
    std::fclose(file);
    return got == nullptr ? 0 : count_listed(line, usable);
}

}  // namespace tessera::ofi
