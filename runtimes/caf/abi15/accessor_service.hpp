// SPDX-License-Identifier: BSD-3-Clause
//
// Accessors that run in the image that owns the memory, by its thread (core/service.hpp). The
// thread starts when images exist on other nodes, or when its image allocates a component.
// _gfortran_caf_register_accessors_finish, which programs call in ELF constructors, makes the
// mailboxes.
//
// THREADS: any.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"

namespace tessera::caf {

enum class Task : std::int32_t { kGet, kPut, kIsPresent };

// A request: all that the owner needs. The bytes of add_data, then those of the source of a put,
// follow it in the message.
struct Request {
    Task task;
    std::int32_t hash;
    std::int32_t image;
    // Distance of the coarray from the mailbox, which both lie in memory that is symmetric.
    std::ptrdiff_t coarray;
    std::size_t add_bytes;
    std::size_t data_bytes;
    bool has_source_descriptor;
    bool has_dest_descriptor;
    bool has_source_length;
    bool has_dest_length;
    std::size_t source_length;
    std::size_t dest_length;
    Descriptor source_descriptor;
    Descriptor dest_descriptor;
};

// The answer of the owner; the bytes of the result of a get follow it.
struct Reply {
    bool is_present;
    std::size_t data_bytes;
    std::size_t dest_length;
    Descriptor dest_descriptor;
};

// Has the owner's thread execute a request. RETURNS when: it has; the reply and its data.
struct Answer {
    Reply reply;
    std::vector<std::byte> data;
};
Answer ask_owner(Request request, const void* add_data, const void* source, const Coarray& coarray,
                 int pe);

}  // namespace tessera::caf
