// SPDX-License-Identifier: BSD-3-Clause
//
// Accessors of GCC 15 and later: the compiler makes a function of each expression with a coindexed
// object. It takes plain pointers, so it runs where those are valid: in the calling image if the
// memory is mapped and no pointers lie in it, else in the image that owns the memory
// (accessor_service.hpp).
//
// THREADS: registration by one thread, in ELF constructors; all others any.

#pragma once

#include <cstddef>
#include <cstdint>

#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"

namespace tessera::caf {

using Getter = void (*)(void* add_data, const int* image, void** buffer, std::int32_t* free_buffer,
                        void* source, caf_token_t token, std::size_t, std::size_t* dest_length,
                        const std::size_t* source_length);
using Receiver = void (*)(void* add_data, const int* image, void* dest, const void* source,
                          caf_token_t token, std::size_t, std::size_t* dest_length,
                          const std::size_t* source_length);
using Checker = void (*)(void* add_data, const int* image, std::int32_t* result, void* source,
                         caf_token_t token, std::size_t);
using Accessor = void (*)();

// Called once, when the executable has registered all.
void sort_accessors();

namespace detail {
struct Entry {
    int hash;
    Accessor accessor;
};
// The table of accessors. Registration sets it.
inline const Entry* entries = nullptr;
inline std::size_t entry_count = 0;
[[noreturn]] void stop_for_index(int index, const char* routine);
}  // namespace detail

// The accessor of an index of this executable. ERRORS: a number that is none ends the program.
inline Accessor accessor_at(int index, const char* routine) {
    if (static_cast<std::size_t>(index) >= detail::entry_count) [[unlikely]]
        detail::stop_for_index(index, routine);
    return detail::entries[index].accessor;
}

// The hash of the accessor, which is the same in all images.
int hash_at(int index, const char* routine);

// The index of a hash, -1: none.
int index_of(int hash);

// The arguments of an accessor beside the coarray: the values of the expression, and the image.
struct Arguments {
    int index = 0;
    int image = 0;
    void* add_data = nullptr;
    std::size_t add_bytes = 0;
};

// The token that an accessor gets: of add_data.
inline Coarray token_of(const Arguments& arguments) {
    Coarray token;
    token.base = arguments.add_data;
    token.bytes = arguments.add_bytes;
    return token;
}

// The result of a getter. data: contiguous; of a scalar also where `buffer` says.
struct Got {
    void* data = nullptr;
    std::size_t bytes = 0;
    // Whether the accessor has allocated the data by malloc.
    bool is_owned = false;
};

// Runs a getter. source: the owner's part, as the calling process sees it. source_descriptor: NULL
// for objects without; its base is set for the call. dest_descriptor: NULL for scalars, receives
// the bounds; its base is NULL, or memory that the getter may use. buffer: of a scalar, room for
// `bytes`.
Got run_getter(const Arguments& arguments, void* source, Descriptor* source_descriptor,
               Descriptor* dest_descriptor, void* buffer, std::size_t bytes,
               std::size_t* dest_length, const std::size_t* source_length);

// Runs a receiver. source: data, or, with a descriptor, nothing.
void run_receiver(const Arguments& arguments, void* dest, Descriptor* dest_descriptor,
                  const void* source, const Descriptor* source_descriptor, std::size_t* dest_length,
                  const std::size_t* source_length);

// The argument of a checker for an object without descriptor: of GCC 15 its memory
// (abi15/version.cpp), of GCC 16 the address of a pointer to it (abi16/version.cpp).
void* checked_scalar(void*& memory);

// Runs a check whether an object is allocated. source_descriptor: as run_getter().
bool run_checker(const Arguments& arguments, void* source, Descriptor* source_descriptor);

}  // namespace tessera::caf
