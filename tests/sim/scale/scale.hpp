// SPDX-License-Identifier: BSD-3-Clause
//
// The simulation of large jobs (docs/run/scaling.md). It has another world behind ../world.hpp than
// the search for bad orders has: no step is random, a PE runs until it waits, and all PEs share one
// copy of the program, whose variables the world changes when it goes from one PE to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sim::scale {

// ---- images.cpp: the variables of the PEs ----

// Called before any constructor of the program has run. `place`: in the program.
void take_first_image(const void* place);
// The variables become those of `pe`; a PE that is new has those of take_first_image().
void load_image(int pe);
// The PE has ended, and another one's image is loaded.
void drop_image(int pe);
// The constructors of the program, for the PE whose image is loaded.
void run_constructors(int argc, char** argv, char** environment);
// Bytes that PEs keep for themselves in variables: the sum over all PEs.
std::size_t image_bytes();

// ---- scale_network.cpp ----

// LogGP (Alexandrov et al. 1995), in nanoseconds, of a node's network card.
struct Network {
    std::uint64_t latency = 2500;   // L
    std::uint64_t overhead = 1500;  // o, of the PE that sends and of the one that receives
    std::uint64_t gap = 1000;       // g, between two letters of a node
    double gap_of_byte = 6;         // G
    std::uint64_t on_node = 100;    // from the store of a word to the end of another PE's wait
};
extern Network network;

struct Traffic {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t contacts = 0;  // PEs of other nodes that this one has sent to
};
void make_network(int npes, int nodes);
const Traffic& traffic_of(int pe);
// A letter has arrived for the PE.
void deliver(void* parcel);

// ---- scale_world.cpp ----

// The PE may go on with what has arrived.
void notice(int pe, std::uint64_t time);
void send_at(std::uint64_t time, void* parcel);
void charge(std::uint64_t ns);
struct Counts {
    std::uint64_t switches = 0;
    std::uint64_t events = 0;
    std::uint64_t timed_looks = 0;  // waits that went on by their time limit alone
};
extern Counts counts;
std::size_t stack_bytes();

// ---- scale_loading.cpp ----
void load_program(const std::string& program);
void make_files(std::size_t heap_bytes);
struct NodeBytes {
    std::size_t node_files = 0;
    std::size_t heap_files = 0;
};
NodeBytes node_bytes();

// ---- large_blocks.cpp ----
// The pages that exist of all large blocks together, as some of the blocks have them.
double touched_large_bytes();

// ---- phases.cpp ----
void print_phases();
// The steps of one phase, for another simulator to repeat: in lines "PE NODE STEP ID TO-NODE BYTES"
// S: a letter goes, R: it is executed; A: an answer goes, T: it is taken; P: a store ends another
// PE's wait, G: that wait ends; E: the PE ends the phase, but still serves others. An ID has two
// lines.
void trace_phase(const std::string& phase, const std::string& file);
std::uint64_t next_trace_id();
void trace(char step, std::uint64_t id, int to_node, std::size_t bytes);

}  // namespace sim::scale
