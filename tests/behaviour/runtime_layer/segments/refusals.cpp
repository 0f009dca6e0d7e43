// SPDX-License-Identifier: BSD-3-Clause
//
// Linked into a program: from its start on the kernel refuses to copy between processes, as a
// container may (SEGMENTS_REFUSE_COPIES), or the query for a mapping, as kernels before 6.11 do
// (SEGMENTS_REFUSE_QUERIES).
#include "support/refused_calls.hpp"

namespace {

[[gnu::constructor]] void refuse() {
    if (std::getenv("SEGMENTS_REFUSE_COPIES") != nullptr) {
        tessera::test::refuse_call(SYS_process_vm_readv, EPERM);
        tessera::test::refuse_call(SYS_process_vm_writev, EPERM);
    }
    if (std::getenv("SEGMENTS_REFUSE_QUERIES") != nullptr) tessera::test::refuse_mapping_query();
}

}  // namespace
