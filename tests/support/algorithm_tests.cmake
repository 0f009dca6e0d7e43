# SPDX-License-Identifier: BSD-3-Clause
#
# Run by ctest, not by CMake: adds the tests that go through the algorithms of some collectives. The
# library's own lists say which there are (osh_info --algorithms), so that a new algorithm is tested
# without a change of any list here. tessera_algorithm_runs() in algorithm_runs.cmake sets
#   osh_info oshrun program     executables
#   name                        of the tests: <name>_<algorithm>_<PEs>, or _<PEs>x<nodes>
#   collectives                 run i gives each of them its algorithm number i, from the start
#                               again where it has fewer
#   layouts, full_layouts       "5", or "5x3" for 5 PEs on 3 virtual nodes; the latter for -C Full
#   environments                alternatives, "suffix|A=B|C=D" each
#   arguments labels
cmake_policy(VERSION 3.25)
if(NOT EXISTS "${osh_info}")
    add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)
    return()
endif()

set(nodes 1)
if("${layouts};${full_layouts}" MATCHES "x")
    set(nodes 2)
endif()
set(runs 0)
foreach(collective IN LISTS collectives)
    # As many PEs as are a power of two: algorithms that need one are listed as well.
    execute_process(COMMAND "${osh_info}" --algorithms ${collective} --npes 8 --nodes ${nodes}
                    OUTPUT_VARIABLE listed RESULT_VARIABLE status)
    string(REGEX MATCHALL "[^\n]+" ${collective}_algorithms "${listed}")
    list(LENGTH ${collective}_algorithms ${collective}_count)
    if(NOT status EQUAL 0 OR ${collective}_count EQUAL 0)
        message(FATAL_ERROR "osh_info --algorithms ${collective} lists none")
    endif()
    if(${collective}_count GREATER runs)
        set(runs ${${collective}_count})
    endif()
endforeach()

if(CTEST_CONFIGURATION_TYPE STREQUAL "Full")
    list(APPEND layouts ${full_layouts})
endif()
math(EXPR last "${runs} - 1")
foreach(run RANGE ${last})
    set(settings)
    set(algorithms)
    foreach(collective IN LISTS collectives)
        math(EXPR index "${run} % ${${collective}_count}")
        list(GET ${collective}_algorithms ${index} algorithm)
        list(APPEND algorithms ${algorithm})
        string(TOUPPER "SHMEM_${collective}_ALGORITHM" variable)
        list(APPEND settings "${variable}=${algorithm}")
    endforeach()
    list(REMOVE_DUPLICATES algorithms)
    list(JOIN algorithms "_" algorithms)
    foreach(alternative IN LISTS environments)
        string(REPLACE "|" ";" alternative "${alternative}")
        list(POP_FRONT alternative suffix)
        foreach(layout IN LISTS layouts)
            string(REGEX MATCH "^[0-9]+" npes ${layout})
            string(REGEX REPLACE "^[0-9]+x?" "" virtual_nodes ${layout})
            set(test ${name}_${algorithms}${suffix}_${layout})
            set(environment ${settings} ${alternative})
            if(virtual_nodes)
                list(APPEND environment SHMEM_VIRTUAL_NODES=${virtual_nodes})
            endif()
            add_test(${test} "${oshrun}" -n ${npes} --timeout 240 "${program}" ${arguments})
            set_tests_properties(${test} PROPERTIES TIMEOUT 300 ENVIRONMENT "${environment}"
                                 LABELS "${labels}")
        endforeach()
    endforeach()
endforeach()
