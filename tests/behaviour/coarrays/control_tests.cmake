# SPDX-License-Identifier: BSD-3-Clause
#
# Statements and intrinsics that control images.
caf_runs(errmsg IMAGES 1 2 3 5)
foreach(name sync atomics locks events collectives ordering random_numbers)
    caf_runs(${name})
endforeach()
# No thread serves other nodes: the images do, to the end of the program.
foreach(name sync events locks)
    coarray_test(${name}_progress_none PROGRAM ${CMAKE_CURRENT_BINARY_DIR}/${name}/${name}
                 STATUS 0 OUTPUT passed LAYOUTS 3x3 5x2 MEMCHECK NONE
                 ENVIRONMENT SHMEM_PROGRESS=none ASAN_OPTIONS=detect_leaks=0)
endforeach()
caf_runs(teams ENVIRONMENT SHMEM_TEAM_MEMORY_SIZE=64M)
caf_runs(team_lifetimes IMAGES 1 2 3 4 8 LAYOUTS 3x3 ENVIRONMENT SHMEM_TEAM_MEMORY_SIZE=2M)
caf_runs(control_random ENVIRONMENT SHMEM_TEAM_MEMORY_SIZE=64M)
caf_runs(sync_often IMAGES 4 LAYOUTS NONE MEMCHECK NONE)

# The classes of results depend on what the compiler makes of a function.
foreach(level 0 1 2 3)
    caf_runs(reductions_o${level} ONE_LEVEL SOURCES reductions.f90 OPTIONS -O${level})
endforeach()

