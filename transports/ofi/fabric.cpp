// SPDX-License-Identifier: BSD-3-Clause
//
// See fabric.hpp.
#include "transports/ofi/fabric.hpp"

#include <poll.h>
#include <rdma/fi_cm.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "base/log.hpp"
#include "base/random_number.hpp"
#include "transports/ofi/wake_signals.hpp"

namespace tessera::ofi {
namespace {

constexpr int kKeyTriesMax = 16;
// Timed sleeps where no descriptor tells: from the first to the last, doubling.
constexpr long kTimedSleepNsMin = 20'000;
constexpr int kTimedSleepDoublingsMax = 6;
constexpr long kNsPerMs = 1'000'000;
// A descriptor that calls this many times in a row, each time at once, is stuck. Traffic that other
// threads handle calls as well, but not so often without a pause.
constexpr int kCallsMax = 100'000;
constexpr int kCallsBeforeReadMax = 16;  // where a read that sleeps resets it: cheap
constexpr int kResetMs = 1;
constexpr long kStuckSleepNs = 100'000;
constexpr std::uint64_t kAtOnceNs = 5'000;

void check(long result, const char* what, const Capabilities& capabilities) {
    if (result == 0) return;
    fatal(
        "shmem_init: libfabric's provider %s on %s cannot %s: %s (SHMEM_OFI_PROVIDER and "
        "SHMEM_OFI_INTERFACE choose another one)",
        capabilities.provider.c_str(), capabilities.domain.c_str(), what, error_text(result));
}

std::uint64_t random_key(std::size_t key_bytes) {
    const std::uint64_t key = random_number();
    return key_bytes >= sizeof key ? key : key & ((std::uint64_t{1} << (8 * key_bytes)) - 1);
}

}  // namespace

void CloseFid::close(fid* object) {
    int error = fi_close(object);
    if (error != 0) log(Subsystem::kFabric, "fi_close: %s", error_text(error));
}

Fabric::Fabric(const Hints& hints) : choice_(choose(hints)) {
    const Capabilities& facts = capabilities();
    log(Subsystem::kFabric, "%s", describe(facts).c_str());
    fid_fabric* fabric = nullptr;
    check(library().open_fabric(choice_.info->fabric_attr, &fabric, nullptr), "open its fabric",
          facts);
    fabric_.reset(fabric);
    fid_domain* domain = nullptr;
    check(fi_domain(fabric, choice_.info.get(), &domain, nullptr), "open its domain", facts);
    domain_.reset(domain);
    fi_av_attr attributes{};
    attributes.type = FI_AV_TABLE;
    fid_av* peers = nullptr;
    check(fi_av_open(domain, &attributes, &peers, nullptr), "keep a table of peers", facts);
    peers_.reset(peers);
    // Peers prove themselves by IP address (Admission::add_peer); psm3's sockets have others.
    if (hints.members_only && choice_.info->addr_format == FI_SOCKADDR_IN)
        admission_ = Admission::open();
    if (admission_ && facts.sockets_tell) {
        sockets_ = std::make_unique<SocketWatch>();
        admission_->tell(*sockets_);
    }
    wake_descriptor_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_descriptor_) fatal("shmem_init: eventfd: %s", std::strerror(errno));
    open_queue();
    open_endpoint();
}

Fabric::~Fabric() = default;

void Fabric::open_queue() {
    Capabilities& facts = choice_.capabilities;
    fi_cq_attr attributes{};
    attributes.format = FI_CQ_FORMAT_MSG;
    attributes.size = facts.tx_size + facts.rx_size;
    if (sockets_) facts.cq_has_fd = false;
    attributes.wait_obj = facts.cq_has_fd ? FI_WAIT_FD : FI_WAIT_NONE;
    fid_cq* queue = nullptr;
    int error = fi_cq_open(domain(), &attributes, &queue, nullptr);
    if (error != 0 && facts.cq_has_fd) {
        facts.cq_has_fd = false;
        attributes.wait_obj = FI_WAIT_NONE;
        error = fi_cq_open(domain(), &attributes, &queue, nullptr);
    }
    check(error, "open a completion queue", facts);
    queue_.reset(queue);
    if (facts.cq_has_fd && fi_control(&queue->fid, FI_GETWAIT, &queue_descriptor_) != 0)
        facts.cq_has_fd = false;
}

