# SPDX-License-Identifier: BSD-3-Clause
#
# Standard headers that most sources include, compiled once for many targets: a third of the time
# that a small source takes. A precompiled header hides a missing #include, so only the presets
# whose builds have to be quick set TESSERA_PRECOMPILE; the sanitizer presets, which .ci/run builds
# as well, find the missing ones.
option(TESSERA_PRECOMPILE "Compile the standard headers only once" OFF)

# The first target compiles the headers; the others, which have the same options, use the result.
#   tessera_precompile(HEADERS <vector> <string> TARGETS tessera_base tessera_heap)
function(tessera_precompile)
    cmake_parse_arguments(arg "" "" "HEADERS;TARGETS" ${ARGN})
    if(NOT TESSERA_PRECOMPILE)
        return()
    endif()
    list(POP_FRONT arg_TARGETS first)
    get_target_property(is_done ${first} PRECOMPILE_HEADERS)
    if(NOT is_done)
        target_precompile_headers(${first} PRIVATE ${arg_HEADERS})
    endif()
    foreach(target IN LISTS arg_TARGETS)
        target_precompile_headers(${target} REUSE_FROM ${first})
    endforeach()
endfunction()

set(TESSERA_COMMON_HEADERS <algorithm> <array> <atomic> <cerrno> <cstdint> <cstdio> <cstdlib>
                           <cstring> <functional> <map> <memory> <mutex> <optional> <set>
                           <shared_mutex> <span> <string> <string_view> <utility> <variant>
                           <vector>)
