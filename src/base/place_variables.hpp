// SPDX-License-Identifier: BSD-3-Clause
//
// The variables by which oshrun tells a program, or a script around it, which PE it is. The library
// itself does not read them: it has TESSERA_JOB (base/inherited.hpp).
#pragma once

#include <string_view>

namespace tessera {

// As shmem_my_pe() and shmem_n_pes() return; and the same among the PEs of the host.
inline constexpr std::string_view kVariablesOfPe[] = {"SHMEM_MY_PE", "SHMEM_N_PES",
                                                      "SHMEM_LOCAL_PE", "SHMEM_LOCAL_N_PES"};

}  // namespace tessera
