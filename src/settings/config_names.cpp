// SPDX-License-Identifier: BSD-3-Clause
//
// The other names of variables and of algorithms, so that job scripts for other libraries work: the
// one table of them. See config.hpp. Only names with the same meaning are here; a name that means
// something else gets the warning of config_unknown.cpp.
#include "settings/config.hpp"

namespace tessera {
namespace {

constexpr std::string_view kSpecification = "deprecated by OpenSHMEM 1.4";
constexpr std::string_view kSandia = "Sandia OpenSHMEM";
constexpr std::string_view kOpenMpi = "Open MPI up to 4.1";
constexpr std::string_view kCray = "Cray SHMEM";
constexpr std::string_view kOsss = "OSSS-UCX";

constexpr OtherName kOtherNames[] = {
    {"SMA_VERSION", "SHMEM_VERSION", kSpecification},
    {"SMA_INFO", "SHMEM_INFO", kSpecification},
    {"SMA_DEBUG", "SHMEM_DEBUG", kSpecification},
    {"SMA_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_SIZE", kSpecification},
    {"SHMEM_SYMMETRIC_HEAP_SIZE", "SHMEM_SYMMETRIC_SIZE", kOpenMpi},
    {"XT_SYMMETRIC_HEAP_SIZE", "SHMEM_SYMMETRIC_SIZE", kCray},
    {"SMA_SYMMETRIC_HEAP_USE_HUGE_PAGES", "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", kSandia},
    {"SMA_BARRIER_ALGORITHM", "SHMEM_BARRIER_ALGORITHM", kSandia},
    {"SHMEM_BARRIER_ALGO", "SHMEM_BARRIER_ALGORITHM", kOsss},
    {"SHMEM_BCAST_ALGORITHM", "SHMEM_BROADCAST_ALGORITHM", kSandia},
    {"SMA_BCAST_ALGORITHM", "SHMEM_BROADCAST_ALGORITHM", kSandia},
    {"SHMEM_BROADCAST_ALGO", "SHMEM_BROADCAST_ALGORITHM", kOsss},
    {"SMA_COLLECT_ALGORITHM", "SHMEM_COLLECT_ALGORITHM", kSandia},
    {"SHMEM_COLLECT_ALGO", "SHMEM_COLLECT_ALGORITHM", kOsss},
    {"SMA_FCOLLECT_ALGORITHM", "SHMEM_FCOLLECT_ALGORITHM", kSandia},
    {"SHMEM_FCOLLECT_ALGO", "SHMEM_FCOLLECT_ALGORITHM", kOsss},
    {"SHMEM_ALLTOALL_ALGO", "SHMEM_ALLTOALL_ALGORITHM", kOsss},
    {"SMA_SCAN_ALGORITHM", "SHMEM_SCAN_ALGORITHM", kSandia},
    {"SMA_REDUCE_ALGORITHM", "SHMEM_REDUCE_ALGORITHM", kSandia},
    {"SHMEM_REDUCE_ALGO", "SHMEM_REDUCE_ALGORITHM", kOsss},
    {"SMA_OFI_PROVIDER", "SHMEM_OFI_PROVIDER", kSandia},
    {"SMA_OFI_FABRIC", "SHMEM_OFI_FABRIC", kSandia},
    {"SMA_OFI_DOMAIN", "SHMEM_OFI_DOMAIN", kSandia},
};

struct OtherAlgorithmName {
    std::string_view name;
    std::string_view algorithm;
};
constexpr OtherAlgorithmName kOtherAlgorithmNames[] = {
    {"dissem", "dissemination"},
    {"recdbl", "recursive_doubling"},
    {"rec_dbl", "recursive_doubling"},
};

}  // namespace

std::span<const OtherName> other_names() { return kOtherNames; }

std::string_view own_algorithm_name(std::string_view value) {
    for (const OtherAlgorithmName& other : kOtherAlgorithmNames) {
        if (parse_choice(value, Names(&other.name, 1))) return other.algorithm;
    }
    return value;
}

}  // namespace tessera
