// SPDX-License-Identifier: BSD-3-Clause
//
// A transport between nodes: its contract beyond transports/transport.hpp, its set-up, and the
// registry. A fabric's folder NAME defines, in namespace tessera::NAME,
//   extern const FabricEntry kFabric;                          transport.cpp
//   extern const std::span<const FabricSetting> kSettings;     settings.cpp
// and has a row in fabric_list.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint_slot.hpp"
#include "base/setting_marks.hpp"
#include "base/wait.hpp"
#include "transports/fabric_segments.hpp"
#include "transports/transport.hpp"

namespace tessera {

// Life: make, endpoint_info(), a barrier of the job's launcher, start(), operations, leave(),
// another barrier (with progress()), the destructor.
class FabricTransport : public Transport {
  public:
    // Posts `number` at the gate of PE `pe` that has the symmetric address of `gate`.
    // RETURNS: at once; ordered after nothing.
    virtual void post_gate(const Gate& gate, std::uint32_t number, int pe) = 0;
    // The same after everything that was put to this PE on the context has arrived there.
    virtual void post_gate_behind(TransportContext& context, const Gate& gate, std::uint32_t number,
                                  int pe) = 0;
    // Drives progress until `is_done(state)`, as the waits inside this transport do.
    virtual void drive_until(bool (*is_done)(void*), void* state) = 0;
    // Whether PE `pe` has the static data of this PE's program.
    virtual bool runs_my_program(int pe) = 0;
    // This PE's EndpointInfo: other PEs reach it with these bytes.
    virtual std::vector<std::byte> endpoint_info() const = 0;
    // From here on the EndpointInfos of all PEs are known, and this PE serves the other PEs.
    virtual void start() = 0;
    // The fabric's own thread calls FabricSetup::background soon, and completes what that posts,
    // however lately the program has driven progress. Nothing without a thread. RETURNS: at once.
    virtual void wake_thread() {}
    // Whether an operation to `pe` on another context could arrive earlier than operations that are
    // in front of a fence of this one.
    virtual bool is_behind_fence(TransportContext& /*context*/, int /*pe*/) { return true; }
    // From here on the other PEs may disconnect. REQUIRES: all operations are complete.
    virtual void leave() = 0;
    // Lets PEs of other nodes read and write memory of the program by the key, as far as the fabric
    // needs one. Ends the job where the network refuses. THREADS: any. REQUIRES: bytes > 0.
    struct Region {
        void* handle = nullptr;
        std::uint64_t key = 0;
        std::uint64_t base = 0;  // address of the first byte in the fabric
    };
    virtual Region register_memory(void* /*start*/, std::size_t /*bytes*/) { return {}; }
    // REQUIRES: no PE uses it any more.
    virtual void unregister_memory(const Region& /*region*/) {}
    // One line for SHMEM_INFO.
    virtual std::string description() const = 0;
    // The network that it runs on, as osh_tune names it in a profile: libfabric's provider, for
    // one.
    virtual const std::string& provider() const = 0;
    // Puts `data` to `dest`, which is a symmetric address in the internal segment, and posts behind
    // it as post_gate_behind() does. RETURNS when: the data is reusable.
    struct PutWithGates {
        void* dest = nullptr;
        const void* data = nullptr;
        std::size_t bytes = 0;
        const Gate* gate = nullptr;
        std::uint32_t number = 0;
        const Gate* other_gate = nullptr;  // nullptr: only one
        std::uint32_t other_number = 0;
    };
    virtual void put_with_gates(TransportContext& context, const PutWithGates& what, int pe) {
        if (what.bytes > 0) put(context, what.dest, what.data, what.bytes, pe);
        post_gate_behind(context, *what.gate, what.number, pe);
        if (what.other_gate != nullptr) post_gate(*what.other_gate, what.other_number, pe);
    }
    // WaitEnvironment::arrivals.
    virtual const std::atomic<std::uint32_t>* arrivals() const { return nullptr; }
};

// The settings of a PE, which must be the same on all PEs, and its program, which must be the same
// on PEs that touch each other's static data.
struct Fingerprint {
    std::uint64_t settings_digest = 0;
    SettingMarks setting_marks{};
    std::uint64_t program_digest = 0;
};

// The set-up that core gives to any fabric.
struct FabricSetup {
    int pe = 0;
    int npes = 1;
    int index_on_host = 0;    // among the PEs of the host: spreads them over equal network cards
    bool is_one_host = true;  // all PEs of the job are on this host
    FabricSegments segments;
    // A word of the internal segment that no PE writes to: the target of reads behind writes.
    const std::uint64_t* confirmation_word = nullptr;
    // Not nullptr: atomics on static data take this lock (transports/self).
    std::atomic<std::uint32_t>* static_lock = nullptr;
    // Elements that are no words change under it (base/elements.hpp).
    std::atomic<std::uint32_t>* element_lock = nullptr;
    Sleeper* sleeper = nullptr;  // woken when a message has changed a word
    // Work that goes on while the program computes (progress/background.hpp). The fabric's own
    // thread calls it after it has handled messages, and now and then. It does not wait.
    void (*background)() = nullptr;
    // The fabric's thread calls it first.
    void (*prepare_thread)() = nullptr;
    Fingerprint fingerprint;
    // Says how the settings of this PE differ from those with these marks on `pe`.
    std::string (*difference)(const SettingMarks& theirs, int pe) = nullptr;
    std::string address;              // this host's towards the launcher; "": unknown
    bool provider_atomics = false;    // SHMEM_AMO_PATH=fabric
    bool has_progress_thread = true;  // SHMEM_PROGRESS
    std::uint32_t timeout_s = 0;      // SHMEM_NETWORK_TIMEOUT; 0: for ever
    bool is_oversubscribed = false;   // more PEs than cores
    // A table of kEndpointSlotBytes per PE, zero at first, that the PEs of the node share.
    char* endpoint_table = nullptr;
    // The EndpointInfo of a PE as the launcher has it. `looks_up_late`: PEs that this PE does not
    // address may not have one yet.
    std::function<std::vector<std::byte>(int pe)> endpoint_info_of;
    bool looks_up_late = false;
    // The value of a row of fabric_settings.hpp; nullptr: all have their initial one.
    std::function<std::string(std::string_view name)> values;

    std::string setting(std::string_view name) const;
    // Ends the job, with the difference, unless PE `whose` has the settings of this one.
    void check_settings(const Fingerprint& theirs, int whose) const;
};

// The network that a fabric would take on this host.
struct FabricOutlook {
    std::string text;     // one line
    std::string address;  // this host's IPv4 address there, or else towards the other hosts
};

struct FabricEntry {
    std::string_view name;  // in SHMEM_FABRIC
    // Whether auto may take it for this job. COST: no more than a look at the setup.
    bool (*probe)(const FabricSetup& setup);
    // Ends the job, with an explanation, where it cannot be used.
    std::unique_ptr<FabricTransport> (*make)(FabricSetup setup);
    // For osh_info, which is no PE: as make(), but opens nothing.
    FabricOutlook (*look)(const FabricSetup& setup);
};

// Makes the fabric with this name, or, for "auto", the first of fabric_list.hpp whose probe()
// agrees.
std::unique_ptr<FabricTransport> make_fabric(std::string_view name, FabricSetup setup);
// The network that it would take.
FabricOutlook look_at_fabric(std::string_view name, const FabricSetup& setup);

}  // namespace tessera
