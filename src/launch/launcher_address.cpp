// SPDX-License-Identifier: BSD-3-Clause
//
// See launcher_address.hpp. Connecting a datagram socket sends nothing; it only asks the system
// which way a packet would take.
#include "launch/launcher_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <string_view>

#include "base/environment.hpp"
#include "base/fd.hpp"

namespace tessera::launch {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::uint16_t kAnyPort = 9;

// Plain addresses, or addresses somewhere in a text:
//   140181504.0;tcp://192.0.2.2,10.0.0.1:57355;tcp6://[fd00::2]:36281
constexpr const char* kVariables[] = {"OMPI_MCA_orte_hnp_uri", "PRTE_MCA_prte_hnp_uri",
                                      "SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST"};

bool is_loopback(const std::string& address) { return address.starts_with("127."); }

bool is_address(const std::string& text) {
    in_addr address{};
    return ::inet_pton(AF_INET, text.c_str(), &address) == 1;
}

void add_addresses(std::string_view text, std::vector<std::string>& addresses) {
    constexpr std::string_view kSeparators = ",:;/[] ";
    while (!text.empty()) {
        std::size_t length = std::min(text.find_first_of(kSeparators), text.size());
        std::string word(text.substr(0, length));
        if (is_address(word) &&
            std::find(addresses.begin(), addresses.end(), word) == addresses.end()) {
            addresses.push_back(std::move(word));
        }
        text.remove_prefix(std::min(length + 1, text.size()));
    }
}

// "" when there is no way to it.
std::string own_address_towards(const std::string& other) {
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(kAnyPort);
    ::inet_pton(AF_INET, other.c_str(), &address.sin_addr);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof address;
    if (!socket || ::connect(socket.get(), generic, bytes) != 0 ||
        ::getsockname(socket.get(), generic, &bytes) != 0) {
        return "";
    }
    char text[INET_ADDRSTRLEN] = "";
    ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return text;
}

}  // namespace

std::vector<std::string> launcher_addresses(
    const std::function<const char*(const char* name)>& lookup) {
    std::vector<std::string> addresses;
    for (const char* name : kVariables) {
        const char* text = lookup(name);
        if (text != nullptr) add_addresses(text, addresses);
    }
    return addresses;
}

std::string launcher_address(bool is_one_host) {
    if (is_one_host) return kLoopback;
    for (const std::string& other : launcher_addresses(environment)) {
        std::string own = own_address_towards(other);
        if (!own.empty() && !is_loopback(own)) return own;
    }
    return "";
}

}  // namespace tessera::launch
