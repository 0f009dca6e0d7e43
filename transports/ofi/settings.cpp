// SPDX-License-Identifier: BSD-3-Clause
//
// The environment variables of transports/ofi (transports/fabric_settings.hpp).
#include "transports/fabric_settings.hpp"

namespace tessera::ofi {

namespace {

constexpr FabricSetting kRows[] = {
    {.name = "SHMEM_OFI_PROVIDER",
     .must_agree = true,
     .default_text = "the fastest that is there",
     .help = "libfabric provider between nodes, as fi_info names it: tcp;ofi_rxm, verbs;ofi_rxm."},
    {.name = "SHMEM_OFI_FABRIC",
     .default_text = "any",
     .help = "libfabric fabric between nodes, as fi_info names it."},
    {.name = "SHMEM_OFI_DOMAIN",
     .default_text = "the nearest to the PE",
     .help = "libfabric domain (network card) between nodes, as fi_info names it."},
    {.name = "SHMEM_OFI_INTERFACE",
     .default_text = "the one towards the launcher",
     .help = "IP network between nodes: the name of an interface, or a network such as "
             "10.0.0.0/8 in which it has its address."},
    {.name = "SHMEM_OFI_RMA",
     .is_switch = true,
     .initial = "on",
     .must_agree = true,
     .help = "Whether libfabric's provider reads and writes the memory of other nodes. If not, and "
             "with providers that cannot, all data travels in messages, which is slower."},
    {.name = "SHMEM_OFI_ADMISSION",
     .is_switch = true,
     .initial = "on",
     .must_agree = true,
     .help = "Whether only PEs of the job may connect to a PE, where libfabric's provider is tcp, "
             "net or sockets: the PE refuses strangers before the provider sees them."},
};

}  // namespace

extern const std::span<const FabricSetting> kSettings;
const std::span<const FabricSetting> kSettings = kRows;

}  // namespace tessera::ofi
