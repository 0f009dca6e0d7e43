# SPDX-License-Identifier: BSD-3-Clause
#
# The dependencies, all of them from Debian: hwloc (library), PMIx (oshrun links it, the
# library loads it when a launcher needs it), libfabric (headers only: the library loads it when
# there are other nodes), CLI11 (tools), GoogleTest (tests). Optional: libdw of elfutils, by which
# diagnosis names source lines.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.9)
pkg_check_modules(PMIX REQUIRED IMPORTED_TARGET pmix>=4.2)
pkg_check_modules(LIBFABRIC REQUIRED libfabric>=1.15)
pkg_check_modules(LIBDW IMPORTED_TARGET libdw>=0.180)
find_package(CLI11 2.1 REQUIRED)
if(TESSERA_BUILD_TESTS)
    find_package(GTest 1.12 REQUIRED)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
