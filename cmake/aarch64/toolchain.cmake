# SPDX-License-Identifier: BSD-3-Clause
#
# Toolchain of the preset aarch64: Debian's cross compiler, and the libraries that ./sysroot has
# unpacked. ./run runs what it makes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(TESSERA_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-sysroot CACHE PATH
    "Files of packages for arm64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TESSERA_SYSROOT)
set(CMAKE_SYSROOT ${TESSERA_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
