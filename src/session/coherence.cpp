// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the copies of a non-coherent heap (SHMEM_HEAP) and the transport to them: see session.hpp,
// coherence.hpp.
#include "session/coherence.hpp"

#include <memory>
#include <vector>

#include "base/fatal.hpp"
#include "memory/local_memory.hpp"
#include "progress/background.hpp"
#include "session/public_file.hpp"
#include "session/session.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

// The heap's parts. Nothing lies behind what their allocators have handed out.
std::vector<noncoherent::UsedPart> parts_of_heap(const heap::MemoryRange& range) {
    return {{.begin = 0,
             .end = [] { return session->allocator ? session->allocator->highest_end() : 0; }},
            {.begin = range.team_begin(),
             .end = [] { return session->team_memory ? session->team_memory->highest_end() : 0; }},
            {.begin = range.local_begin(), .end = local_memory_end}};
}

// The public copies of one PE's memory.
struct PublicCopies {
    char* heap = nullptr;
    char* statics = nullptr;  // nullptr: that PE runs another program
    noncoherent::BakeryLine* lines = nullptr;
};

// In the node file: the marks of the PE's heap, and behind them those of its static data.
char* marks_of(int local_index) {
    const std::size_t heap_bytes = session->node->header().range.bytes();
    const std::size_t bytes = noncoherent::page_marks_bytes(heap_bytes) +
                              noncoherent::page_marks_bytes(heap::static_data().bytes);
    return session->node->map_page_marks(local_index, bytes);
}

// In the files of the node.
std::vector<PublicCopies> copies_on_node() {
    std::vector<PublicCopies> copies;
    for (int i = 0; i < session->job.nlocal; ++i) {
        copies.push_back(
            {.heap = session->node->heap(i), .statics = session->node->map_static_copy(i)});
    }
    return copies;
}

// RETURNS when: every PE has emptied its part of the file.
std::vector<PublicCopies> copies_in_file(const char* where) {
    const PublicFileFacts agreed = agree_on_public_file(where);
    const launch::Job& job = session->job;
    const heap::PeRecord& mine = session->node->my_record();
    session->public_file = std::make_unique<PublicFile>(PublicFile::Setup{
        .path = config().heap.path,
        .pe = job.pe,
        .npes = job.npes,
        .nodes = job.nnodes,
        .range_bytes = session->node->header().range.bytes(),
        .static_bytes_max = agreed.static_bytes_max,
        .asked_bytes =
            config().symmetric_size + config().team_memory_size + config().local_memory_size,
        .mine = {.magic = kPublicMagic,
                 .job = agreed.job,
                 .program = mine.program_digest,
                 .static_bytes = mine.static_bytes,
                 .pulse = 0,
                 .npes = 0,
                 .part_bytes = 0}});
    meet_all(where);
    const PublicFile& file = *session->public_file;
    file.check_parts();
    std::vector<PublicCopies> copies;
    for (int pe = 0; pe < job.npes; ++pe) {
        copies.push_back(
            {.heap = file.heap(pe), .statics = file.statics(pe), .lines = file.lines(pe)});
    }
    return copies;
}

// The tables of PE `pe`.
void add_stamps(noncoherent::Setup& setup, int pe, bool is_on_node) {
    noncoherent::StampTables of_heap;
    noncoherent::StampTables of_statics;
    if (!is_on_node) {
        const std::size_t behind_heap = noncoherent::page_stamps_bytes(setup.heap.bytes);
        char* const there = session->public_file->stamps(pe, setup.pe);
        char* const here = session->public_file->stamps(setup.pe, pe);
        of_heap = {.there = there, .here = here};
        of_statics = {.there = there + behind_heap, .here = here + behind_heap};
    }
    setup.heap.stamps.push_back(of_heap);
    setup.statics.stamps.push_back(of_statics);
}

noncoherent::Setup describe_copies(const std::vector<PublicCopies>& copies) {
    const Node& node = *session->node;
    const launch::Job& job = session->job;
    const heap::StaticData& statics = heap::static_data();
    const noncoherent::Access access =
        session->public_file ? session->public_file->access() : noncoherent::Access::kCoherent;
    noncoherent::Setup setup{
        .pe = job.pe,
        .node = job.node,
        .nodes = job.nnodes,
        .neighbours = {},
        .heap = {.own = node.own_heap(),
                 .bytes = node.header().range.bytes(),
                 .pe = job.pe,
                 .publics = {},
                 .parts = parts_of_heap(node.header().range),
                 .marks = {},
                 .stamps = {},
                 .access = access},
        .statics = {.own = reinterpret_cast<char*>(statics.base),
                    .bytes = statics.bytes,
                    .pe = job.pe,
                    .publics = {},
                    .parts = {{.begin = 0, .end = [bytes = statics.bytes] { return bytes; }}},
                    .marks = {},
                    .stamps = {},
                    .access = access},
        .seed = config().eviction_seed.value,
        .show_life = {}};
    if (PublicFile* file = session->public_file.get(); file != nullptr)
        setup.show_life = [file](const char* where) { file->show_life(where); };
    for (int pe = 0, local_index = 0; pe < job.npes; ++pe) {
        const PublicCopies& theirs = copies[static_cast<std::size_t>(pe)];
        setup.heap.publics.push_back(theirs.heap);
        setup.statics.publics.push_back(theirs.statics);
        const bool is_on_node = is_on_this_node(pe);
        // For each PE of the job, the PEs of this node have a lock in common; some have the same.
        InternalSegment& owner = is_on_node ? node.internal_of(pe) : node.internal(pe % job.nlocal);
        setup.neighbours.push_back({.sleeper = is_on_node ? &owner.sleeper : nullptr,
                                    .lock = &owner.static_lock,
                                    .lines = theirs.lines});
        // Coherent memory is common to the PEs of a node.
        char* const marks = is_on_node ? marks_of(local_index++) : nullptr;
        setup.heap.marks.push_back(marks);
        setup.statics.marks.push_back(
            marks != nullptr ? marks + noncoherent::page_marks_bytes(setup.heap.bytes) : nullptr);
        if (job.nnodes > 1) add_stamps(setup, pe, is_on_node);
    }
    return setup;
}

}  // namespace

void make_copies(const char* where) {
    const HeapMode& mode = config().heap;
    if (mode.is_coherent()) return;
    const std::vector<PublicCopies> copies =
        mode.kind == HeapKind::kFile ? copies_in_file(where) : copies_on_node();
    session->coherence = noncoherent::make_transport(describe_copies(copies));
    if (!session->coherence)
        fatal("%s: out of address space for copies of the symmetric heap", where);
    std::vector<char*> heaps;
    for (const PublicCopies& copy : copies) heaps.push_back(copy.heap);
    session->node->use_copies(*session->coherence, heaps);
    // A PE that went on would put to static data that its owner has yet to publish. The PEs of one
    // node meet anyway.
    if (session->fabric) meet_all(where);
}

void drive_coherence() {
    address_map.coherence->progress();
    if (address_map.fabric != nullptr) address_map.fabric->progress();
    advance_background();
}

}  // namespace tessera
