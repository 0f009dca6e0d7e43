// SPDX-License-Identifier: BSD-3-Clause
//
// Makes one system call fail, for this process and the programs it becomes, so that every refusal
// that the system may give can be tested.
//   memfd_create, fallocate, pwrite64   EPERM, EPERM, ENOSPC
//   mmap-shared         ENOMEM for every shared mapping
//   mmap-replace        ENOMEM for shared mappings at a fixed address
//   mmap-replace-large  ENOMEM for shared mappings at a fixed address of 256 KiB and more
#pragma once

namespace static_test {

// Ends the process if `what` is not one of these or the filter cannot be installed.
void deny(const char* what);

}  // namespace static_test
