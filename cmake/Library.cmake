# SPDX-License-Identifier: BSD-3-Clause
#
# libtessera.so and libtessera.a out of the folders' object libraries.
set(TESSERA_ROOMS tessera_session tessera_settings tessera_fabric_outlook tessera_teams
                  tessera_locks tessera_progress tessera_memory)
set(TESSERA_OBJECT_LIBRARIES
    tessera_api tessera_collectives tessera_kernels tessera_messaging ${TESSERA_ROOMS} tessera_core
    tessera_heap tessera_node_file tessera_launch tessera_topology ${TESSERA_TRANSPORTS}
    tessera_base)
foreach(library IN LISTS TESSERA_OBJECT_LIBRARIES)
    list(APPEND TESSERA_OBJECTS $<TARGET_OBJECTS:${library}>)
endforeach()
# The kernels include little, and are compiled for several processors.
tessera_precompile(HEADERS ${TESSERA_COMMON_HEADERS}
    TARGETS tessera_base ${TESSERA_ROOMS} tessera_core tessera_heap tessera_node_file
            tessera_launch tessera_topology ${TESSERA_TRANSPORTS})
# Nearly all files here include these two, which take longer than most algorithms.
tessera_precompile(HEADERS ${TESSERA_COMMON_HEADERS} <cmath> <thread>
    ${PROJECT_SOURCE_DIR}/src/core/context.hpp ${PROJECT_SOURCE_DIR}/collectives/algorithm.hpp
    TARGETS tessera_collectives tessera_api tessera_messaging)

add_library(tessera SHARED ${TESSERA_OBJECTS})
add_library(tessera_static STATIC ${TESSERA_OBJECTS})
set_target_properties(tessera_static PROPERTIES OUTPUT_NAME tessera EXPORT_NAME shmem_static)
set_target_properties(tessera PROPERTIES
    EXPORT_NAME shmem
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/tessera.map)
foreach(library tessera tessera_static)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
# A program may start the library in a constructor of its own, as coarray programs do. Constructors
# of a shared library run before; those of the static one do if they have a priority.
add_custom_command(TARGET tessera_static POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --rename-section .init_array=.init_array.00200
            $<TARGET_FILE:tessera_static> VERBATIM)
add_library(Tessera::shmem ALIAS tessera)
add_library(Tessera::shmem_static ALIAS tessera_static)

target_link_libraries(tessera PRIVATE tessera_options PkgConfig::HWLOC Threads::Threads
                                      ${CMAKE_DL_LIBS})
# Never unloaded: the system calls into it at exit, at fork and from threads, and the program's
# static data lies in memory that it made.
target_link_options(tessera PRIVATE -Wl,-z,nodelete)
target_link_options(tessera PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/tessera.map -Wl,-z,relro -Wl,-z,now)
if(NOT TESSERA_SANITIZE)
    # A sanitizer's runtime comes with the program, so only here everything must be defined.
    target_link_options(tessera PRIVATE -Wl,--no-undefined)
    # Loading libstdc++ costs every PE 0.4 ms; the parts that the library needs fit in a few pages.
    # libgcc is the system's: the end of a cancelled thread unwinds with that one, and a second copy
    # in the library aborts (src/base/cancellation.hpp).
    target_link_options(tessera PRIVATE -static-libstdc++)
endif()
# The libraries that a program needs beside the static library.
target_link_libraries(tessera_static INTERFACE hwloc Threads::Threads ${CMAKE_DL_LIBS} stdc++ m)
# The names that tools look for.
foreach(name sma oshmem)
    list(APPEND TESSERA_LINK_NAMES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so)
    add_custom_command(TARGET tessera POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E create_symlink libtessera.so
                ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so)
endforeach()
