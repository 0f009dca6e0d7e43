# SPDX-License-Identifier: BSD-3-Clause
#
# Compiler options of every target, in one interface library.
add_library(tessera_options INTERFACE)
target_compile_options(tessera_options INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
    # Calls inside the library are direct; calls of libc skip the PLT.
    -fno-semantic-interposition -fno-plt)
# Messages name source files as they are called in the repository, wherever it was cloned.
target_compile_options(tessera_options INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(TESSERA_SANITIZE)
    target_compile_options(tessera_options INTERFACE
        -fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(tessera_options INTERFACE -fsanitize=${TESSERA_SANITIZE})
    if(TESSERA_SANITIZE MATCHES undefined)
        target_compile_options(tessera_options INTERFACE -fno-sanitize-recover=undefined)
    endif()
    if(TESSERA_SANITIZE MATCHES thread)
        # Fences between processes are not what TSan checks (tests/README.md).
        target_compile_options(tessera_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
    endif()
endif()
if(TESSERA_FUZZ)
    target_compile_options(tessera_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TESSERA_SIM)
    # Each copy of a program has variables of its own, also those of inline functions.
    target_compile_definitions(tessera_options INTERFACE TESSERA_SIM)
    target_compile_options(tessera_options INTERFACE -fno-gnu-unique)
    if(NOT TESSERA_SCALE)
        # The compiler tells every access, but the simulator is what it tells
        # (tests/sim/accesses.cpp).
        target_compile_options(tessera_options INTERFACE
            -fsanitize=thread --param=tsan-instrument-func-entry-exit=0 -Wno-tsan)
    endif()
endif()

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${TESSERA_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TESSERA_CCACHE})
endif()
