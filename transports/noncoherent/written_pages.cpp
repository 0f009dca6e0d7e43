// SPDX-License-Identifier: BSD-3-Clause
//
// See written_pages.hpp. The headers of Debian 12 are older than the calls, so their constants and
// PAGEMAP_SCAN's argument stand here (Documentation/admin-guide/mm/pagemap.rst of Linux).
#include "transports/noncoherent/written_pages.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.hpp"

namespace tessera::noncoherent {
namespace {

constexpr std::uint64_t kUserModeOnly = 1;        // UFFD_USER_MODE_ONLY: needs no privilege
constexpr std::uint64_t kUnpopulated = 1U << 13;  // UFFD_FEATURE_WP_UNPOPULATED
constexpr std::uint64_t kAsync = 1U << 15;        // UFFD_FEATURE_WP_ASYNC

struct ScanArgument {  // struct pm_scan_arg
    std::uint64_t size;
    std::uint64_t flags;
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t walk_end;  // the kernel stopped here
    std::uint64_t regions;
    std::uint64_t regions_max;
    std::uint64_t pages_max;
    std::uint64_t category_inverted;
    std::uint64_t category_mask;
    std::uint64_t category_any;
    std::uint64_t return_mask;
};
static_assert(sizeof(ScanArgument) == 96);
constexpr unsigned long kScan = _IOWR('f', 16, ScanArgument);  // PAGEMAP_SCAN
constexpr std::uint64_t kProtectMatching = 1;                  // PM_SCAN_WP_MATCHING
constexpr std::uint64_t kCheckAsync = 2;                       // PM_SCAN_CHECK_WPASYNC
constexpr std::uint64_t kIsWritten = 2;                        // PAGE_IS_WRITTEN

std::uint64_t number_of(const char* address) { return reinterpret_cast<std::uintptr_t>(address); }
char* address_of(std::uint64_t number) {
    return reinterpret_cast<char*>(static_cast<std::uintptr_t>(number));
}

}  // namespace

char* WrittenPages::page_start(char* address) {
    return address - number_of(address) % page_bytes();
}

WrittenPages::WrittenPages(char* start, std::size_t bytes)
    : faults_(static_cast<int>(
          ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | static_cast<int>(kUserModeOnly)))),
      pagemap_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {
    uffdio_api api{.api = UFFD_API, .features = kUnpopulated | kAsync, .ioctls = 0};
    if (!faults_ || !pagemap_ || page_start(start) != start) return;
    if (::ioctl(faults_.get(), UFFDIO_API, &api) != 0) return;
    uffdio_register range{
        .range = {.start = number_of(start), .len = round_up(bytes, page_bytes())},
        .mode = UFFDIO_REGISTER_MODE_WP,
        .ioctls = 0};
    is_watching_ = ::ioctl(faults_.get(), UFFDIO_REGISTER, &range) == 0;
}

std::span<const WrittenPages::Run> WrittenPages::look(char*& at, char* to, std::span<Run> runs) {
    ScanArgument scan{.size = sizeof scan,
                      .flags = kProtectMatching | kCheckAsync,
                      .start = number_of(at),
                      .end = round_up(number_of(to), page_bytes()),
                      .walk_end = 0,
                      .regions = number_of(reinterpret_cast<char*>(runs.data())),
                      .regions_max = runs.size(),
                      .pages_max = 0,
                      .category_inverted = 0,
                      .category_mask = kIsWritten,
                      .category_any = 0,
                      .return_mask = kIsWritten};
    const int count = ::ioctl(pagemap_.get(), kScan, &scan);
    if (count < 0) {
        runs[0] = {.begin = at, .end = to, .categories = kIsWritten};
        at = to;
        return runs.first(1);
    }
    at = address_of(scan.walk_end);
    return runs.first(static_cast<std::size_t>(count));
}

}  // namespace tessera::noncoherent
