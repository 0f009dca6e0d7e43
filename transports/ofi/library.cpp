// SPDX-License-Identifier: BSD-3-Clause
//
// See library.hpp. docs/measurements/between-nodes.md has the effect of the defaults below,
// measured with Debian's 1.17. (Loading takes 0.2 s in any case: a library of an old InfiniPath
// card sleeps in its constructor.)
#include "transports/ofi/library.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/platform.hpp"
#include "transports/ofi/imports.hpp"

namespace tessera::ofi {
namespace {

constexpr char kFile[] = "libfabric.so.1";

// Set unless the user has set it.
struct Default {
    const char* name;
    const char* value;
};
constexpr Default kDefaults[] = {
    // Keep the PSM libraries from turning every crash into a backtrace and exit status 1.
    {"IPATH_NO_BACKTRACE", "1"},
    {"HFI_NO_BACKTRACE", "1"},
    // Receive buffers that all peers share: memory does not grow with the number of peers.
    {"FI_OFI_RXM_USE_SRX", "1"},
    // The size of each buffer (16384 by itself): active messages of 16 KiB fit with their heads. A
    // longer message costs five times as much.
    {"FI_OFI_RXM_BUFFER_SIZE", "16896"},
    // So many of them (4096 by itself).
    {"FI_OFI_RXM_MSG_RX_SIZE", "128"},
    // Look for new connections every 100 us (10000 by itself).
    {"FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100"},
};

void set_defaults() {
    for (const Default& entry : kDefaults) ::setenv(entry.name, entry.value, 0);
    // An empty level turns warnings on instead of off.
    const char* level = environment("FI_LOG_LEVEL");
    if (level != nullptr && *level == '\0') ::unsetenv("FI_LOG_LEVEL");
}

// Puts the program's signal handlers back at the end of its scope: libraries that libfabric pulls
// in install their own in constructors.
class HandlersKept {
  public:
    HandlersKept() {
        for (std::size_t i = 0; i < kCount; ++i) ::sigaction(kSignals[i], nullptr, &before_[i]);
    }
    HandlersKept(const HandlersKept&) = delete;
    HandlersKept& operator=(const HandlersKept&) = delete;
    ~HandlersKept() {
        for (std::size_t i = 0; i < kCount; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    }

  private:
    static constexpr int kSignals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTERM, SIGINT, SIGFPE};
    static constexpr std::size_t kCount = sizeof kSignals / sizeof *kSignals;
    struct sigaction before_[kCount];
};

std::FILE* open_without_kernel_symbols(const char* path, const char* mode) {
    return std::fopen(std::strcmp(path, "/proc/kallsyms") == 0 ? "/dev/null" : path, mode);
}

// The provider `verbs` of 1.17 reads all symbols of the kernel when it starts, to find out whether
// InfiniBand devices can register the memory of GPUs. That takes 70 ms of each PE's CPU time, three
// quarters of a start. Where there is no such device nothing depends on the answer.
void skip_kernel_symbols(void* getinfo) {
    if (::access("/sys/class/infiniband", F_OK) == 0) return;
    const Import imports[] = {{"fopen", reinterpret_cast<void*>(&open_without_kernel_symbols)}};
    replace_imports(getinfo, imports);
}

int allocate_on_huge_pages(void** result, std::size_t alignment, std::size_t bytes) {
    if (bytes < kHugePageBytes) return ::posix_memalign(result, alignment, bytes);
    const int error = ::posix_memalign(result, std::max(alignment, kHugePageBytes), bytes);
    if (error == 0) ::madvise(*result, bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
    return error;
}

// An endpoint of rxm clears 30 MB of buffers when it opens. On pages of 4 KiB these are 7,000 page
// faults, most of the CPU time of a start on some virtual machines. Where the kernel has no huge
// page, or refuses to use one, the buffers have small pages as before.
void put_buffers_on_huge_pages(void* getinfo) {
    const Import imports[] = {{"posix_memalign", reinterpret_cast<void*>(&allocate_on_huge_pages)}};
    replace_imports(getinfo, imports);
}

// `version` is the version of our headers; later libraries still offer it.
template <class Function>
void find(void* handle, const char* name, const char* version, Function& function) {
    void* symbol = ::dlvsym(handle, name, version);
    if (symbol == nullptr) symbol = ::dlsym(handle, name);
    if (symbol == nullptr) fatal("shmem_init: %s has no function %s", kFile, name);
    function = reinterpret_cast<Function>(symbol);
}

Library load() {
    set_defaults();
    HandlersKept handlers_kept;
    void* handle = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        fatal(
            "shmem_init: there are PEs on other nodes, but libfabric cannot be loaded (%s); "
            "install it on every host (Debian: apt-get install libfabric1)",
            ::dlerror());
    }
    Library result;
    find(handle, "fi_getinfo", "FABRIC_1.3", result.getinfo);
    find(handle, "fi_freeinfo", "FABRIC_1.3", result.freeinfo);
    find(handle, "fi_dupinfo", "FABRIC_1.3", result.dupinfo);
    find(handle, "fi_fabric", "FABRIC_1.1", result.open_fabric);
    find(handle, "fi_strerror", "FABRIC_1.0", result.strerror);
    find(handle, "fi_version", "FABRIC_1.0", result.version);
    if (FI_VERSION_LT(result.version(), kApiVersion)) {
        fatal("shmem_init: libfabric %u.%u is too old: %u.%u or later is needed",
              FI_MAJOR(result.version()), FI_MINOR(result.version()), FI_MAJOR(kApiVersion),
              FI_MINOR(kApiVersion));
    }
    skip_kernel_symbols(reinterpret_cast<void*>(result.getinfo));
    put_buffers_on_huge_pages(reinterpret_cast<void*>(result.getinfo));
    // Providers bring libraries of their own, which the first question loads.
    fi_info* ignored = nullptr;
    if (result.getinfo(kApiVersion, nullptr, nullptr, 0, nullptr, &ignored) == 0)
        result.freeinfo(ignored);
    return result;
}

}  // namespace

const Library& library() {
    static const Library loaded = load();
    return loaded;
}

const char* error_text(long error) {
    return library().strerror(static_cast<int>(error < 0 ? -error : error));
}

void FreeInfo::operator()(fi_info* info) const { library().freeinfo(info); }

}  // namespace tessera::ofi
