// SPDX-License-Identifier: BSD-3-Clause
//
// See waiting.hpp.
#include "waiting.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/clock.hpp"
#include "pshmemx.h"

namespace tessera::trace {
namespace {

using interpose::Call;
using interpose::Kind;

constinit WaitingPe no_pe{};
WaitingPe* pes = nullptr;
int me = -1;
// Whether a thread of this PE has its place: that thread's has_place is true.
std::atomic_flag is_taken;
thread_local bool has_place = false;
thread_local std::uint64_t waited_word = 0;

// A global pointer to the byte, or 0 if the PE has none such.
std::uint64_t pointer_to(const void* address, int pe) {
    if (address == nullptr || pshmem_addr_accessible(address, pe) == 0) return 0;
    return pshmemx_gptr_of(address, pe);
}

std::uint64_t load(const void* from, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, std::min(bytes, sizeof value));
    return value;
}

// The index of the word that ended the wait; `count` if it is not known.
std::size_t found_word(const Call& call) {
    if (call.comparison.indices != nullptr)
        return call.result > 0 ? call.comparison.indices[0] : call.count;
    const bool is_any = std::string_view(call.routine).find("_any") != std::string_view::npos;
    return is_any ? std::min<std::size_t>(call.result, call.count) : call.count;
}

// Bytes that a call changes, and where they come from; nullptr: that is not known.
struct Change {
    const void* dest;
    std::size_t bytes;
    const void* source;
};

Change signal_of(const Call& call) {
    const bool is_set = call.signal.operation == SHMEM_SIGNAL_SET;
    return {.dest = call.signal.word,
            .bytes = sizeof *call.signal.word,
            .source = is_set ? &call.signal.value : nullptr};
}

Change change_of(const Call& call) {
    const bool is_plain = call.section.extents == nullptr && call.blocks.dest == nullptr;
    if (!is_plain || call.count == 0) return {.dest = nullptr, .bytes = 0, .source = nullptr};
    if (call.kind == Kind::kPut && (call.dst != 1 || call.block != 1)) {
        const auto step = static_cast<std::size_t>(std::max<ptrdiff_t>(call.dst, 1));
        return {.dest = call.dest,
                .bytes = ((call.count - 1) * step + call.block) * call.element_bytes,
                .source = nullptr};
    }
    const bool is_known = call.kind == Kind::kPut ||
                          call.operation == interpose::AtomicOperation::kSet ||
                          call.operation == interpose::AtomicOperation::kSwap;
    const void* source = call.source != nullptr ? call.source : &call.value;
    return {.dest = call.dest,
            .bytes = call.count * call.element_bytes,
            .source = is_known ? source : nullptr};
}

// Whether the change meets the words from `first` to `end`.
bool meets(const Change& change, const WaitingPe& waiting, Release& release) {
    const std::uint64_t begin = pointer_to(change.dest, release.peer);
    release.word = std::max(begin, waiting.first.load(std::memory_order_relaxed));
    const std::uint64_t end =
        std::min(begin + change.bytes, waiting.end.load(std::memory_order_relaxed));
    if (begin == 0 || release.word >= end) return false;
    release.bytes = end - release.word;
    const bool is_word = release.bytes == waiting.word_bytes.load(std::memory_order_relaxed);
    if (change.source != nullptr && is_word) {
        const auto* source = static_cast<const char*>(change.source) + (release.word - begin);
        release.value = load(source, release.bytes);
        release.has_value = 1;
    }
    return true;
}

}  // namespace

// The name ends as those of parts do, which oshrun removes before a job.
void open_waiting(const std::string& directory, int pe, int npes) {
    if (pes != nullptr) return;
    char host[HOST_NAME_MAX + 1] = "";
    ::gethostname(host, sizeof host - 1);
    const std::string path = directory + "/" + host + ".waiting.part";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return;
    const auto bytes = static_cast<std::size_t>(npes) * sizeof(WaitingPe);
    const bool has_room = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes)) == 0;
    void* memory =
        has_room ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    ::close(fd);
    if (memory == MAP_FAILED) return;
    me = pe;
    pes = static_cast<WaitingPe*>(memory);
    // A job before may have left it. Pairs with tools/trace/waiting.cpp:find_release.
    pes[me].since_ns.store(0, std::memory_order_release);
}

const WaitingPe* waiting_pe(int pe) { return pes != nullptr && pe >= 0 ? &pes[pe] : &no_pe; }

void begin_wait(const Call& call) {
    waited_word = pes == nullptr || call.count == 0 ? 0 : pointer_to(call.source, me);
    // Another thread of this PE may wait: its words stay there. Pairs with
    // tools/trace/waiting.cpp:end_wait.
    if (waited_word == 0 || is_taken.test_and_set(std::memory_order_acquire)) return;
    has_place = true;
    WaitingPe& place = pes[me];
    place.first.store(waited_word, std::memory_order_relaxed);
    place.end.store(waited_word + call.count * call.element_bytes, std::memory_order_relaxed);
    place.word_bytes.store(call.element_bytes, std::memory_order_relaxed);
    // Pairs with tools/trace/waiting.cpp:find_release.
    place.since_ns.store(now_ns(), std::memory_order_release);
}

Words end_wait(const Call& call) {
    if (has_place) {
        // Pairs with tools/trace/waiting.cpp:find_release and tools/trace/waiting.cpp:begin_wait.
        pes[me].since_ns.store(0, std::memory_order_release);
        is_taken.clear(std::memory_order_release);
        has_place = false;
    }
    Words words{.first = waited_word, .bytes = call.count * call.element_bytes};
    if (waited_word == 0) return words;
    const std::size_t found = call.count == 1 ? 0 : found_word(call);
    if (found < call.count) {
        words.first += found * call.element_bytes;
        words.bytes = call.element_bytes;
    } else if (call.comparison.has_many_values) {
        return words;
    }
    const std::size_t index = call.comparison.has_many_values ? found : 0;
    const auto* values = static_cast<const char*>(call.comparison.values);
    words.value = load(values + index * call.element_bytes, call.element_bytes);
    words.comparison = static_cast<std::uint16_t>(call.comparison.cmp +
                                                  256 * static_cast<int>(call.element_bytes));
    return words;
}

bool find_release(const Call& call, Release& release) {
    if (call.pe < 0 || !interpose::is_write(call.column)) return false;
    const WaitingPe& waiting = *waiting_pe(call.pe);
    // Pairs with tools/trace/waiting.cpp:begin_wait.
    const std::uint64_t since_ns = waiting.since_ns.load(std::memory_order_acquire);
    if (since_ns == 0) return false;
    release = {};
    release.peer = call.pe;
    release.operation = static_cast<std::uint16_t>(call.column);
    const bool is_met = (call.signal.word != nullptr && meets(signal_of(call), waiting, release)) ||
                        meets(change_of(call), waiting, release);
    release.waited_ns = now_ns() - since_ns;
    release.site = reinterpret_cast<std::uintptr_t>(call.site);
    return is_met;
}

}  // namespace tessera::trace
