# SPDX-License-Identifier: BSD-3-Clause
#
# A build that is quick on two cores: standard headers that most sources include are compiled once
# for many targets, and the sources of a target in groups of eight, which share the headers and the
# instances of their templates. Both hide a missing #include and a name that two files define, so
# only the preset whose build has to be quick sets TESSERA_QUICK_BUILD, and .ci/run for those of the
# sanitizers. The presets dev, asan, tsan and clang compile each source by itself.
option(TESSERA_QUICK_BUILD "Compile standard headers only once, and sources in groups" OFF)

if(TESSERA_QUICK_BUILD AND NOT DEFINED CMAKE_UNITY_BUILD)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
endif()

# These sources are compiled by themselves: they take long, or they define names and macros that
# another source of the target has, too.
function(tessera_compile_alone)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# The first target compiles the headers; the others, which have the same options, use the result.
#   tessera_precompile(HEADERS <vector> <string> TARGETS tessera_base tessera_heap)
function(tessera_precompile)
    cmake_parse_arguments(arg "" "" "HEADERS;TARGETS" ${ARGN})
    if(NOT TESSERA_QUICK_BUILD)
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
