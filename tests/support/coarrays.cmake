# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that are programs in coarray Fortran. One ctest entry runs a program with all its numbers of
# images, on one node and on virtual nodes (coarray_runs.py), because each run takes well below a
# second.

# coarrays_fortran(name FILE.f90... [OPTIONS -O2 ...]): compiles and links FILEs with the wrapper
# caf of the build folder, COARRAY_CHECKS (the module `checks`) before them. The target is
# caf_<name>, the program lies in ${name}_PROGRAM.
function(coarrays_fortran name)
    cmake_parse_arguments(arg "" "" "OPTIONS" ${ARGN})
    set(sources)
    foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND sources ${source})
    endforeach()
    set(program ${CMAKE_CURRENT_BINARY_DIR}/${name}/${name})
    if(TESSERA_SANITIZE)
        list(APPEND arg_OPTIONS -fsanitize=${TESSERA_SANITIZE})
    endif()
    add_custom_command(OUTPUT ${program}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${name}
        COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/caf -O1 -g -Wall -Wno-unused-dummy-argument
                -Wno-maybe-uninitialized -Wno-uninitialized ${arg_OPTIONS}
                -J ${CMAKE_CURRENT_BINARY_DIR}/${name} ${COARRAY_CHECKS} ${sources} -o ${program}
        DEPENDS ${COARRAY_CHECKS} ${sources} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/caf VERBATIM
        COMMENT "Compiling coarray program ${name}")
    add_custom_target(caf_${name} ALL DEPENDS ${program})
    add_dependencies(caf_${name} tessera_caf tessera_fortran tessera oshrun)
    set(${name}_PROGRAM ${program} PARENT_SCOPE)
endfunction()

# caf_runs(name [SOURCES ...] [OPTIONS ...] [IMAGES 1 2 ...] [LAYOUTS 3x3 5x2] [STATUS 7]
#          [OUTPUT regex] [ENVIRONMENT A=B ...] [ARGUMENTS ...] [COST seconds])
# The test caf.<name>: compiles SOURCES (default <name>.f90) and runs the program with each number
# of IMAGES on one node (default 1 2 3 4 5 8), and with each of LAYOUTS, images x virtual nodes.
# Every run must end with STATUS (default 0) and print a line that OUTPUT matches (default
# "passed", which call `passed` of the module checks prints). LAYOUTS NONE: one node only.
function(caf_runs name)
    cmake_parse_arguments(arg "" "STATUS;OUTPUT;COST"
                          "SOURCES;OPTIONS;IMAGES;LAYOUTS;ENVIRONMENT;ARGUMENTS" ${ARGN})
    foreach(default "SOURCES|${name}.f90" "STATUS|0" "OUTPUT|passed" "IMAGES|1;2;3;4;5;8"
            "LAYOUTS|3x3;5x2" "COST|3")
        string(REGEX MATCH "^[A-Z]+" argument "${default}")
        if(NOT DEFINED arg_${argument})
            string(REGEX REPLACE "^[A-Z]+.(.*)" "\\1" arg_${argument} "${default}")
        endif()
    endforeach()
    if(arg_LAYOUTS STREQUAL NONE)
        set(arg_LAYOUTS)
    endif()
    coarrays_fortran(${name} ${arg_SOURCES} OPTIONS ${arg_OPTIONS})
    add_test(NAME caf.${name}
             COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/support/coarray_runs.py
                     --oshrun $<TARGET_FILE:oshrun> --status ${arg_STATUS}
                     --output "${arg_OUTPUT}" --layouts ${arg_IMAGES} ${arg_LAYOUTS}
                     -- ${${name}_PROGRAM} ${arg_ARGUMENTS})
    set_tests_properties(caf.${name} PROPERTIES TIMEOUT 300 COST ${arg_COST} LABELS coarrays
        # Programs in Fortran need not free what they have when they stop.
        ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;ASAN_OPTIONS=detect_leaks=0;${arg_ENVIRONMENT}")
endfunction()
