# SPDX-License-Identifier: BSD-3-Clause
#
# The conformance program of a chapter of spec_table.txt calls every routine of the chapter, by its
# shmem_ and its pshmem_ name, and fails when one of them was not called. Chapters list theirs:
#   tessera_conformance_test(rma [OWN_MAIN] [INLINE] [SHM] [STATIC_FABRIC] rma_conformance_test.cpp)
set(TESSERA_CONFORMANCE_ENVIRONMENT SHMEM_SYMMETRIC_SIZE=64M)

# Makes the list of routines by generate.py, which gets ARGN.
function(tessera_list_routines)
    set(folder ${PROJECT_SOURCE_DIR}/tests/behaviour/conformance)
    set(names ${PROJECT_SOURCE_DIR}/tests/behaviour/headers/symbols.txt)
    set(routines ${PROJECT_BINARY_DIR}/tests/behaviour/conformance/spec_routines.hpp)
    add_custom_command(
        OUTPUT ${routines}
        COMMAND Python3::Interpreter -B ${folder}/generate.py --table ${folder}/spec_table.txt
                --names ${names} --output ${routines} ${ARGN}
        DEPENDS ${folder}/generate.py ${folder}/spec_table.txt ${names}
        VERBATIM)
    add_custom_target(conformance_routines DEPENDS ${routines})
endfunction()

# For programs that include the list of routines.
function(tessera_use_routines name)
    target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR}/tests/behaviour/conformance)
    add_dependencies(${name} conformance_routines)
endfunction()

# The program conformance_<chapter><SUFFIX>. OWN_MAIN: it does not use conformance_main.cpp;
# OPTIMIZED: see tessera_pe_program.
function(tessera_conformance_program chapter)
    cmake_parse_arguments(arg "OWN_MAIN;OPTIMIZED" "SUFFIX" "" ${ARGN})
    set(parts ${PROJECT_SOURCE_DIR}/tests/behaviour/conformance)
    set(name conformance_${chapter}${arg_SUFFIX})
    if(NOT arg_OWN_MAIN)
        list(APPEND arg_UNPARSED_ARGUMENTS ${parts}/conformance_main.cpp)
    endif()
    set(optimized)
    if(arg_OPTIMIZED)
        set(optimized OPTIMIZED)
    endif()
    tessera_pe_program(${name} ${optimized} ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE conformance_parts)
    target_compile_definitions(${name} PRIVATE CONFORMANCE_CHAPTER="${chapter}")
    tessera_use_routines(${name})
    set_property(GLOBAL APPEND PROPERTY TESSERA_CONFORMANCE_CHAPTERS ${chapter})
endfunction()

# Runs with several numbers of PEs and nodes.
function(tessera_conformance_runs name)
    tessera_pe_runs(${name} ${name} PES 1 2 3 5 8 ENVIRONMENT ${TESSERA_CONFORMANCE_ENVIRONMENT})
    tessera_node_runs(${name} LAYOUTS 3x3 5x2 PROVIDERS ${TESSERA_TCP})
    tessera_node_runs(${name} LAYOUTS 4x2 PROVIDERS net sockets)
    tessera_full_node_runs(${name})
endfunction()

# The program of a chapter and its runs. INLINE: the same checks also for the bodies that
# SHMEM_INLINE puts into the program. SHM: also with what reaches one host only:
# libfabric's provider shm, and the fabric loopback. STATIC_FABRIC: also where static data of other
# PEs is not mapped.
function(tessera_conformance_test chapter)
    cmake_parse_arguments(arg "OWN_MAIN;INLINE;SHM;STATIC_FABRIC" "" "" ${ARGN})
    set(name conformance_${chapter})
    set(own_main)
    if(arg_OWN_MAIN)
        set(own_main OWN_MAIN)
    endif()
    tessera_conformance_program(${chapter} ${own_main} ${arg_UNPARSED_ARGUMENTS})
    tessera_conformance_runs(${name})
    if(arg_SHM)
        tessera_node_runs(${name} LAYOUTS 4x2 PROVIDERS shm loopback)
        tessera_node_runs(${name} LAYOUTS 3x3 PROVIDERS loopback)
    endif()
    if(arg_STATIC_FABRIC)
        tessera_pe_runs(${name}_fabric ${name} PES 1 2 3 8
                        ENVIRONMENT ${TESSERA_CONFORMANCE_ENVIRONMENT} SHMEM_STATIC_DATA=cma)
    endif()
    if(arg_INLINE)
        # views.cpp completes operations, so it calls what is put into the program, too.
        tessera_conformance_program(${chapter} SUFFIX _inline OPTIMIZED ${arg_UNPARSED_ARGUMENTS}
            ${PROJECT_SOURCE_DIR}/tests/behaviour/conformance/views.cpp)
        target_compile_definitions(${name}_inline PRIVATE SHMEM_INLINE)
        tessera_pe_runs(${name}_inline ${name}_inline PES 1 2 3 8
                        ENVIRONMENT ${TESSERA_CONFORMANCE_ENVIRONMENT})
        tessera_pe_runs(${name}_inline_nodes ${name}_inline PES 4
                        ENVIRONMENT ${TESSERA_CONFORMANCE_ENVIRONMENT} SHMEM_VIRTUAL_NODES=2)
    endif()
endfunction()
