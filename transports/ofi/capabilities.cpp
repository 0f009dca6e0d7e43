// SPDX-License-Identifier: BSD-3-Clause
//
// See capabilities.hpp. First the table of known facts about providers by name, then the questions
// to fi_getinfo, then the meaning of an answer.
#include "transports/ofi/capabilities.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <sched.h>
#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "transports/ofi/interfaces.hpp"
#include "transports/ofi/message.hpp"

namespace tessera::ofi {
namespace {

// Facts that fi_getinfo does not tell, or tells wrongly. In the order of preference.
struct Traits {
    std::string_view provider;
    bool is_default = false;        // may be taken without being named
    bool has_ip_addresses = false;  // is told which address to bind
    bool cq_fd_works = false;       // sleeps, and wakes
    bool sockets_tell = false;      // all that it waits for comes through sockets that it polls
    bool cq_read_resets = false;    // it stays readable, until fi_cq_sread has slept on it
    bool atomics_work = false;
    bool cpu_atomics = false;         // proved by tests/unit/transports/ofi/fabric_test.cpp
    bool is_eager = false;            // sends of any size arrive without a further round trip
    bool writes_words_whole = false;  // the hardware writes; with others the target's CPU copies
};

// In jobs of up to so many PEs a provider without a descriptor polls the sockets one by one in less
// time than its descriptor would take.
constexpr int kPolledPesMax = 12;

constexpr Traits kTraits[] = {
    // Fabrics with hardware of their own. Whether their atomics agree with the CPU's is not
    // proved, nor whether their queues wake a sleeper. The last three leave small writes, or all of
    // them, to the CPU of the target.
    {.provider = "cxi", .is_default = true, .atomics_work = true, .writes_words_whole = true},
    {.provider = "verbs;ofi_rxm",
     .is_default = true,
     .cq_fd_works = true,
     .atomics_work = true,
     .writes_words_whole = true},
    {.provider = "efa", .is_default = true, .atomics_work = true},
    {.provider = "opx", .is_default = true, .atomics_work = true},
    // Comes without hardware, too: over sockets, and slower than those below.
    {.provider = "psm3", .atomics_work = true},
    // Sockets.
    {.provider = "tcp;ofi_rxm",
     .is_default = true,
     .has_ip_addresses = true,
     .cq_fd_works = true,
     .sockets_tell = true,
     .atomics_work = true,
     .cpu_atomics = true},
    // `net`, which later libraries call `tcp`, grants atomics and automatic progress, and has
    // neither.
    {.provider = "net",
     .is_default = true,
     .has_ip_addresses = true,
     .cq_fd_works = true,
     .cq_read_resets = true,
     .is_eager = true},
    {.provider = "tcp",
     .is_default = true,
     .has_ip_addresses = true,
     .cq_fd_works = true,
     .cq_read_resets = true,
     .is_eager = true},
    {.provider = "sockets",
     .is_default = true,
     .has_ip_addresses = true,
     .atomics_work = true,
     .cpu_atomics = true,
     .is_eager = true},
    // Its descriptor never lets a thread sleep.
    {.provider = "net;ofi_rxm",
     .has_ip_addresses = true,
     .atomics_work = true,
     .cpu_atomics = true},
    // One host only, and checks neither keys nor bounds.
    {.provider = "shm", .atomics_work = true, .cpu_atomics = true},
    // Dies of junk on its port and of many atomics.
    {.provider = "udp;ofi_rxd", .has_ip_addresses = true},
};

const Traits& traits_of(std::string_view provider) {
    static constexpr Traits kUnknown{};
    for (const Traits& traits : kTraits) {
        if (traits.provider == provider) return traits;
    }
    return kUnknown;
}

constexpr std::uint64_t kOrders[] = {FI_ORDER_WAW, FI_ORDER_SAW, FI_ORDER_RAW, FI_ORDER_SAS,
                                     // All that is left of the first and third with FI_ATOMIC.
                                     FI_ORDER_RMA_WAW, FI_ORDER_RMA_RAW};
constexpr std::uint64_t kAllOrders = FI_ORDER_WAW | FI_ORDER_SAW | FI_ORDER_RAW | FI_ORDER_SAS;

// Pieces beyond this are cut by the callers: providers promise 2^64 - 1.
constexpr std::size_t kTransferBytesMax = std::size_t{1} << 30;
// Copying more takes longer than to wait until the provider has read them.
constexpr std::size_t kInjectedWriteBytesMax = 4608;

// One question to fi_getinfo.
struct Question {
    std::string provider = {};
    std::string address = {};  // interface to bind; empty: any
    std::uint64_t orders = 0;
    std::uint64_t op_flags = 0;
    std::uint64_t mode = 0;  // duties towards the provider that we take on
};
constexpr std::uint64_t kOwnContexts = FI_CONTEXT | FI_CONTEXT2;

char* copy_or_null(const std::string& text) {
    return text.empty() ? nullptr : ::strdup(text.c_str());
}

// RETURNS: nullptr if no provider can do it.
Info ask(const Hints& hints, const Question& question) {
    const Library& lib = library();
    Info wanted(lib.dupinfo(nullptr));
    if (wanted == nullptr) fatal("shmem_init: libfabric is out of memory");
    wanted->caps = FI_MSG;
    if (hints.rma) wanted->caps |= FI_RMA;
    if (hints.atomics) wanted->caps |= FI_ATOMIC;
    wanted->ep_attr->type = FI_EP_RDM;
    wanted->domain_attr->threading = FI_THREAD_SAFE;
    wanted->domain_attr->av_type = FI_AV_TABLE;
    wanted->domain_attr->mr_mode =
        FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT | FI_MR_RMA_EVENT;
    // Automatic progress of a provider is slower than our thread (26 us for a read instead of 8),
    // and `sockets` starts threads for it that compete with ours for the processor.
    wanted->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    wanted->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    wanted->tx_attr->msg_order = question.orders;
    wanted->rx_attr->msg_order = question.orders;
    wanted->tx_attr->op_flags = question.op_flags;
    wanted->mode = question.mode;
    wanted->fabric_attr->prov_name = copy_or_null(question.provider);
    wanted->fabric_attr->name = copy_or_null(hints.fabric);
    wanted->domain_attr->name = copy_or_null(hints.domain);
    const char* node = nullptr;
    std::uint64_t flags = 0;
    if (traits_of(question.provider).has_ip_addresses) wanted->addr_format = FI_SOCKADDR_IN;
    if (!question.address.empty()) {
        node = question.address.c_str();
        flags = FI_SOURCE;
    }
    fi_info* found = nullptr;
    int error = lib.getinfo(kApiVersion, node, nullptr, flags, wanted.get(), &found);
    if (error != 0 && error != -FI_ENODATA) {
        fatal("shmem_init: libfabric cannot say what provider '%s' offers on '%s': %s",
              question.provider.c_str(), question.address.c_str(), error_text(error));
    }
    return Info(error == 0 ? found : nullptr);
}

// "tcp" is short for "tcp;ofi_rxm".
bool matches(std::string_view provider, std::string_view hint) {
    if (hint.empty() || provider == hint) return true;
    std::size_t layers = provider.find(';');
    return layers != std::string_view::npos && provider.substr(0, layers) == hint;
}

// The names of the providers that meet the hint, the best first. One that is named exactly comes
// before those that it is short for.
std::vector<std::string> candidates(const Hints& hints) {
    std::set<std::string> present;
    Info all = ask({.rma = hints.rma, .atomics = hints.atomics}, {.mode = kOwnContexts});
    for (const fi_info* one = all.get(); one != nullptr; one = one->next)
        present.insert(one->fabric_attr->prov_name);
    std::vector<std::string> result;
    // Libraries from 2.0 on have `net` under the name `tcp`, alone and in layers.
    const bool is_old_name = matches(hints.provider, "net") && !present.contains(hints.provider);
    const std::string exact = is_old_name ? "tcp" + hints.provider.substr(3) : hints.provider;
    if (present.erase(exact) != 0) result.push_back(exact);
    for (const Traits& traits : kTraits) {
        if (hints.provider.empty() && !traits.is_default) continue;
        std::string name(traits.provider);
        if (matches(name, hints.provider) && present.erase(name) != 0) result.push_back(name);
    }
    for (const std::string& unknown : present) {
        if (!hints.provider.empty() && matches(unknown, hints.provider)) result.push_back(unknown);
    }
    return result;
}

// The most of the orders that are of use to us; sets question.orders.
Info ask_for_orders(const Hints& hints, Question& question) {
    question.orders = kAllOrders;
    if (Info all = ask(hints, question)) return all;
    question.orders = 0;
    Info best = ask(hints, question);
    for (std::uint64_t order : kOrders) {
        if (best == nullptr) break;
        question.orders |= order;
        if (Info more = ask(hints, question)) {
            best = std::move(more);
        } else {
            question.orders &= ~order;
        }
    }
    return best;
}

std::string ip_address(const fi_info& info) {
    sockaddr_in address;
    if (info.addr_format != FI_SOCKADDR_IN || info.src_addr == nullptr ||
        info.src_addrlen < sizeof address) {
        return "";
    }
    std::memcpy(&address, info.src_addr, sizeof address);
    char text[INET_ADDRSTRLEN];
    ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return text;
}

int local_processors_of(const fi_info& info, const cpu_set_t& usable) {
    if (info.nic == nullptr || info.nic->bus_attr == nullptr ||
        info.nic->bus_attr->bus_type != FI_BUS_PCI) {
        return 0;
    }
    const fi_pci_attr& pci = info.nic->bus_attr->attr.pci;
    char device[32];
    std::snprintf(device, sizeof device, "%04x:%02x:%02x.%x", pci.domain_id, pci.bus_id,
                  pci.device_id, pci.function_id);
    return local_processors(device, usable);
}

// Providers do not always look at the names in a question.
bool matches_hints(const fi_info& offer, const Hints& hints) {
    const char* domain = offer.domain_attr->name;
    if (!hints.fabric.empty() && hints.fabric != offer.fabric_attr->name) return false;
    if (!hints.domain.empty() && hints.domain != domain) return false;
    return hints.interface.empty() || hints.interface == domain ||
           is_in_network(ip_address(offer), hints.interface);
}

// The nearest NIC to this PE in the first offer's fabric; PEs take equal ones in turn. RETURNS:
// nullptr if no offer has the names that the user gave.
const fi_info* nearest(const fi_info* offers, const Hints& hints) {
    cpu_set_t usable;
    if (::sched_getaffinity(0, sizeof usable, &usable) != 0) CPU_ZERO(&usable);
    std::vector<const fi_info*> equals;
    std::set<std::string> domains;
    int best = -1;
    const char* fabric = nullptr;
    for (const fi_info* one = offers; one != nullptr; one = one->next) {
        if (!matches_hints(*one, hints)) continue;
        if (fabric == nullptr) fabric = one->fabric_attr->name;
        if (std::strcmp(fabric, one->fabric_attr->name) != 0) continue;
        if (!domains.insert(one->domain_attr->name).second) continue;
        int local = local_processors_of(*one, usable);
        if (local > best) equals.clear();
        if (local >= best) equals.push_back(one);
        best = std::max(best, local);
    }
    if (equals.empty()) return nullptr;
    return equals[static_cast<std::size_t>(hints.local_index) % equals.size()];
}

std::size_t rxm_eager_bytes() {
    const char* text =
        environment("FI_OFI_RXM_BUFFER_SIZE");  // library.cpp sets it unless the user has
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

void read_sizes(const fi_info& info, const Traits& traits, Capabilities& result) {
    result.key_bytes = std::min<std::size_t>(info.domain_attr->mr_key_size, 8);
    result.inject_write_bytes = std::min(info.tx_attr->inject_size, kInjectedWriteBytesMax);
    result.inject_message_bytes = info.tx_attr->inject_size;
    result.max_rma_bytes = std::min(info.ep_attr->max_msg_size, kTransferBytesMax);
    result.eager_message_bytes = result.inject_message_bytes;
    if (traits.is_eager) {
        result.eager_message_bytes = result.max_rma_bytes;
    } else if (result.provider.ends_with(";ofi_rxm")) {
        result.eager_message_bytes = rxm_eager_bytes();
    }
    result.packet_bytes = std::clamp(result.eager_message_bytes, kPacketBytesMin, kPacketBytesMax);
    result.iov_max = std::clamp<std::size_t>(info.tx_attr->iov_limit, 1, kPiecesMax);
    result.rma_iov_max = std::clamp<std::size_t>(info.tx_attr->rma_iov_limit, 1, kPiecesMax);
    result.tx_size = info.tx_attr->size;
    result.rx_size = info.rx_attr->size;
}

// `orders` are those that were asked for and granted. A provider that gives a size of 0 has none.
void read_orders(const fi_info& info, std::uint64_t orders, Capabilities& result) {
    std::size_t write_bytes = info.ep_attr->max_order_waw_size;
    std::size_t read_bytes = info.ep_attr->max_order_raw_size;
    result.write_after_write = (orders & (FI_ORDER_WAW | FI_ORDER_RMA_WAW)) != 0 && write_bytes > 0;
    result.read_after_write = (orders & (FI_ORDER_RAW | FI_ORDER_RMA_RAW)) != 0 && read_bytes > 0;
    result.send_after_write = (orders & FI_ORDER_SAW) != 0;
    result.send_after_send = (orders & FI_ORDER_SAS) != 0;
    if (result.write_after_write) result.ordered_write_bytes = write_bytes;
    if (result.read_after_write) result.ordered_read_bytes = read_bytes;
}

// There are no writes, so they are in the order of the messages.
void order_messages_only(Capabilities& result) {
    result.write_after_write = result.read_after_write = result.send_after_write =
        result.send_after_send;
    result.ordered_write_bytes = result.ordered_read_bytes = SIZE_MAX;
    result.writes_words_whole = false;
}

Capabilities read(const fi_info& info, const Question& granted, const Hints& hints) {
    Capabilities result;
    result.provider = info.fabric_attr->prov_name;
    result.fabric = info.fabric_attr->name;
    result.domain = info.domain_attr->name;
    result.address = ip_address(info);
    result.library_version = library().version();
    result.needs_contexts = hints.own_contexts || (info.mode & kOwnContexts) != 0;
    int mode = info.domain_attr->mr_mode;
    result.virtual_addresses = (mode & FI_MR_VIRT_ADDR) != 0;
    result.provider_keys = (mode & FI_MR_PROV_KEY) != 0;
    result.mr_endpoint = (mode & (FI_MR_ENDPOINT | FI_MR_RMA_EVENT)) != 0;
    result.mr_allocated = (mode & FI_MR_ALLOCATED) != 0;
    const Traits& traits = traits_of(result.provider);
    read_sizes(info, traits, result);
    read_orders(info, granted.orders, result);
    result.atomics = hints.atomics && traits.atomics_work;
    result.atomics_are_cpu_atomics = result.atomics && traits.cpu_atomics;
    result.writes_words_whole = traits.writes_words_whole;
    result.cq_has_fd = hints.sleeps && traits.cq_fd_works;
    result.cq_read_resets = hints.sleeps && traits.cq_read_resets;
    result.sockets_tell = hints.sleeps && traits.sockets_tell && hints.npes <= kPolledPesMax;

    result.has_rma = hints.rma;
    if (!result.has_rma) {
        order_messages_only(result);
        return result;
    }
    Question delivery = granted;
    delivery.op_flags = FI_DELIVERY_COMPLETE;
    result.delivery_complete = ask(hints, delivery) != nullptr;
    return result;
}

// The offer of `provider` for these hints. An empty choice: it has none.
Choice offer_of(const std::string& provider, const Hints& hints) {
    const Traits& traits = traits_of(provider);
    Question question{.provider = provider};
    // The address towards the launcher is a guess; a network that the user names takes precedence.
    bool is_named = !hints.fabric.empty() || !hints.domain.empty();
    if (traits.has_ip_addresses && (!is_named || !hints.interface.empty()))
        question.address = choose_address(hints.interface, hints.address);
    Info offers = ask_for_orders(hints, question);
    if (offers == nullptr) {
        question.mode = kOwnContexts;
        offers = ask_for_orders(hints, question);
    }
    const fi_info* chosen = nearest(offers.get(), hints);
    if (chosen == nullptr) return {};
    Choice choice{.info = Info(library().dupinfo(chosen)), .capabilities = {}};
    choice.capabilities = read(*chosen, question, hints);
    return choice;
}

[[noreturn]] void refuse(const Hints& hints) {
    std::string asked;
    const std::pair<const char*, const std::string&> named[] = {
        {"SHMEM_OFI_PROVIDER", hints.provider},
        {"SHMEM_OFI_FABRIC", hints.fabric},
        {"SHMEM_OFI_DOMAIN", hints.domain},
        {"SHMEM_OFI_INTERFACE", hints.interface},
    };
    for (const auto& [name, value] : named) {
        if (!value.empty()) asked += std::string(asked.empty() ? "" : " ") + name + "=" + value;
    }
    std::string offers = list_offers();
    fatal("shmem_init: libfabric has no provider for %s%s; there are (provider, fabric, domain):%s",
          asked.empty() ? "reaching other nodes" : asked.c_str(),
          hints.atomics ? " with atomics" : "", offers.empty() ? " none" : offers.c_str());
}

const char* yes(bool value, const char* text) { return value ? text : ""; }

}  // namespace

Choice choose(const Hints& hints) {
    if (hints.provider == "lnx") {
        // Up to libfabric 2.5 it claims to have all operations, from 2.6 on only these.
        fatal(
            "shmem_init: SHMEM_OFI_PROVIDER=lnx: lnx carries tagged messages, and Tessera needs "
            "others; name one of the providers that lnx links (FI_LNX_PROV_LINKS)");
    }
    Hints asked = hints;
    for (const bool rma : {true, false}) {
        asked.rma = rma && hints.rma;
        for (const std::string& provider : candidates(asked)) {
            Choice choice = offer_of(provider, asked);
            if (choice.info != nullptr) return choice;
        }
    }
    refuse(hints);
}

std::string list_offers() {
    std::string result;
    std::set<std::string> seen;
    Info all = ask({.rma = false}, {.mode = kOwnContexts});
    for (const fi_info* one = all.get(); one != nullptr; one = one->next) {
        std::string line = std::string("\n  ") + one->fabric_attr->prov_name + "  " +
                           one->fabric_attr->name + "  " + one->domain_attr->name;
        if (seen.insert(line).second) result += line;
    }
    return result;
}

std::string describe(const Capabilities& c) {
    char text[512];
    std::snprintf(text, sizeof text,
                  "%s on %s%s%s%s, libfabric %u.%u; inject %zu, eager %zu, vectors of %zu;%s%s%s%s "
                  "ordered;%s%s%s",
                  c.provider.c_str(), c.address.c_str(), yes(!c.address.empty(), " ("),
                  c.domain.c_str(), yes(!c.address.empty(), ")"), FI_MAJOR(c.library_version),
                  FI_MINOR(c.library_version), c.inject_write_bytes, c.eager_message_bytes,
                  std::min(c.iov_max, c.rma_iov_max), yes(c.write_after_write, " put-put"),
                  yes(c.send_after_write, " put-message"), yes(c.read_after_write, " put-get"),
                  yes(c.send_after_send, " message-message"),
                  yes(c.delivery_complete, " tells delivery,"),
                  !c.has_rma             ? " everything by messages,"
                  : c.writes_words_whole ? " writes words whole,"
                                         : " words by messages,",
                  c.atomics ? " has atomics" : " no atomics used");
    return text;
}

}  // namespace tessera::ofi
