// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of osh_info --doctor, by file. doctor.cpp calls each of them once, in the order of its
// table. They change nothing on the machine; jobs that they start end within a time limit.
#pragma once

#include <cstdint>

#include "tools/osh_info/doctor/finding.hpp"

namespace tessera::osh_info {

// limits.cpp: limits that this process and its children have.
Findings check_open_files(const Subject& subject);
Findings check_processes(const Subject& subject);
Findings check_address_space(const Subject& subject);
Findings check_heap_address(const Subject& subject);
Findings check_file_size(const Subject& subject);
Findings check_locked_memory(const Subject& subject);
Findings check_memory(const Subject& subject);
Findings check_cores(const Subject& subject);
// The symmetric heap, team memory and local memory of one PE.
std::uint64_t range_bytes(const Subject& subject);

// system.cpp: rights and pages that the kernel grants, and folders of temporary files.
Findings check_huge_pages(const Subject& subject);
Findings check_shared_memory(const Subject& subject);
Findings check_left_files(const Subject& subject);
Findings check_temporary_folder(const Subject& subject);
Findings check_process_access(const Subject& subject);

// public_memory.cpp: the file or device of SHMEM_HEAP=noncoherent:PATH. No findings without it.
Findings check_public_memory(const Subject& subject);

// launchers.cpp: the programs that start PEs, and the libraries that PEs load.
Findings check_launchers(const Subject& subject);
Findings check_pmix_library(const Subject& subject);
Findings check_library_path(const Subject& subject);

// network.cpp: names, the interface of the fabric.
Findings check_host_name(const Subject& subject);
Findings check_hosts(const Subject& subject);
Findings check_fabric(const Subject& subject);

// trials.cpp: small jobs.
Findings check_start(const Subject& subject);
Findings check_start_on_nodes(const Subject& subject);
Findings check_connections(const Subject& subject);

}  // namespace tessera::osh_info
