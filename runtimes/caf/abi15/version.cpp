// SPDX-License-Identifier: BSD-3-Clause
//
// The form that GCC 15 has of two calls which differ between 15 and 16: allocated(x) where x has no
// descriptor (accessors.hpp), and y[j] = x[i].

#include "abi15/access.hpp"
#include "abi15/accessors.hpp"

namespace tessera::caf {

void* checked_scalar(void*& memory) { return memory; }

// The declaration in GCC 15 has six arguments behind is_scalar. The compiler passes four, as 15.3
// does: it drops the team of the source, and source_stat stands last.
CAF_ENTRY void _gfortran_caf_transfer_between_remotes(
    caf_token_t dest_token, Descriptor* dest_descriptor, std::size_t* dest_length,
    const int dest_image, const int dest_accessor, void* dest_add_data,
    const std::size_t dest_add_bytes, caf_token_t source_token, const Descriptor* source_descriptor,
    const std::size_t* source_length, const int source_image, const int source_accessor,
    void* source_add_data, const std::size_t source_add_bytes, const std::size_t source_bytes,
    const bool is_scalar, int* dest_stat, caf_team_t* dest_team, int* dest_team_number,
    int* source_stat) {
    transfer_between({dest_token, dest_descriptor, dest_length, dest_image, dest_accessor,
                      dest_add_data, dest_add_bytes, dest_stat, dest_team, dest_team_number},
                     {source_token, source_descriptor, source_length, source_image, source_accessor,
                      source_add_data, source_add_bytes, source_stat, nullptr, nullptr},
                     source_bytes, is_scalar);
}

}  // namespace tessera::caf
