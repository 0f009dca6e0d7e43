// SPDX-License-Identifier: BSD-3-Clause
//
// Messages through shared memory, as the library below MPI sends them on Christgau's chip (RCKMPI:
// Christgau 2017, section 2.3.3): each PE has a section for each sender. A sender copies a packet
// in and counts it; the receiver polls all its sections, copies the packet out, acts by its kind,
// and counts it as received. Bytes to put travel in packets, too. The two-sided twin of programs
// that access memory directly, by epochs. Plain OpenSHMEM; one thread of each PE.
#pragma once

#include "bench/measure.h"

enum { kSectionBytes = 8192, kHeaderBytes = 32 };  // the paper's 8 KiB for two processes
enum packet_kind { PACKET_POST, PACKET_PUT, PACKET_FINAL };

struct Packet {
    long kind;
    long offset;  // PACKET_PUT: in the receiver's window
    long bytes;
    long unused;
    char data[kSectionBytes - kHeaderBytes];
};

struct Sections {
    struct Packet* inbox;  // symmetric, as the next two; by sender
    long* sent;            // packets that are here
    long* received;        // by receiver: packets of this PE that it has copied out
    char* window;          // where puts go, also private memory
    long* sent_to;         // packets of this PE, by receiver
    long* handled;         // by sender
    long* posts;           // by sender, not yet used
    long* bytes;           // by sender: put and not yet used
    long finals;           // not yet used
};

static struct Sections sections;

static void sections_make(char* window) {
    const size_t words = sizeof(long) * (size_t)npes;
    sections.inbox = allocate(64, sizeof(struct Packet) * (size_t)npes);
    sections.sent = allocate(64, words);
    sections.received = allocate(64, words);
    sections.window = window;
    sections.sent_to = calloc(4 * (size_t)npes, sizeof(long));
    if (!sections.sent_to) give_up("no memory for the counts of %d PEs", npes);
    sections.handled = sections.sent_to + npes;
    sections.posts = sections.handled + npes;
    sections.bytes = sections.posts + npes;
}

static void sections_free(void) {
    free(sections.sent_to);
    shmem_free(sections.received);
    shmem_free(sections.sent);
    shmem_free(sections.inbox);
}

static void handle_packet(int from) {
    const struct Packet* packet = &sections.inbox[from];
    if (packet->kind == PACKET_POST) ++sections.posts[from];
    if (packet->kind == PACKET_FINAL) ++sections.finals;
    if (packet->kind == PACKET_PUT) {
        memcpy(sections.window + packet->offset, packet->data, (size_t)packet->bytes);
        sections.bytes[from] += packet->bytes;
    }
    shmem_long_atomic_set(&sections.received[me], ++sections.handled[from], from);
}

// A poll after `polls` others. The machine may be busy.
static void let_others_run(long polls) {
    if (!pes_fit || polls > 1000) sched_yield();
}

// Handles what has come.
static void messages_progress(long polls) {
    for (int from = 0; from < npes; ++from) {
        if (shmem_long_test(&sections.sent[from], SHMEM_CMP_GT, sections.handled[from]))
            handle_packet(from);
    }
    let_others_run(polls);
}

static void send_packet(const struct Packet* packet, int to) {
    long polls = 0;
    while (!shmem_long_test(&sections.received[to], SHMEM_CMP_GE, sections.sent_to[to]))
        messages_progress(++polls);
    shmem_putmem(&sections.inbox[me], packet, kHeaderBytes + (size_t)packet->bytes, to);
    shmem_fence();
    shmem_long_atomic_set(&sections.sent[me], ++sections.sent_to[to], to);
}

static inline void send_short(enum packet_kind kind, int to) {
    static struct Packet packet;
    packet.kind = kind;
    send_packet(&packet, to);
}

// Puts from `source` into the window of `to`.
static inline void send_put(const char* source, size_t bytes, size_t offset, int to) {
    static struct Packet packet = {.kind = PACKET_PUT};
    for (size_t sent = 0; sent < bytes; sent += (size_t)packet.bytes) {
        const size_t rest = bytes - sent;
        packet.offset = (long)(offset + sent);
        packet.bytes = (long)(rest < sizeof packet.data ? rest : sizeof packet.data);
        memcpy(packet.data, source + sent, (size_t)packet.bytes);
        send_packet(&packet, to);
    }
}

static inline void messages_wait_for_post(int from) {
    for (long polls = 1; sections.posts[from] == 0; ++polls) messages_progress(polls);
    --sections.posts[from];
}

static inline void messages_wait_for_bytes(int from, long count) {
    for (long polls = 1; sections.bytes[from] < count; ++polls) messages_progress(polls);
    sections.bytes[from] -= count;
}

static inline void messages_wait_for_finals(long count) {
    for (long polls = 1; sections.finals < count; ++polls) messages_progress(polls);
    sections.finals -= count;
}
