// SPDX-License-Identifier: BSD-3-Clause
//
// --host and --hostfile of oshrun. Input: the number of PEs, a byte, then the list or the file.
#include "tools/oshrun/hosts.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.hpp"

namespace tessera {
using oshrun::Host;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Input input;
    fuzz::Bytes bytes(data, size);
    const int npes = bytes.take<std::uint8_t>();
    const std::string text(bytes.take(size));
    std::vector<Host> hosts;
    if (oshrun::add_hosts(text, hosts).empty()) {
        std::vector<Host> again;
        const std::string list = oshrun::host_list(hosts);
        fuzz::require(oshrun::add_hosts(list, again).empty(), "host_list() is no list of hosts");
        fuzz::require(oshrun::host_list(again) == list, "host_list() has changed the hosts");
    }
    static const int file = ::memfd_create("hosts", MFD_CLOEXEC);
    static const std::string path = "/proc/self/fd/" + std::to_string(file);
    fuzz::require(::ftruncate(file, 0) == 0 && ::pwrite(file, text.data(), text.size(), 0) >= 0,
                  "no host file");
    static_cast<void>(oshrun::add_host_file(path, hosts));
    for (const Host& host : hosts) fuzz::require(host.slots >= 0, "a negative number of slots");
    if (!hosts.empty() && npes > 0) {
        const bool in_turn = npes % 2 != 0;
        fuzz::require(
            oshrun::hosts_of_pes(hosts, npes, in_turn).size() == static_cast<std::size_t>(npes),
            "not a host for each PE");
    }
    return 0;
}

}  // namespace tessera
