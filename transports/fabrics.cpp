// SPDX-License-Identifier: BSD-3-Clause
//
// See fabric_transport.hpp: the registry.
#include <utility>

#include "base/fatal.hpp"
#include "transports/fabric_list.hpp"
#include "transports/fabric_settings.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera {

#define DECLARE_FABRIC(NAME)          \
    namespace NAME {                  \
    extern const FabricEntry kFabric; \
    }
TESSERA_FABRICS(DECLARE_FABRIC)
#undef DECLARE_FABRIC

namespace {

#define ADDRESS_OF_FABRIC(NAME) &NAME::kFabric,
constexpr const FabricEntry* kFabrics[] = {TESSERA_FABRICS(ADDRESS_OF_FABRIC)};
#undef ADDRESS_OF_FABRIC

const FabricEntry& find_fabric(std::string_view name, const FabricSetup& setup) {
    for (const FabricEntry* fabric : kFabrics) {
        const bool is_it = name == "auto" ? fabric->probe(setup) : fabric->name == name;
        if (is_it) return *fabric;
    }
    fatal("shmem_init: no fabric reaches the other nodes; SHMEM_FABRIC names one");
}

}  // namespace

std::unique_ptr<FabricTransport> make_fabric(std::string_view name, FabricSetup setup) {
    return find_fabric(name, setup).make(std::move(setup));
}

FabricOutlook look_at_fabric(std::string_view name, const FabricSetup& setup) {
    return find_fabric(name, setup).look(setup);
}

std::string FabricSetup::setting(std::string_view name) const {
    if (values) return values(name);
    return std::string(fabric_settings()[fabric_setting_index(name)].initial);
}

void FabricSetup::check_settings(const Fingerprint& theirs, int whose) const {
    if (theirs.settings_digest == fingerprint.settings_digest) return;
    fatal("shmem_init: %s; start all PEs with the same environment",
          difference(theirs.setting_marks, whose).c_str());
}

}  // namespace tessera