# All layouts of types of up to 16 bytes: some in each run, every 40th for .ci/run, and with -C Full
# all, two of the operations each.
function(caf_reduces name every operations)
    cmake_parse_arguments(arg "" "TIMEOUT" "OPTIONS;CONFIGURATIONS" ${ARGN})
    add_test(NAME caf.${name} CONFIGURATIONS ${arg_CONFIGURATIONS}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/co_reduce_layouts.py
                     --caf ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/caf --oshrun $<TARGET_FILE:oshrun>
                     --every ${every} --operations ${operations} --options ${arg_OPTIONS}
                     --layouts 3 3x3)
    set_tests_properties(caf.${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS coarrays
        ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;ASAN_OPTIONS=detect_leaks=0")
endfunction()
set(levels " -O0" " -O1" " -O2" " -O3" " -O2 -march=native")
caf_reduces(co_reduce_layouts 500 5 TIMEOUT 300 OPTIONS " -O0" " -O2 -march=native")
caf_reduces(co_reduce_many_layouts 40 5 TIMEOUT 1800 OPTIONS ${levels})
tessera_thorough(caf.co_reduce_many_layouts)
caf_reduces(co_reduce_all_layouts 1 2 TIMEOUT 14400 OPTIONS ${levels} CONFIGURATIONS Full)

# A function without debug information, or with components that are not aligned.
coarrays_fortran(reduction_unknown reduction_unknown.f90 OPTIONS -g0)
coarray_test(reduction_unknown PROGRAM ${reduction_unknown_PROGRAM} STATUS 1 LAYOUTS 1 3 3x3
             OUTPUT "co_reduce: .* returns a derived type of 16 bytes.*Compile it with -g")
caf_runs(reduction_packed ONE_LEVEL SOURCES reduction_unknown.f90 OPTIONS -fpack-derived
         IMAGES 1 3 LAYOUTS NONE)
caf_runs(reduction_in_memory ONE_LEVEL SOURCES reduction_unknown.f90 OPTIONS -fpcc-struct-return
         IMAGES 1 3 LAYOUTS NONE)

# Components of derived types, and of type class(...).
caf_runs(broadcast_components OPTIONS -O2 IMAGES 1 2 3 5 LAYOUTS 3x3)
caf_runs(class_components OPTIONS -O2 IMAGES 1 2 3 5 LAYOUTS 3x3)
coarrays_fortran(broadcast_errors broadcast_errors.f90 OPTIONS -O2)
function(caf_refuses argument message)
    string(REPLACE " " "_" name ${argument})
    coarray_test(broadcast_${name} PROGRAM ${broadcast_errors_PROGRAM} ARGUMENTS ${argument}
                 STATUS 1 OUTPUT "${message}" LAYOUTS 3 3x3 MEMCHECK NONE)
endfunction()
set(unallocated "is allocated on image 1 and not on image [23]")
caf_refuses("unallocated component" "co_broadcast: .*${unallocated}.*: allocate it before")
caf_refuses("unallocated at the source" "co_broadcast: .*not on image 1.*: deallocate it before")
caf_refuses("large and unallocated" "co_broadcast: .*: allocate it before")
caf_refuses("few elements" "8 bytes in elements of 4 on this image are 12 bytes")
caf_refuses("many elements" "8 bytes in elements of 4 on this image are 12000 bytes")
caf_refuses("list of objects" "co_broadcast: 144 bytes in elements of 72 on this image are 12")
caf_refuses("length" "co_broadcast: gfortran passes no length for a component")
caf_refuses("lengths" "co_broadcast: gfortran passes no length for a component")
caf_refuses("pointer in co_reduce" "co_reduce: the type pointers has a component that is a pointer")
caf_refuses("component of elements" "co_sum: elements of a derived type have no such operation")
foreach(access get put "get from array")
    string(REPLACE " " "_" name ${access})
    coarray_test(class_${name} ARGUMENTS ${access} STATUS 1
                 PROGRAM ${CMAKE_CURRENT_BINARY_DIR}/class_components/class_components
                 OUTPUT "coindexed [gp][eu]t: gfortran 12 cannot access components of type class"
                 LAYOUTS 2 3x3 MEMCHECK NONE)
endforeach()

# caf_ends(name "argument" status "regex" [MEMCHECK ...]): the program `ending` with one of its ways
# to end, at 3 images. The regex is for the output of the job.
function(caf_ends name argument status output)
    coarray_test(${name} PROGRAM ${ending_PROGRAM} ARGUMENTS ${argument} TIMEOUT 120
                 STATUS ${status} OUTPUT "${output}" LAYOUTS 3 4x2 ${ARGN})
endfunction()
coarrays_fortran(ending ending.f90)
caf_ends(end end 0 "passed")
caf_ends(stop stop 0 "others passed")
caf_ends(stop_code "stop 7" 7 "others passed")
caf_ends(stop_message "stop 7" 7 "STOP 7")
caf_ends(stop_variable "stop code" 8 "STOP 8")
caf_ends(stop_large "stop 300" 44 "STOP 300")
caf_ends(stop_text "stop text" 0 "STOP the work is done")
caf_ends(stop_quiet "stop quiet" 5 "(?s)\\A(?!.*(STOP|IEEE))")
# valgrind has no flags of floating-point exceptions.
caf_ends(stop_loud "stop loud" 5 "IEEE_INVALID_FLAG" MEMCHECK NONE)
caf_ends(error_stop "error stop" 1 "ERROR STOP")
caf_ends(error_stop_code "error stop 9" 9 "ERROR STOP 9")
caf_ends(error_stop_text "error stop text" 1 "ERROR STOP nothing works")
caf_ends(error_stop_in_write "error stop in write" 6 "before")
caf_ends(exit_code "exit 3" 3 "exited with code 3")
caf_ends(exit_zero "exit 0" 0 "others passed")
caf_ends(runtime_error "runtime error" 2 "Cannot open file")
caf_ends(sync_images_with_stopped "sync with stopped" 1
         "sync images: an image of the team has stopped")
caf_ends(sync_all_with_stopped "sync all with stopped" 1
         "sync all: an image of the team has stopped")
foreach(preposition with of)
    caf_ends(broadcast_${preposition}_stopped "broadcast ${preposition} stopped" 1
             "co_broadcast: an image of the team has stopped")
endforeach()
caf_ends(event_of_stopped "event of stopped" 1
         "event wait: all other images have stopped or failed before they have posted 1 times")
caf_ends(team_number_negative "team -1" 1 "form team: number -1: the number of a team is positive")
caf_ends(team_number_zero "team 0" 1 "form team: number 0: the number of a team is positive")
caf_ends(no_such_image "no such image" 1 "image [45] does not exist")

# 20 and 36 images: the barrier has leaders that are gone.
caf_runs(stopped_images SOURCES gone_images.f90 ARGUMENTS stop IMAGES 1 2 3 4 5 8 20 36
         LAYOUTS 3x3 5x2 20x3)
caf_runs(failed_images SOURCES gone_images.f90 ARGUMENTS fail IMAGES 1 2 3 4 5 8 20 36
         LAYOUTS 3x3 5x2 20x3)

# Images that are killed. On one node the others go on with all statements. Between nodes a transfer
# to or from the dead one may be under way, and then ends the job with a message: never a hang.
coarrays_fortran(killed_images killed_images.f90)
function(caf_kills name statuses output layouts memcheck)
    coarray_test(${name} PROGRAM ${killed_images_PROGRAM} ARGUMENTS ${ARGN}
                 STATUS ${statuses} OUTPUT "${output}" LAYOUTS ${layouts} MEMCHECK ${memcheck}
                 ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endfunction()
foreach(first RANGE 0 6 2)
    caf_kills(killed_images_${first} 0 "passed" "2;3;4;5;8" 3 ${first})
endforeach()
caf_kills(killed_images_many 0 "passed" 20 NONE 0)
foreach(first 0 3)
    caf_kills(killed_images_nodes_${first} "0;1"
              "passed|a PE has died|one has died before|has died during the call|has failed"
              4x2 4x2 ${first})
endforeach()
# Crashes: whatever the others do, the exit code is 128 and the signal; SIGKILL is no mistake of the
# program, so theirs counts.
coarrays_fortran(crashing crashing.f90)
function(caf_crashes statement signal status)
    coarray_test(crash_${signal}_in_${statement} PROGRAM ${crashing_PROGRAM} MEMCHECK NONE
                 ARGUMENTS ${signal} ${statement} STATUS ${status}
                 OUTPUT "(?s)\\A(?!.*nothing has ended)"
                 LAYOUTS 3 ${ARGN} ENVIRONMENT ASAN_OPTIONS=handle_segv=0:handle_abort=0)
endfunction()
foreach(statement images event sum allocate team stop)
    caf_crashes(${statement} 11 139)
endforeach()
foreach(signal_and_status "11;139" "6;134" "8;136" "4;132" "7;135" "9;1")
    caf_crashes(all ${signal_and_status} 4x2)
endforeach()

# 20 images: image 17 leads a group that it releases after it was released itself.
caf_runs(killed_released ARGUMENTS 17 IMAGES 20 20 20 20 20 LAYOUTS NONE MEMCHECK 20)
caf_runs(killed_anytime IMAGES 2 2 2 3 3 3 4 5 5 8 8 8 20 20 LAYOUTS NONE MEMCHECK 3 3)

# Windows of a part in C.
add_library(caf_windows_part OBJECT windows_part.c)
target_link_libraries(caf_windows_part PRIVATE tessera tessera_options)
caf_runs(windows OPTIONS $<TARGET_OBJECTS:caf_windows_part>)
add_dependencies(caf_windows caf_windows_part)

# Starts without a launcher: one image, or those that SHMEM_NUM_IMAGES wants.
coarrays_fortran(images images.f90)
function(caf_starts name output)
    add_test(NAME caf.${name} COMMAND ${images_PROGRAM} "two words" "")
    set_tests_properties(caf.${name} PROPERTIES TIMEOUT 60 LABELS coarrays ENVIRONMENT "${ARGN}"
                         PASS_REGULAR_EXPRESSION "${output}")
endfunction()
caf_starts(start_alone "1 images: .two words. ..")
caf_starts(start_itself "4 images: .two words. .." SHMEM_NUM_IMAGES=4)
caf_starts(start_one "1 images: .two words. .." SHMEM_NUM_IMAGES=1)
caf_starts(start_nonsense "SHMEM_NUM_IMAGES=four: give a number of images" SHMEM_NUM_IMAGES=four)

# Memory that software keeps coherent; `ctest -L matrix` has the whole
# set. With a file, the images of two nodes reach each other there.
foreach(name sync events locks teams collectives windows stopped_images failed_images
        killed_anytime)
    set(program ${CMAKE_CURRENT_BINARY_DIR}/${name}/${name})
    set(arguments)
    if(name MATCHES "^(stop|fail)")
        set(arguments ARGUMENTS ${CMAKE_MATCH_1})
    endif()
    set(environment ASAN_OPTIONS=detect_leaks=0 SHMEM_NONCOHERENT_SEED=1)
    coarray_test(${name}_emulated PROGRAM ${program} ${arguments} STATUS 0 OUTPUT passed
                 LAYOUTS 2 5 MEMCHECK NONE
                 ENVIRONMENT ${environment} SHMEM_HEAP=noncoherent-emulated)
    if(name MATCHES "locks|teams|collectives")
        continue()  # A minute each.
    endif()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}.heap)
    coarray_test(${name}_file PROGRAM ${program} ${arguments} STATUS 0 OUTPUT passed
                 LAYOUTS 3 4x2 MEMCHECK NONE
                 ENVIRONMENT ${environment} SHMEM_HEAP=noncoherent:${file})
    tessera_thorough(caf.${name}_file)
endforeach()

# The teams of GCC 16: the programs play the compiler.
foreach(name abi16 abi16_map)
    add_executable(${name}_test ${name}_test.c)
    target_link_libraries(${name}_test PRIVATE tessera_caf16 tessera_options)
    coarray_test(${name} PROGRAM $<TARGET_FILE:${name}_test> STATUS 0 OUTPUT passed
                 LAYOUTS 1 2 3 4 5 8 3x3 5x2)
endforeach()

# The long random run (docs/run/coarrays.md), for a moment.
add_test(NAME caf.random_minutes
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/random_minutes.py
                 ${CMAKE_BINARY_DIR} --minutes 0.001 --layouts 2)
set_tests_properties(caf.random_minutes PROPERTIES TIMEOUT 300 LABELS coarrays
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;ASAN_OPTIONS=detect_leaks=0")
