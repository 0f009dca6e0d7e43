// SPDX-License-Identifier: BSD-3-Clause
//
// Makes one system call fail, for this process and the programs it becomes, so that every refusal
// that the system may give can be tested.
//   memfd_create, fallocate, pwrite64   EPERM, EPERM, ENOSPC
//   mmap-shared          ENOMEM for every shared mapping
//   mmap-replace         ENOMEM for shared mappings at a fixed address
//   mmap-replace-large   ... of 256 KiB and more
//   mmap-replace-second  ... of 256 to 768 KiB: the second segment of refuse_test with
//                        -mcmodel=medium, when the first one has been replaced already
#pragma once

namespace static_test {

// Ends the process if `what` is not one of these or the filter cannot be installed.
void deny(const char* what);

}  // namespace static_test