void Fabric::open_endpoint() {
    const Admission::Scope scope(admission_.get());
    const StandingSignals::Scope signals(sockets_ != nullptr);
    fid_ep* endpoint = nullptr;
    check(fi_endpoint(domain(), choice_.info.get(), &endpoint, nullptr), "open an endpoint",
          capabilities());
    endpoint_.reset(endpoint);
    check(fi_ep_bind(endpoint, &peers_->fid, 0), "give the endpoint its peers", capabilities());
    check(fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV), "give the endpoint its queue",
          capabilities());
    check(fi_enable(endpoint), "enable its endpoint", capabilities());
}

std::vector<std::byte> Fabric::address() const {
    std::vector<std::byte> result(64);
    std::size_t bytes = result.size();
    int error = fi_getname(&endpoint()->fid, result.data(), &bytes);
    if (error == -FI_ETOOSMALL) {
        result.resize(bytes);
        error = fi_getname(&endpoint()->fid, result.data(), &bytes);
    }
    check(error, "tell its address", capabilities());
    result.resize(bytes);
    return result;
}

fi_addr_t Fabric::add_peer(std::span<const std::byte> address, std::uint64_t admission_key) {
    if (admission_) {
        admission_->add_peer(address, admission_key);
    } else if (admission_key != 0) {
        fatal(
            "a PE on another node admits only PEs that prove themselves, and this one cannot: "
            "its libfabric is of another kind, or SHMEM_OFI_ADMISSION differs; set "
            "SHMEM_OFI_ADMISSION=0 for all PEs");
    }
    fi_addr_t peer = FI_ADDR_NOTAVAIL;
    int added = fi_av_insert(peers_.get(), address.data(), 1, &peer, 0, nullptr);
    if (added != 1 || peer == FI_ADDR_NOTAVAIL) {
        fatal("libfabric's provider %s does not take a peer's address (%zu bytes): %s",
              capabilities().provider.c_str(), address.size(),
              added < 0 ? error_text(added) : "not understood");
    }
    return peer;
}

Region Fabric::register_memory(void* start, std::size_t bytes) {
    const Capabilities& facts = capabilities();
    Region region;
    if (!facts.has_rma) return region;
    int error = -FI_ENOKEY;
    for (int tries = 0; error == -FI_ENOKEY && tries < kKeyTriesMax; ++tries) {
        std::uint64_t wanted = facts.provider_keys ? 0 : random_key(facts.key_bytes);
        error = fi_mr_reg(domain(), start, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, wanted, 0,
                          &region.handle, nullptr);
    }
    if (error != 0) {
        fatal("libfabric's provider %s cannot register %zu bytes of memory at %p: %s%s",
              facts.provider.c_str(), bytes, start, error_text(error),
              facts.mr_allocated ? " (it pins them: see ulimit -l)" : "");
    }
    regions_.emplace_back(region.handle);
    if (facts.mr_endpoint) {
        check(fi_mr_bind(region.handle, &endpoint_->fid, 0), "bind registered memory", facts);
        check(fi_mr_enable(region.handle), "enable registered memory", facts);
    }
    region.key = fi_mr_key(region.handle);
    if (region.key == FI_KEY_NOTAVAIL)
        fatal("libfabric's provider %s has keys of more than 64 bits", facts.provider.c_str());
    if (facts.virtual_addresses) region.remote_base = reinterpret_cast<std::uintptr_t>(start);
    return region;
}

void Fabric::unregister_memory(const Region& region) {
    std::erase_if(regions_, [&](const Fid<fid_mr>& one) { return one.get() == region.handle; });
}

