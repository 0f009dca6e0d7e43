# SPDX-License-Identifier: BSD-3-Clause
#
# Coarrays in a shared library, whose main program has none: C, C++, or Fortran of gfortran alone.
coarrays_fortran(coarray_library coarray_library.f90
                 OPTIONS -shared -fPIC -Wl,-soname,coarray_library)
cmake_path(GET coarray_library_PROGRAM PARENT_PATH library_folder)
set(library_link -Wl,--no-as-needed ${coarray_library_PROGRAM})
add_executable(library_main_c library_main.c)
add_executable(library_main_cpp library_main.c library_main.cpp)
foreach(main c cpp)
    # Not --as-needed: a program that only links the library starts the images as well.
    target_link_libraries(library_main_${main} PRIVATE tessera_options ${library_link}
                          Threads::Threads ${CMAKE_DL_LIBS})
    # Not as an option of the linker: the folder's path may have a space.
    set_target_properties(library_main_${main} PROPERTIES BUILD_RPATH "${library_folder}")
    add_dependencies(library_main_${main} caf_coarray_library)
endforeach()
# dlopen() comes without the library.
add_executable(library_main_alone library_main.c)
target_link_libraries(library_main_alone PRIVATE tessera_options Threads::Threads ${CMAKE_DL_LIBS})
set(sanitize)
if(TESSERA_SANITIZE)
    set(sanitize -fsanitize=${TESSERA_SANITIZE})
endif()
set(fortran_main ${CMAKE_CURRENT_BINARY_DIR}/library_main_f90)
add_custom_command(OUTPUT ${fortran_main}
    COMMAND ${TESSERA_FORTRAN} ${CMAKE_CURRENT_SOURCE_DIR}/library_main.f90 ${sanitize}
            ${library_link} -Wl,-rpath,${library_folder} -o ${fortran_main}
    DEPENDS library_main.f90 ${coarray_library_PROGRAM} caf_coarray_library VERBATIM
    COMMENT "Compiling library_main.f90")
add_custom_target(caf_library_main_f90 ALL DEPENDS ${fortran_main})

# caf_library(name PROGRAM status "regex" ARGUMENT...)
function(caf_library name program status output)
    coarray_test(library_${name} PROGRAM ${program} ARGUMENTS ${ARGN} STATUS ${status}
                 OUTPUT "${output}" LAYOUTS 1 3 3x3 TIMEOUT 120 MEMCHECK NONE
                 ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endfunction()
foreach(main c cpp)
    set(program $<TARGET_FILE:library_main_${main}>)
    caf_library(${main}_idle ${program} 0 "\\A\\Z" idle)
    caf_library(${main}_meet ${program} 0 passed meet)
    caf_library(${main}_return_code ${program} 3 passed return 3)
    caf_library(${main}_exit_zero ${program} 0 passed exit 0)
    caf_library(${main}_exit_code ${program} 3 passed exit 3)
    caf_library(${main}_stop_code ${program} 7 passed stop 7)
    caf_library(${main}_thread ${program} 0 passed thread)
    caf_library(${main}_fork ${program} 0 passed fork)
endforeach()
caf_library(cpp_late $<TARGET_FILE:library_main_cpp> 0 "passed\npassed" late)
caf_library(dlopen $<TARGET_FILE:library_main_alone> 0 passed dlopen ${coarray_library_PROGRAM})
caf_library(f90_idle ${fortran_main} 0 "\\A\\Z" idle)
foreach(way meet exit stop)
    caf_library(f90_${way} ${fortran_main} 0 passed ${way})
endforeach()

# The static library, in a program and in a shared library: constructors of coarrays run before
# those of the library.
coarrays_fortran(static_locks locks.f90 OPTIONS -static-libtessera)
coarrays_fortran(static_pointers access_pointers.f90 OPTIONS -static-libtessera)
coarrays_fortran(static_library coarray_library.f90
                 OPTIONS -shared -fPIC -static-libtessera)
foreach(name static_locks static_pointers static_library)
    add_dependencies(caf_${name} tessera_caf_static tessera_static)
endforeach()
caf_library(static_locks ${static_locks_PROGRAM} 0 passed)
caf_library(static_pointers ${static_pointers_PROGRAM} 0 passed)
caf_library(static_dlopen $<TARGET_FILE:library_main_alone> 0 passed
            dlopen ${static_library_PROGRAM})

# The library exports what the compiler calls, and what stands in front of libc's functions.
foreach(class "" 15 16)
    if(TARGET tessera_caf${class})
        add_test(NAME caf.exports${class}
                 COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/support/exports.py
                         ${CMAKE_NM} "_gfortran_caf_[a-z_]+|(__wrap_)?(free|realloc)"
                         $<TARGET_FILE:tessera_caf${class}>)
        set_tests_properties(caf.exports${class} PROPERTIES LABELS coarrays TIMEOUT 60)
    endif()
endforeach()
