# SPDX-License-Identifier: BSD-3-Clause
#
# The files that `cmake --install` installs: the library under all its names, headers, the CMake
# package Tessera (Tessera::shmem, Tessera::shmem_static), tessera.pc, the man pages, docs/ and
# examples/. Tools and runtimes install themselves. cmake/Packages.cmake has the components; a file
# without one belongs to dev.
include(CMakePackageConfigHelpers)

install(TARGETS tessera tessera_static EXPORT TesseraTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${TESSERA_LINK_NAMES} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION ${package_dir})
configure_package_config_file(cmake/TesseraConfig.cmake.in
    ${PROJECT_BINARY_DIR}/TesseraConfig.cmake INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake
              ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
        DESTINATION ${package_dir})

# Relative to the .pc file, so that an installed tree may be moved.
file(RELATIVE_PATH TESSERA_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/tessera.pc.in ${PROJECT_BINARY_DIR}/tessera.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# docs/run/porting.md
option(TESSERA_COMPAT "Install sandia-openshmem.pc, too, which names this library" OFF)
configure_file(cmake/sandia-openshmem.pc.in ${PROJECT_BINARY_DIR}/sandia-openshmem.pc @ONLY)
if(TESSERA_COMPAT)
    install(FILES ${PROJECT_BINARY_DIR}/sandia-openshmem.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

file(GLOB man_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
set(tool_pages ${man_pages})
list(FILTER tool_pages INCLUDE
     REGEX "/(oshrun|shmemrun|osh_hang|osh_info|osh_report|osh_tune)[.]1$")
list(REMOVE_ITEM man_pages ${tool_pages})
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${tool_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(FILES packaging/lsan.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera)
# The pages lie as in the sources, so that their links work, with the programs that readers copy.
set(pages ${CMAKE_INSTALL_DATADIR}/doc/tessera)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${pages} COMPONENT doc)
install(DIRECTORY docs examples DESTINATION ${pages} COMPONENT doc
        PATTERN __pycache__ EXCLUDE PATTERN man EXCLUDE)
file(GLOB_RECURSE readmes RELATIVE ${PROJECT_SOURCE_DIR} bench/README.md collectives/README.md
     packaging/README.md runtimes/README.md src/README.md tests/README.md transports/README.md)
foreach(linked ${readmes} bench/python/put.py)
    cmake_path(GET linked PARENT_PATH folder)
    install(FILES ${linked} DESTINATION ${pages}/${folder} COMPONENT doc)
endforeach()
