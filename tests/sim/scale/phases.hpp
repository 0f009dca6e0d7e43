// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of the program to the simulation of large jobs.
#pragma once

extern "C" {

// All PEs call both, with what serves other PEs meanwhile.
void tessera_scale_begin(const char* name, void (*drive)());
void tessera_scale_end(void (*drive)());

// Before the program's constructors. `place`: in the program.
void tessera_scale_take_image(const void* place);
// Whether the descriptor is that of a node's file.
bool tessera_scale_is_node_file(int file);
// The program has allocated so many bytes, or freed them: `bytes` < 0.
void tessera_scale_allocated(long bytes);

// Tables of all PEs, of which each PE has some, and touches little (large_blocks.cpp).
enum { kTesseraScaleLargeBytes = 128 << 10 };
// RETURNS: a block of zeros.
void* tessera_scale_make_large(unsigned long bytes);
// RETURNS: the bytes from there to the end of its block; 0: no such block holds it.
unsigned long tessera_scale_large_bytes(const void* place);
void tessera_scale_free_large(void* block);
}
