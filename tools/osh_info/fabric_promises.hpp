// SPDX-License-Identifier: BSD-3-Clause
//
// The promises of a provider that transports/ofi/capabilities.cpp may rely on, and a check of each.
#pragma once

#include <span>
#include <string>

#include "transports/ofi/fabric_pair.hpp"

namespace tessera::osh_info {

// The result of a check: how the promise was broken, or "", and how often it was looked at.
struct Seen {
    std::string broken;
    std::string how_often;
};

struct Promise {
    const char* name;
    const char* text;
    Seen (*check)(ofi::FabricPair&);  // throws ofi::ProviderError
    bool (*is_relied_on)(const ofi::Capabilities&);
    bool needs_atomics = false;
    bool needs_rma = true;
};

std::span<const Promise> promises();

}  // namespace tessera::osh_info
