// SPDX-License-Identifier: BSD-3-Clause
//
// See peer_pages.hpp. The inode tells whether /proc/PID/fd/N is the file that was offered: with a
// process number of another namespace it could be anything.
#include "heap/peer_pages.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>

#include "base/bits.hpp"
#include "base/platform.hpp"

namespace tessera::heap {
namespace {

// A mapping begins and ends at multiples of this size, if it can.
constexpr std::uintptr_t kWindowBytes = std::uintptr_t{1} << 30;

PageSpan rounded(const PageSpan& pages, std::uintptr_t to) {
    return {.begin = align_down(pages.begin, to), .end = align_up(pages.end, to)};
}

}  // namespace

bool PeerPages::open(const PagesOffer& offer) {
    if (was_opened_ || offer.pid == 0) return static_cast<bool>(file_);
    was_opened_ = true;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", offer.pid, offer.fd);
    file_ = Fd(::open(path, O_RDWR | O_CLOEXEC));
    struct stat status {};
    if (file_ && (::fstat(file_.get(), &status) != 0 || status.st_ino != offer.inode))
        file_.reset();
    return static_cast<bool>(file_);
}

std::shared_ptr<PeerPages::Window> PeerPages::map(const PageSpan& pages) const {
    // The file begins at address 0, so huge pages lie alike in both processes.
    for (const std::uintptr_t unit : {kWindowBytes, std::uintptr_t{kHugePageBytes}}) {
        const PageSpan wanted = rounded(pages, unit);
        Mapping mapping = Mapping::share(file_.get(), wanted.begin, wanted.bytes(),
                                         {.aligned_to = kHugePageBytes});
        if (!mapping.is_mapped()) continue;
        return std::make_shared<Window>(Window{.pages = wanted, .mapping = std::move(mapping)});
    }
    return nullptr;
}

PeerPages::View PeerPages::view_of(const PagesOffer& offer, const PageSpan& pages) {
    if (!open(offer)) return {};
    std::shared_ptr<Window> window;
    std::erase_if(windows_, [](const std::weak_ptr<Window>& each) { return each.expired(); });
    for (const std::weak_ptr<Window>& each : windows_) {
        const std::shared_ptr<Window> candidate = each.lock();
        if (candidate->pages.begin <= pages.begin && pages.end <= candidate->pages.end)
            window = candidate;
    }
    if (!window) {
        window = map(pages);
        if (!window) return {};
        windows_.push_back(window);
    }
    char* start = window->mapping.data() + (pages.begin - window->pages.begin);
    return {.start = start, .mapping = std::move(window)};
}

}  // namespace tessera::heap
