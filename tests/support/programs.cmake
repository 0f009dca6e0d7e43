# SPDX-License-Identifier: BSD-3-Clause
#
# How tests are made of programs and scripts. The CMakeLists.txt of each folder lists them.
set(TESSERA_PE_COUNTS 1 2 3 4 5 7 8)

# The label `fast`, for the edit loop (ctest --preset fast): each source file's own test, and the
# programs of routines with 3 PEs, on one node and on 3. The target fast_tests builds them.
add_custom_target(fast_tests)
function(tessera_fast test)
    set_property(TEST ${test} APPEND PROPERTY LABELS fast)
    if(ARGN)
        add_dependencies(fast_tests ${ARGN})
    endif()
endfunction()

# The label `thorough`: long tests, and repetitions of others under conditions that depend on the
# library more than on the machine. `./quickstart test` leaves them out, .ci/run does not.
function(tessera_thorough)
    set_property(TEST ${ARGV} APPEND PROPERTY LABELS thorough)
endfunction()

# Links `name` with all of the library's objects, so that it can call inner functions.
function(tessera_link_objects name)
    target_link_libraries(${name} PRIVATE tessera_static PkgConfig::HWLOC Threads::Threads
                                          ${CMAKE_DL_LIBS} tessera_options ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
endfunction()

# Headers of tests are named from tests/ ("support/pattern.hpp") or from tests/behaviour.
function(tessera_include_tests name)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests
                                               ${PROJECT_SOURCE_DIR}/tests/behaviour)
endfunction()

# GoogleTest's headers take longer to read than most tests: the programs share two precompiled sets.
# Programs are compiled at -O1 in two thirds of the time, what they link of the library as it is.
# `optimized`: programs whose own code is what they test, as that of SHMEM_INLINE.
set(TESSERA_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)
foreach(kind usual optimized)
    # An executable, so that it has the options of one.
    add_executable(tessera_${kind}_headers EXCLUDE_FROM_ALL
                   ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp)
    target_link_libraries(tessera_${kind}_headers PRIVATE tessera_options GTest::gtest)
endforeach()
target_compile_options(tessera_usual_headers PRIVATE ${TESSERA_TEST_OPTIONS})
function(tessera_compile_test kind target)
    if(kind STREQUAL usual)
        target_compile_options(${target} PRIVATE ${TESSERA_TEST_OPTIONS})
    endif()
    get_target_property(sources ${target} SOURCES)
    if(sources MATCHES "\\.c(;|$)")
        return()
    endif()
    tessera_precompile(TARGETS tessera_${kind}_headers ${target}
                       HEADERS <gtest/gtest.h> <random> <thread> ${TESSERA_COMMON_HEADERS})
endfunction()

# A GoogleTest program of one process.
#   tessera_unit_test(copy_test base/copy_test.cpp)
function(tessera_unit_test name)
    add_executable(${name} ${ARGN})
    tessera_link_objects(${name} GTest::gtest_main)
    tessera_include_tests(${name})
    tessera_compile_test(usual ${name})
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
    tessera_fast(${name} ${name})
endfunction()

# An OpenSHMEM program `name` that checks with GoogleTest, linked as users do, or with the library's
# OBJECTS. OPTIMIZED: its own code contains what is tested.
function(tessera_pe_program name)
    cmake_parse_arguments(arg "OBJECTS;OPTIMIZED" "" "" ${ARGN})
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    if(arg_OBJECTS)
        tessera_link_objects(${name} GTest::gtest)
    else()
        target_link_libraries(${name} PRIVATE tessera tessera_options GTest::gtest)
    endif()
    tessera_include_tests(${name})
    if(arg_OPTIMIZED)
        tessera_compile_test(optimized ${name})
    else()
        tessera_compile_test(usual ${name})
    endif()
endfunction()

# Runs of the program `target`, called `name`_<n>, by oshrun with each of PES (default
# TESSERA_PE_COUNTS).
function(tessera_pe_runs name target)
    cmake_parse_arguments(arg "" "" "PES;ENVIRONMENT" ${ARGN})
    if(NOT arg_PES)
        set(arg_PES ${TESSERA_PE_COUNTS})
    endif()
    foreach(npes IN LISTS arg_PES)
        add_test(NAME ${name}_${npes}
                 COMMAND oshrun -n ${npes} --timeout 240 $<TARGET_FILE:${target}>)
        set_tests_properties(${name}_${npes} PROPERTIES TIMEOUT 300
                             ENVIRONMENT "${arg_ENVIRONMENT}")
        if(npes EQUAL 3)
            tessera_fast(${name}_${npes} oshrun ${target})
        elseif(npes GREATER 8)
            tessera_thorough(${name}_${npes})
        endif()
    endforeach()
endfunction()

# An OpenSHMEM program and its runs.
#   tessera_pe_test(scan_test SOURCES scan_test.cpp [PES 1 2 3] [ENVIRONMENT A=B ...] [OPTIMIZED])
function(tessera_pe_test name)
    cmake_parse_arguments(arg "OPTIMIZED" "" "SOURCES;PES;ENVIRONMENT" ${ARGN})
    set(optimized)
    if(arg_OPTIMIZED)
        set(optimized OPTIMIZED)
    endif()
    tessera_pe_program(${name} ${optimized} ${arg_SOURCES})
    tessera_pe_runs(${name} ${name} PES ${arg_PES} ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

# The program `name`.cpp for the routines of a chapter: with each number of PEs, and with far more
# PEs than cores (the programs do less then, support/pattern.hpp). STATIC_FABRIC: also where PEs do
# not map static data, so that the kernel copies and atomics take a lock. NODES: also on several
# nodes.
function(tessera_routine_test name)
    cmake_parse_arguments(arg "STATIC_FABRIC;NODES" "" "" ${ARGN})
    tessera_pe_test(${name} SOURCES ${name}.cpp PES ${TESSERA_PE_COUNTS} 64)
    if(arg_STATIC_FABRIC)
        tessera_pe_runs(${name}_fabric ${name} PES 1 2 3 8 ENVIRONMENT SHMEM_STATIC_DATA=cma)
    endif()
    if(arg_NODES)
        # Every PE a node of its own, and two nodes, one of them larger.
        tessera_node_runs(${name} LAYOUTS 3x3 5x2 PROVIDERS ${TESSERA_TCP})
    endif()
endfunction()

# A Python program that starts jobs and looks at what they print and leave behind; most use
# support/launching.py. It exits with 77 where the machine lacks what it needs: skipped.
# ctest begins with the tests of the highest COST (seconds), so that no long one comes last.
#   tessera_driver_test(api.exit exit_test.py [TIMEOUT 600] [COST 20] $<TARGET_FILE:oshrun> ...)
function(tessera_driver_test name script)
    cmake_parse_arguments(arg "" "TIMEOUT;COST" "" ${ARGN})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    if(NOT arg_COST)
        set(arg_COST 5)  # Most start a dozen jobs.
    endif()
    add_test(NAME ${name}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${script}
                     ${arg_UNPARSED_ARGUMENTS})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
        COST ${arg_COST}
        ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support")
endfunction()

# A program in C whose arguments name the case that a driver wants.
function(tessera_cases name)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${name} PRIVATE tessera tessera_options Threads::Threads)
endfunction()

# threads_<name>_test: several threads of each PE call the library at the same time.
function(tessera_threads_test name source)
    tessera_pe_test(threads_${name}_test SOURCES ${source} ENVIRONMENT SHMEM_SYMMETRIC_SIZE=64M)
    target_link_libraries(threads_${name}_test PRIVATE Threads::Threads)
endfunction()