Fabric::Event Fabric::wait_for_events(int timeout_ms, int idle_count, Waiter waiter) {
    const bool resets = capabilities().cq_read_resets;
    if (calls_at_once_.load(std::memory_order_relaxed) >=
        (resets ? kCallsBeforeReadMax : kCallsMax)) {
        calls_at_once_.store(0, std::memory_order_relaxed);
        if (resets) return Event::kStuck;
        const timespec pause{.tv_sec = 0, .tv_nsec = kStuckSleepNs};  // Else it takes a core.
        ::nanosleep(&pause, nullptr);
        return Event::kNone;
    }
    long wait_ns = timeout_ms * kNsPerMs;
    const int wake_descriptor = waiter == Waiter::kThread ? wake_descriptor_.get() : -1;
    pollfd descriptors[3] = {{.fd = wake_descriptor, .events = POLLIN, .revents = 0},
                             {.fd = queue_descriptor_, .events = POLLIN, .revents = 0},
                             {.fd = -1, .events = POLLIN, .revents = 0}};
    nfds_t count = 1;
    if (sockets_) {
        descriptors[1].fd = sockets_->unread();
        descriptors[2].fd = sockets_->writable();
        count = 3;
    } else if (capabilities().cq_has_fd) {
        fid* queue = &queue_->fid;
        const int state = fi_trywait(fabric_.get(), &queue, 1);
        if (state == -FI_EAGAIN) return Event::kSocket;
        if (state == 0) count = 2;
    }
    if (count == 1) {
        wait_ns = std::min(wait_ns,
                           kTimedSleepNsMin << std::clamp(idle_count, 0, kTimedSleepDoublingsMax));
    }
    timespec timeout{.tv_sec = wait_ns / 1'000'000'000, .tv_nsec = wait_ns % 1'000'000'000};
    const std::uint64_t before = now_ns();
    if (::ppoll(descriptors, count, &timeout, nullptr) > 0) {
        eventfd_t wakes = 0;
        if (descriptors[0].revents != 0) ::eventfd_read(wake_descriptor_.get(), &wakes);
        if (descriptors[2].revents != 0) sockets_->drain();
    }
    const bool was_called = descriptors[1].revents != 0;
    const bool was_at_once = was_called && now_ns() - before < kAtOnceNs;
    const int calls = calls_at_once_.load(std::memory_order_relaxed);
    calls_at_once_.store(was_at_once ? calls + 1 : 0, std::memory_order_relaxed);
    return was_called ? Event::kSocket : Event::kNone;
}

bool Fabric::is_called() {
    pollfd descriptor{.fd = queue_descriptor_, .events = POLLIN, .revents = 0};
    if (sockets_) {
        descriptor.fd = sockets_->unread();
    } else {
        if (!capabilities().cq_has_fd) return false;
        fid* queue = &queue_->fid;
        if (fi_trywait(fabric_.get(), &queue, 1) == -FI_EAGAIN) return true;
    }
    return ::poll(&descriptor, 1, 0) > 0;
}

std::optional<fi_cq_msg_entry> Fabric::reset_descriptor() {
    fi_cq_msg_entry entry{};
    if (fi_cq_sread(queue(), &entry, 1, nullptr, kResetMs) != 1) return std::nullopt;
    return entry;
}

void Fabric::wake() { ::eventfd_write(wake_descriptor_.get(), 1); }

void Fabric::sleep(std::uint64_t nanoseconds) {
    pollfd descriptor{.fd = wake_descriptor_.get(), .events = POLLIN, .revents = 0};
    const timespec timeout{.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000),
                           .tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000)};
    if (::ppoll(&descriptor, 1, &timeout, nullptr) <= 0) return;
    eventfd_t wakes = 0;
    ::eventfd_read(wake_descriptor_.get(), &wakes);
}

}  // namespace tessera::ofi
