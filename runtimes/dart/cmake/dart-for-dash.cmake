# SPDX-License-Identifier: BSD-3-Clause
#
# Builds an unmodified DASH on this library. DASH's own project() reads this file, if it is named by
#   -DCMAKE_PROJECT_project_dash_INCLUDE=PREFIX/lib/cmake/Tessera/dart-for-dash.cmake
set(DART_IMPLEMENTATIONS tessera CACHE STRING "Implementations of DART that DASH is built for")

# DASH links its programs with dart-tessera, and compiles them with its own headers of DART.
if(NOT TARGET dart-tessera)
    get_filename_component(tessera_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
    add_library(dart-tessera INTERFACE IMPORTED GLOBAL)
    set_property(TARGET dart-tessera PROPERTY
                 INTERFACE_LINK_LIBRARIES "${tessera_libraries}/libdart-tessera.so")
endif()

if(NOT DART_IMPLEMENTATIONS MATCHES "mpi")
    # DASH looks for MPI in any case; a second configuration without MPI would fail.
    set(MPI_IMPL_ID none)
    # DASH's tests use this word, which they define for MPI only.
    # A property, because CMake escapes its quotes whatever policies DASH sets.
    set_property(DIRECTORY APPEND PROPERTY COMPILE_DEFINITIONS "TEST_SKIPPED=\"[SKIPPED]\"")
endif()
