// SPDX-License-Identifier: BSD-3-Clause
//
// See record.hpp.
#include "tools/check/record.hpp"

#include <cstdio>
#include <cstring>
#include <string_view>

#include "tools/check/places.hpp"
#include "tools/check/report.hpp"

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Kind;

constexpr std::int64_t kAny = -1;

bool has(const Call& call, std::string_view part) {
    return std::string_view(call.routine).find(part) != std::string_view::npos;
}

// Collectives of shmemx.h take local addresses, and counts that may differ.
bool is_extension(const Call& call) {
    return std::string_view(call.routine).substr(0, 7) == "shmemx_";
}

// The same number on all PEs for the same symmetric object.
std::int64_t object_number(const void* address) {
    if (address == nullptr || pshmem_addr_accessible(address, pshmem_my_pe()) == 0) return kAny;
    return static_cast<std::int64_t>(pshmemx_gptr_of(address, 0));
}

void set_data(const Call& call, Record& record) {
    record.element_bytes = static_cast<std::int64_t>(call.element_bytes);
    const bool counts_differ = has(call, "_collect") || has(call, "gatherv") ||
                               has(call, "scatterv") || has(call, "alltoallv");
    if (!counts_differ) record.count = static_cast<std::int64_t>(call.count);
    record.root = call.root;
    record.dst = call.dst;
    record.sst = call.sst;
    if (is_extension(call)) return;
    record.dest = object_number(call.dest);
    record.source = object_number(call.source);
}

bool waits_for_all(const Call& call) {
    switch (call.kind) {
        case Kind::kCollective:
            // Those without elements need not wait.
            return !call.is_nbi && call.count > 0 && !has(call, "broadcast") && !has(call, "scan");
        case Kind::kBarrier: return !call.is_nbi;
        case Kind::kSync:
        case Kind::kFree: return true;
        case Kind::kAllocate: return (call.options & SHMEMX_MALLOC_NO_BARRIER) == 0;
        case Kind::kFinalize: return true;
        default: return false;
    }
}

template <std::size_t kBytes>
void copy_text(char (&into)[kBytes], const std::string& text) {
    std::snprintf(into, kBytes, "%s", text.c_str());
}

}  // namespace

Record record_of(const Call& call, const Group& group) {
    Record record;
    std::memset(&record, 0, sizeof record);
    record.key = group.key;
    record.number = group.count;
    record.pe = my_pe();
    record.waits = waits_for_all(call);
    copy_text(record.routine, call.routine);
    copy_text(record.place, place_of(call.site));
    record.count = record.element_bytes = record.root = record.dst = record.sst = kAny;
    record.dest = record.source = record.sync = record.work = kAny;
    record.size = record.alignment = kAny;
    if (call.kind == Kind::kCollective) set_data(call, record);
    if (call.kind == Kind::kAllocate || call.kind == Kind::kReallocate) {
        record.size = static_cast<std::int64_t>(call.size);
        record.alignment = static_cast<std::int64_t>(call.alignment);
    }
    if (call.kind == Kind::kFree || call.kind == Kind::kReallocate)
        record.dest = object_number(call.dest);
    if (call.kind == Kind::kTeamCreate && !has(call, "color")) {
        for (int i = 0; i < 3; ++i) record.arguments[i] = call.arguments[i];
    }
    record.sync = object_number(call.sync);
    record.work = object_number(call.work);
    return record;
}

std::string text_of(const Record& record) {
    return std::string(record.routine) + " at " + record.place;
}

std::string difference(const Record& mine, const Record& other) {
    if (std::strcmp(mine.routine, other.routine) != 0) return "the routines differ";
    std::string text;
    const auto compare = [&](const char* name, std::int64_t here, std::int64_t there,
                             bool is_address = false) {
        if (here == there) return;
        text += text.empty() ? "" : "; ";
        if (is_address) {
            text += std::string(name) + " is another object than on PE " + std::to_string(other.pe);
        } else {
            text += std::string(name) + " is " + std::to_string(here) + ", on PE " +
                    std::to_string(other.pe) + " it is " + std::to_string(there);
        }
    };
    compare("the number of elements", mine.count, other.count);
    compare("the size of an element", mine.element_bytes, other.element_bytes);
    compare("the root", mine.root, other.root);
    compare("dst", mine.dst, other.dst);
    compare("sst", mine.sst, other.sst);
    compare("the size", mine.size, other.size);
    compare("the alignment", mine.alignment, other.alignment);
    compare("dest", mine.dest, other.dest, true);
    compare("source", mine.source, other.source, true);
    compare("pSync", mine.sync, other.sync, true);
    compare("pWrk", mine.work, other.work, true);
    for (int i = 0; i < 3; ++i) compare("an argument", mine.arguments[i], other.arguments[i]);
    return text;
}

}  // namespace tessera::check
