// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of the cost model, which osh_tune writes. Input: the provider, a line, then the file.
#include "collectives/profile.hpp"

#include "fuzz/fuzz.hpp"

namespace tessera {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Input input;
    fuzz::Bytes bytes(data, size);
    const std::string provider(bytes.take_until('\n'));
    collectives::MachineParameters machine;
    if (!collectives::parse_profile(std::string(bytes.take(size)), provider, machine).empty())
        return 0;
    const std::string text = collectives::print_profile(machine, {{"tcp", machine}});
    collectives::MachineParameters again;
    fuzz::require(collectives::parse_profile(text, "tcp", again).empty(),
                  "print_profile() is no profile");
    fuzz::require(collectives::print_profile(again, {{"tcp", again}}) == text,
                  "print_profile() has changed a parameter");
    return 0;
}

}  // namespace tessera
