// SPDX-License-Identifier: BSD-3-Clause
//
// See parts.hpp and run_doctor_part() in doctor.hpp.
#include "tools/osh_info/doctor/parts.hpp"

#include <dlfcn.h>
#include <link.h>
#include <shmem.h>

#include <cstdio>
#include <string_view>

#include "base/fatal.hpp"
#include "settings/fabric_outlook.hpp"
#include "tools/osh_info/doctor/doctor.hpp"
#include "tools/osh_info/fabric_check.hpp"

namespace tessera::osh_info {
namespace {

constexpr std::string_view kLoadPart = "load=";
constexpr std::string_view kFabricCheckPart = "fabric-check=";

// A PE that reaches its neighbour and a barrier.
int run_pe() {
    static long word = -1;
    ::shmem_init();
    const int me = ::shmem_my_pe();
    const int npes = ::shmem_n_pes();
    const long mine = me;
    ::shmem_long_put(&word, &mine, 1, (me + 1) % npes);
    ::shmem_barrier_all();
    const bool is_right = word == (me + npes - 1) % npes;
    if (!is_right) warn("PE %d has received %ld from its neighbour", me, word);
    ::shmem_finalize();
    return is_right ? 0 : 1;
}

int show_fabric() {
    std::printf("%s\n", fabric_outlook().text.c_str());
    return 0;
}

// "libpmix.so.2 4.2.2 (/usr/lib/...)". The library stays loaded: it may have threads.
int show_library(const std::string& name) {
    using GetVersion = const char* (*)();
    void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::printf("%s\n", ::dlerror());
        return 1;
    }
    const link_map* map = nullptr;
    ::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map));
    const auto version = reinterpret_cast<GetVersion>(::dlsym(library, "PMIx_Get_version"));
    std::printf("%s (%s)\n", version != nullptr ? version() : name.c_str(), map->l_name);
    return 0;
}

}  // namespace

int run_doctor_part(const std::string& part) {
    if (part == "pe") return run_pe();
    if (part == "fabric") return show_fabric();
    if (part == "connections") return run_connections();
    if (part.starts_with(kLoadPart)) return show_library(part.substr(kLoadPart.size()));
    if (part.starts_with(kFabricCheckPart))
        return run_fabric_check(part.substr(kFabricCheckPart.size()));
    fatal("--doctor-part %s: there is no such part", part.c_str());
}

}  // namespace tessera::osh_info
