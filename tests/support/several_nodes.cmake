# SPDX-License-Identifier: BSD-3-Clause
#
# Runs of programs on several nodes: virtual ones, so that everything between them goes over the
# fabric, on this host. A slice for every change; all layouts on all providers:
#   ctest -C Full -L multinode
# More than one host: tests/system/cluster.
set(TESSERA_TCP tcp,ofi_rxm)

# Tests multinode.<program>_<layout>_<provider>. A layout is PEs x nodes; a comma stands for the
# semicolon in a provider's name; the provider loopback is a fabric of its own. FULL: only in the
# configuration Full.
#   tessera_node_runs(rma_test LAYOUTS 3x3 5x2 PROVIDERS tcp,ofi_rxm net
#                     [ARGUMENTS ...] [COMMAND ...] [ENVIRONMENT SHMEM_TEAM_MEMORY_SIZE=4M])
# COMMAND is what each PE runs, by default the program with ARGUMENTS.
function(tessera_node_runs program)
    cmake_parse_arguments(arg "FULL" "" "LAYOUTS;PROVIDERS;ARGUMENTS;COMMAND;ENVIRONMENT"
                          ${ARGN})
    if(NOT arg_COMMAND)
        set(arg_COMMAND $<TARGET_FILE:${program}> ${arg_ARGUMENTS})
    endif()
    set(seconds 240)
    if(arg_FULL)
        set(full _full)
        set(configuration CONFIGURATIONS Full)
        set(seconds 900)  # Many PEs on few cores: the fetching atomics of 12 need 300 on two.
    endif()
    foreach(provider IN LISTS arg_PROVIDERS)
        string(REPLACE "," "_" short ${provider})
        string(REPLACE "," "\\;" setting ${provider})
        foreach(layout IN LISTS arg_LAYOUTS)
            string(REGEX MATCHALL "[0-9]+" numbers ${layout})
            list(GET numbers 0 npes)
            list(GET numbers 1 nodes)
            set(name multinode.${program}_${layout}_${short}${full})
            add_test(NAME ${name} ${configuration}
                     COMMAND oshrun -n ${npes} --timeout ${seconds} ${arg_COMMAND})
            set(fabric "SHMEM_OFI_PROVIDER=${setting}")
            if(provider STREQUAL loopback)
                set(fabric SHMEM_FABRIC=loopback)
            endif()
            set(environment "SHMEM_SYMMETRIC_SIZE=64M" "SHMEM_VIRTUAL_NODES=${nodes}" ${fabric}
                            ${arg_ENVIRONMENT})
            set_tests_properties(${name} PROPERTIES TIMEOUT 950 LABELS multinode
                                 ENVIRONMENT "${environment}")
            if(layout STREQUAL "3x3" AND provider STREQUAL TESSERA_TCP)
                tessera_fast(${name} oshrun ${program})
            elseif(provider STREQUAL sockets)  # libfabric gives it up: tcp;ofi_rxm is better
                tessera_thorough(${name})
            endif()
        endforeach()
    endforeach()
endfunction()

# All layouts on all providers, and some on the second fabric, in the configuration Full.
function(tessera_full_node_runs program)
    tessera_node_runs(${program} FULL LAYOUTS 2x2 4x4 7x7 8x8 6x2 8x2 8x3 9x3 12x3
                      PROVIDERS ${TESSERA_TCP} net sockets ${ARGN})
    tessera_node_runs(${program} FULL LAYOUTS 2x2 3x3 4x2 4x4 PROVIDERS loopback ${ARGN})
endfunction()
