// SPDX-License-Identifier: BSD-3-Clause
//
// Texts about one PE and about sets of PEs (findings.hpp).
#include <algorithm>

#include "tools/osh_hang/findings.hpp"

namespace tessera::osh_hang {
namespace {

bool has_images = false;  // the program is one of coarrays: image i is PE i - 1

std::string at_place(const Snapshot& pe) { return pe.place.empty() ? "" : ", at " + pe.place; }

}  // namespace

std::string called_by(const Snapshot& pe) {
    if (pe.entry && pe.entry->caller.address == 0) return "";
    if (pe.entry) return ", called by " + call_sites::text_of(pe.entry->caller);
    return pe.place.empty() ? "" : ", called by " + pe.place;
}

void call_pes_images(bool are_images) { has_images = are_images; }

std::string name_of_pe(int pe) { return ranges({pe}); }

std::string ranges(std::vector<int> pes) {
    std::ranges::sort(pes);
    std::string text = has_images ? "image" : "PE";
    text += pes.size() == 1 ? " " : "s ";
    if (has_images) {
        for (int& pe : pes) ++pe;
    }
    for (std::size_t i = 0; i < pes.size();) {
        std::size_t last = i;
        while (last + 1 < pes.size() && pes[last + 1] == pes[last] + 1) ++last;
        if (i > 0) text += ", ";
        text += std::to_string(pes[i]);
        if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(pes[last]);
        i = last + 1;
    }
    return text;
}

std::string ordinal(std::uint64_t number) {
    const std::uint64_t tens = number % 100;
    const char* ending = "th";
    if (tens < 11 || tens > 13) {
        if (number % 10 == 1) ending = "st";
        if (number % 10 == 2) ending = "nd";
        if (number % 10 == 3) ending = "rd";
    }
    return std::to_string(number) + ending;
}

std::string activity(const Snapshot& pe) {
    if (!pe.ended.empty()) return "has " + pe.ended;
    if (pe.process.state == 'Z') return "has ended";
    std::string text;
    if (!pe.has_record && pe.entry) {
        text = "is in " + pe.entry->routine + called_by(pe);
    } else if (!pe.has_record || pe.state == heap::PeState::kNotStarted) {
        text = "has not called shmem_init" + at_place(pe);
    } else if (pe.state == heap::PeState::kStarting) {
        text = "is at the start of shmem_init" + called_by(pe);
    } else if (!pe.wait.routine.empty()) {
        text = "waits in " + pe.routine() + called_by(pe);
    } else if (pe.entry) {
        text = "is in " + pe.entry->routine + called_by(pe);
    } else if (pe.state == heap::PeState::kFinalized) {
        text = "has called shmem_finalize" + at_place(pe);
    } else {
        text = "is in no SHMEM routine" + at_place(pe);
    }
    if (pe.is_stopped()) text += "; a signal or a debugger has stopped it";
    return text;
}

}  // namespace tessera::osh_hang
