// SPDX-License-Identifier: BSD-3-Clause
//
// Strided and indexed transfers of a context: checks the description, brings it into its normal
// form (base/section.hpp), and copies on mapped memory; a transport does the rest. src/api and
// collectives end here. THREADS: as the context's.
#pragma once

#include <span>

#include "base/block_pairs.hpp"
#include "base/section_copy.hpp"
#include "core/context.hpp"
#include "core/issue.hpp"
#include "progress/request.hpp"

namespace tessera {

// The arguments of the public routines (include/shmemx/strided.h).
struct StridedArguments {
    void* dest;
    const std::ptrdiff_t* dest_strides;
    const void* source;
    const std::ptrdiff_t* source_strides;
    const std::size_t* extents;
    int ndims;
    std::size_t element_bytes;
};
struct IndexedArguments {
    void* dest;
    std::span<const Block> dest_blocks;
    const void* source;
    std::span<const Block> source_blocks;
};

// RETURNS: the lowest address of the remote side, or nullptr: there is nothing to move.
const void* transfer(const Context& context, const StridedArguments& arguments, TransferForm form,
                     int pe, const char* where);
const void* transfer(const Context& context, const IndexedArguments& arguments, TransferForm form,
                     int pe, const char* where);

// A put, then the update of a signal on the same PE, in this order there.
template <class Arguments>
void put_with_signal(const Context& context, const Arguments& arguments, Returns returns,
                     const Signal& signal, int pe, const char* where);

}  // namespace tessera
