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
    add_dependencies(caf_${name} tessera_caf tessera oshrun)
    set(${name}_PROGRAM ${program} PARENT_SCOPE)
endfunction()

# coarray_test(name PROGRAM file STATUS 0... OUTPUT regex LAYOUTS 3 3x3... [ARGUMENTS ...]
#              [ENVIRONMENT A=B ...] [TIMEOUT seconds] [MEMCHECK 3 3x3...|NONE])
# The test caf.<name>: coarray_runs.py says what it does with these. The test caf_memcheck.<name>
# (`ctest -C Full -L memcheck`) runs the layouts MEMCHECK (default 3 3x3) under valgrind.
find_program(TESSERA_VALGRIND valgrind)
function(coarray_test name)
    cmake_parse_arguments(arg "" "PROGRAM;OUTPUT;TIMEOUT"
                          "STATUS;LAYOUTS;ARGUMENTS;ENVIRONMENT;MEMCHECK" ${ARGN})
    if(NOT DEFINED arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    if(NOT DEFINED arg_MEMCHECK)
        set(arg_MEMCHECK 3 3x3)
    endif()
    set(run Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/support/coarray_runs.py
            --oshrun $<TARGET_FILE:oshrun> --status ${arg_STATUS} --output "${arg_OUTPUT}")
    set(program -- ${arg_PROGRAM} ${arg_ARGUMENTS})
    add_test(NAME caf.${name} COMMAND ${run} --layouts ${arg_LAYOUTS} ${program})
    set_tests_properties(caf.${name} PROPERTIES
        TIMEOUT ${arg_TIMEOUT} LABELS coarrays
        ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${arg_ENVIRONMENT}")
    if(TESSERA_VALGRIND AND NOT TESSERA_SANITIZE AND NOT arg_MEMCHECK STREQUAL NONE)
        add_test(NAME caf_memcheck.${name} CONFIGURATIONS Full
                 COMMAND ${run} --valgrind ${TESSERA_VALGRIND} --layouts ${arg_MEMCHECK} ${program})
        set_tests_properties(caf_memcheck.${name} PROPERTIES
            TIMEOUT 1800 LABELS memcheck
            ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${arg_ENVIRONMENT}")
    endif()
endfunction()

# caf_runs(name [SOURCES ...] [OPTIONS ...] [IMAGES 1 2 ...] [LAYOUTS 3x3 5x2] [ARGUMENTS ...]
#          [ENVIRONMENT A=B ...] [COST seconds] [MEMCHECK ...])
# The test caf.<name>: compiles SOURCES (default <name>.f90) and runs the program with each number
# of IMAGES on one node (default 1 2 3 4 5 8), and with each of LAYOUTS, images x virtual nodes.
# Every run must print "passed", which call `passed` of the module checks prints. LAYOUTS NONE: one
# node only.
function(caf_runs name)
    cmake_parse_arguments(arg "" "COST"
                          "SOURCES;OPTIONS;IMAGES;LAYOUTS;ENVIRONMENT;ARGUMENTS;MEMCHECK" ${ARGN})
    foreach(default "SOURCES|${name}.f90" "IMAGES|1;2;3;4;5;8" "LAYOUTS|3x3;5x2" "COST|3"
            "MEMCHECK|3;3x3")
        string(REGEX MATCH "^[A-Z]+" argument "${default}")
        if(NOT DEFINED arg_${argument})
            string(REGEX REPLACE "^[A-Z]+.(.*)" "\\1" arg_${argument} "${default}")
        endif()
    endforeach()
    if(arg_LAYOUTS STREQUAL NONE)
        set(arg_LAYOUTS)
    endif()
    coarrays_fortran(${name} ${arg_SOURCES} OPTIONS ${arg_OPTIONS})
    coarray_test(${name} PROGRAM ${${name}_PROGRAM} STATUS 0 OUTPUT passed
                 LAYOUTS ${arg_IMAGES} ${arg_LAYOUTS} ARGUMENTS ${arg_ARGUMENTS}
                 MEMCHECK ${arg_MEMCHECK}
                 # Programs in Fortran need not free what they have when they stop.
                 ENVIRONMENT ASAN_OPTIONS=detect_leaks=0 ${arg_ENVIRONMENT})
    set_tests_properties(caf.${name} PROPERTIES COST ${arg_COST})
    if(NOT TESSERA_SANITIZE AND NOT arg_ONE_LEVEL)
        coarray_levels(${name})
    endif()
endfunction()

# The tests caf_levels.<name>_O0, _O2 and _O3, for .ci/run: the program of caf_runs, whose arguments
# are in scope, as the compiler optimises it. Descriptors that the library gets depend on that.
function(coarray_levels name)
    set(layouts 3)
    if(NOT 3 IN_LIST arg_IMAGES)
        list(GET arg_IMAGES -1 layouts)
    endif()
    if("3x3" IN_LIST arg_LAYOUTS)
        list(APPEND layouts 3x3)
    endif()
    set(sources)
    foreach(source IN LISTS arg_SOURCES)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND sources ${source})
    endforeach()
    foreach(level 0 2 3)
        list(JOIN arg_OPTIONS "' '" options)
        list(JOIN sources "' '" files)
        set(compile "'${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/caf' -w '${options}' -O${level}")
        string(APPEND compile " '${COARRAY_CHECKS}' '${files}'")
        string(REPLACE " '' " " " compile "${compile}")
        add_test(NAME caf_levels.${name}_O${level}
                 COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/support/coarray_runs.py
                         --oshrun $<TARGET_FILE:oshrun> --layouts ${layouts}
                         --compile "${compile}" -- ${name} ${arg_ARGUMENTS})
        tessera_thorough(caf_levels.${name}_O${level})
        set_tests_properties(caf_levels.${name}_O${level} PROPERTIES TIMEOUT 600
            ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${arg_ENVIRONMENT}")
    endforeach()
endfunction()
