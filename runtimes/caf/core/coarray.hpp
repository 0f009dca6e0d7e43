// SPDX-License-Identifier: BSD-3-Clause
//
// The memory behind a token of the compiler: coarrays, which the images of a team allocate together
// and which are symmetric for them, and components, which an image allocates for itself. Front ends
// make them in `register` and free them in `deregister`.
//
// THREADS: allocation and freeing of coarrays: one thread per image, as the standard demands of
// image control statements. Components: any.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::caf {

struct Team;

// The compiler's handle of a coarray or a component; points to a Coarray.
using caf_token_t = void*;

// Where the memory of a token lies.
enum class Memory : std::uint8_t {
    kStatic,  // allocated once by all images, never freed
    kTeam,    // allocated by the images of a team together, symmetric for them
    kLocal,   // local memory of this image (shmemx_local_malloc): a component; may be empty
    kMapped,  // memory of another coarray: `change team (t, y[*] => x)`
};

// Bytes of an element of a lock or critical coarray, and of an event coarray. All start as 0.
inline constexpr std::size_t kLockBytes = 16;
inline constexpr std::size_t kEventBytes = 8;

// Bounds of an allocatable coarray, which all images of its team share: for chains of references,
// whose first link subscripts the coarray itself.
struct Bounds {
    int rank = 0;
    std::ptrdiff_t lower[15];
    std::size_t extent[15];
    std::ptrdiff_t stride_bytes[15];
};

// The object that a token names.
struct Coarray {
    // This image's own part: the symmetric address. NULL: a component that is not allocated.
    void* base = nullptr;
    std::size_t bytes = 0;
    // Bytes from the start of the memory to `base`: 0, or where a mapped coarray begins.
    std::size_t shift = 0;
    Memory memory = Memory::kLocal;
    // The lock of a critical construct: one for the images of all teams.
    bool is_critical = false;
    // The team whose images have allocated it; NULL for components.
    Team* team = nullptr;
    // Set by the front end as soon as it knows them; NULL: none.
    Bounds* bounds = nullptr;
    // The variable of an allocatable coarray: where it keeps its token and its address. Set by the
    // front end; NULL: not known.
    caf_token_t* variable_token = nullptr;
    void** variable_base = nullptr;
    // The part of each image of the team, as this image loads it; NULL: on another node. No table
    // before map_parts(). Only atomic accesses: release and acquire order its contents.
    std::byte* const* parts = nullptr;
};

// Notes where the parts of a coarray are mapped, for accesses that come again. Of large teams it
// notes nothing.
void map_parts(Coarray& coarray);

// The block before the base of a coarray on each image, so that other images see it as well.
struct alignas(64) CoarrayHeader {
    // Not 0 when this image's part has had a component with memory of its own.
    std::uint64_t has_components;
};
inline CoarrayHeader* header_of(const void* base) {
    return static_cast<CoarrayHeader*>(const_cast<void*>(base)) - 1;
}

// Notes in its header that a coarray has components; the token of one lies at `address`.
void note_component_at(const void* address);

// Whether a symmetric address lies in a coarray of this image, or is the base of one.
bool is_in_coarray(const void* address);

// Whether a token is that of a coarray (not of a component) that is allocated. The token may be
// anything.
bool is_live_coarray(caf_token_t token);

// The coarray of a token. A NULL token ends the job with a message that names the routine.
[[noreturn]] void stop_without_token(const char* routine);
inline Coarray* from_token(caf_token_t token, const char* routine) {
    if (token == nullptr) [[unlikely]]
        stop_without_token(routine);
    return static_cast<Coarray*>(token);
}

// A byte of a coarray on every image of its team.
inline std::byte* at_offset(const Coarray& coarray, std::size_t offset) {
    return static_cast<std::byte*>(coarray.base) + offset;
}

// Allocates a coarray. Collective over the team (of a static coarray: the initial team).
// RETURNS when: the memory may be used on all images; NULL on all when there is no room. Bytes of
// 0 give a coarray whose base is a valid address. is_zeroed: the memory is 0 on all images.
Coarray* allocate(Team& team, std::size_t bytes, Memory memory, bool is_zeroed);

// Makes a coarray of a team out of a part of another one, which has to live longer. Local.
// base: where the part begins. RETURNS: NULL if that lies outside of the other one.
Coarray* map_existing(Team& team, const Coarray& existing, void* base);

// Frees a coarray. Collective over its team: completes this image's accesses and synchronizes
// before the memory is free. Static ones stay, and so does the memory of mapped ones.
void free_coarray(Coarray* coarray);

// Frees what a team still owns, the newest first: end team. The variables are unallocated then
// (Fortran 2018, 9.7.3.2). Collective over the team.
void free_all_of(Team& team);

// Makes the token of a component, without memory. place: where the compiler keeps the token.
Coarray* make_component(const caf_token_t* place);

// The component that was made for a place last, if it has no memory; else NULL. The place itself
// is not read: gfortran 12 leaves tokens of elements of allocated coarrays undefined, and what was
// there before may be the token of another component.
Coarray* empty_component_at(const caf_token_t* place);

// Whether a token is one of make_component. Assignments of derived types copy tokens as bytes, so
// the compiler may pass a value that was never one.
bool is_component(caf_token_t token);

// Gives a component memory, of this image alone. RETURNS: false when there is no room.
bool allocate_component(Coarray& component, std::size_t bytes);

// Memory for a component that has no token. free_by_address() frees it. RETURNS: NULL when there
// is no room.
void* allocate_component_memory(std::size_t bytes);

// Frees the memory of a component, if it has any; the token stays.
void free_component_memory(Coarray& component);

// Frees a component with its memory.
void free_component(Coarray* component);

// Bytes of the component whose memory begins at an address; 0: none does.
std::size_t component_bytes_at(const void* address);

// free() and realloc() of memory of components: compilers call them at the end of a scope and in
// procedures that do not know that their argument is part of a coarray (free.cpp).
void free_by_address(void* address);
void* reallocate_by_address(void* address, std::size_t bytes);

}  // namespace tessera::caf
