# SPDX-License-Identifier: BSD-3-Clause
#
# Access to coarrays: get, put, image to image, conversions, components.
caf_runs(access_plain)
caf_runs(access_components)
caf_runs(access_pointers)
# The same where the kernel lets no process read another one, so that the owner serves.
# Sanitizers want to be the first library of a process.
if(NOT TESSERA_SANITIZE)
    add_library(no_process_access MODULE no_process_access.c)
    target_link_libraries(no_process_access PRIVATE tessera_options)
    coarray_test(access_pointers_refused STATUS 0 OUTPUT passed LAYOUTS 1 3 MEMCHECK NONE
                 PROGRAM ${CMAKE_CURRENT_BINARY_DIR}/access_pointers/access_pointers
                 ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:no_process_access>)
endif()
caf_runs(access_memory)

# Programs that scripts write: random sections, 5,000 cases in each run; conversions between all
# pairs of types.
foreach(name access_random access_convert)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.f90)
    set(script ${CMAKE_CURRENT_SOURCE_DIR}/${name}.py)
    add_custom_command(OUTPUT ${source} COMMAND Python3::Interpreter ${script} ${source}
                       DEPENDS ${script} VERBATIM)
    caf_runs(${name} SOURCES ${source} OPTIONS -O0 -ffree-line-length-none IMAGES 1 2 3 5
             LAYOUTS 3x3 COST 10)
endforeach()

# Mistakes: the job ends with a message that the regex matches.
coarrays_fortran(access_errors access_errors.f90)
function(caf_access_fails argument message)
    string(REPLACE " " "_" name ${argument})
    coarray_test(access_${name} PROGRAM ${access_errors_PROGRAM} ARGUMENTS ${argument} TIMEOUT 120
                 STATUS 1 OUTPUT "${message}" LAYOUTS 2 3 3x3
                 ENVIRONMENT SHMEM_LOCAL_MEMORY_SIZE=16M)
endfunction()
set(unallocated "a component of the coarray is not allocated on image 2")
caf_access_fails("get unallocated" "image 1.*coindexed get: ${unallocated}")
caf_access_fails("put unallocated" "image 1.*coindexed put: ${unallocated}")
caf_access_fails("put other shape" "4 elements of this image do not match 2 of the other one")
set(bounds "is not in \\[1, 2\\], the bounds of the array on image 2")
caf_access_fails("put all" "10 elements of this image do not match 2 of the other one")
foreach(way "put many" "put one behind" "put indices")
    caf_access_fails(${way} "coindexed put: subscript 10 ${bounds}")
endforeach()
caf_access_fails("get many" "coindexed get: subscript 10 ${bounds}")
caf_access_fails("get before" "coindexed get: subscript -6 ${bounds}")
set(no_length "gfortran 12 passes no length of a component character")
caf_access_fails("get deferred length" "image 1.*coindexed get: ${no_length}")
caf_access_fails("put deferred length" "image 1.*coindexed put: ${no_length}")
caf_access_fails("copy deferred length" "image 1.*coindexed assignment: ${no_length}")
set(outside "a subscript is out of bounds: .* of a coarray of")
foreach(way "many" "far" "steps" "indices" "converted")
    caf_access_fails("put ${way} into coarray" "coindexed put: ${outside} 12 bytes")
endforeach()
caf_access_fails("put into fixed component" "coindexed put: ${outside} 16 bytes")
caf_access_fails("get from coarray" "coindexed get: ${outside} 12 bytes")
caf_access_fails("get column" "coindexed get: ${outside} 24 bytes")
# Distances that would cancel if each was cut by itself.
caf_access_fails("get far and back" "coindexed get: a subscript is out of bounds: more than")
caf_access_fails("image to image" "coindexed assignment: ${outside} 12 bytes")
caf_access_fails("no room" "no room for 4000000000 bytes; set SHMEM_LOCAL_MEMORY_SIZE to more")

# The interface of GCC 15: the program plays the compiler.
add_executable(abi15_test abi15_test.c)
target_link_libraries(abi15_test PRIVATE tessera_caf15 tessera_options)
coarray_test(abi15 PROGRAM $<TARGET_FILE:abi15_test> STATUS 0 OUTPUT passed
             LAYOUTS 1 2 3 4 5 8 3x3 5x2)

# Collective statements that differ between images.
coarrays_fortran(collective_errors collective_errors.f90)
function(caf_collective_fails argument message)
    string(REPLACE " " "_" name ${argument})
    coarray_test(collective_${name} PROGRAM ${collective_errors_PROGRAM} ARGUMENTS ${argument}
                 TIMEOUT 120 STATUS 1 OUTPUT "${message}" LAYOUTS ${ARGN})
endfunction()
caf_collective_fails(size "allocate: this image allocates .* bytes, and image 1 .*, in the same"
                     2 3 3x3)
caf_collective_fails(order "allocate: this image allocates another coarray than image 1" 2 3 3x3)
caf_collective_fails(deallocate "deallocate: this image frees another coarray than image 1" 2 3 3x3)
caf_collective_fails(sum "this image passes [0-9]+ bytes, and image [0-9]+ passes" 2 3 5)
caf_collective_fails("sum on one" "this image passes [0-9]+ bytes, and image [0-9]+ passes" 2 3 5)

# Statements that caf does not compile with gfortran 8 to 14.
if(TESSERA_FORTRAN_VERSION VERSION_LESS 15)
    tessera_driver_test(caf.refuses caf_refuses_test.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/caf)
    set_tests_properties(caf.refuses PROPERTIES LABELS coarrays)
endif()
