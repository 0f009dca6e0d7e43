// SPDX-License-Identifier: BSD-3-Clause
//
// libfabric itself, loaded when the first PE off this node is to be reached: a program that stays
// on one node pays nothing for it and needs no libfabric (its loading takes 0.2 s with Debian's
// library). Only the functions below are exported by libfabric; every other fi_* is an inline
// function of its headers that goes through the object it is given, and needs no symbol. Do not
// use those inline functions that call one of these (fi_allocinfo).
#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <memory>

namespace tessera::ofi {

// The interface version we are written against. Libraries from 1.15 on know it.
inline constexpr std::uint32_t kApiVersion = FI_VERSION(1, 15);

struct Library {
    decltype(&::fi_getinfo) getinfo = nullptr;
    decltype(&::fi_freeinfo) freeinfo = nullptr;
    decltype(&::fi_dupinfo) dupinfo = nullptr;  // with nullptr: makes an empty one
    decltype(&::fi_fabric) open_fabric = nullptr;
    decltype(&::fi_strerror) strerror = nullptr;
    decltype(&::fi_version) version = nullptr;
};

// The loaded library. The first call loads it, with our defaults for variables that the environment
// does not set (FI_OFI_RXM_*, library.cpp), and keeps the program's signal handlers. Ends the job
// where libfabric is missing.
// THREADS: any, but the first call changes the environment: during init.
const Library& library();

// "Connection refused" for -FI_ECONNREFUSED (or the positive number).
const char* error_text(long error);

// A list of fi_info, freed with it.
struct FreeInfo {
    void operator()(fi_info* info) const;
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

}  // namespace tessera::ofi
