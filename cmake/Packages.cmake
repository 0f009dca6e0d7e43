# SPDX-License-Identifier: BSD-3-Clause
#
# CPack makes packages: `cpack --config build/library/CPackConfig.cmake` those for Debian, and with
# CPackSourceConfig.cmake a tarball of the sources. packaging/README.md has the commands.
#
#   component  package           contents
#   library    libtessera1       libtessera.so.1
#   caf        libcaf-tessera1   the runtimes of coarray Fortran
#   dart       libdart-tessera1  the runtime of DASH
#   dev        libtessera-dev    headers, static libraries, oshcc and its like, manual pages
#   tools      tessera-tools     oshrun, osh_info, osh_report, osh_tune, osh_hang
#   doc        tessera-doc       docs/ and examples/
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "the Tessera authors")
set(CPACK_PACKAGE_VERSION ${TESSERA_VERSION})
set(CPACK_PACKAGE_CONTACT "the Tessera authors <maintainers@tessera.invalid>")
set(CPACK_PACKAGE_HOMEPAGE_URL "http://openshmem.org")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/deb/stage.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library caf dart dev tools doc)

# Tildes sort before everything: 1.0.0~rc1 is older than 1.0.0.
string(REPLACE "-" "~" debian_version ${TESSERA_VERSION})
set(CPACK_DEBIAN_PACKAGE_VERSION ${debian_version})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # package_version_architecture.deb
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(this_version "(= ${debian_version})")

# tessera_package(component package SECTION libs SUMMARY "one line" TEXT "the description"
#                 [DEPENDS "names"] [RECOMMENDS "names"] [SUGGESTS "names"] [CONFLICTS "names"]
#                 [LIBRARIES name...] [NO_CODE] [ALL] [COMMANDS name...] [ALTERNATIVES])
# LIBRARIES: shared ones, without the ending. NO_CODE: no programs or shared libraries, so there is
# no need to look for them in each of 2000 files. ALL: for all processors. COMMANDS: commands with
# manual pages that openmpi-bin has, too; the package diverts them. ALTERNATIVES: caf and cafrun, as
# every package with coarrays offers them.
function(tessera_package component package)
    cmake_parse_arguments(arg "NO_CODE;ALL;ALTERNATIVES"
        "SECTION;SUMMARY;TEXT;DEPENDS;RECOMMENDS;SUGGESTS;CONFLICTS" "LIBRARIES;COMMANDS" ${ARGN})
    string(TOUPPER ${component} COMPONENT)
    set(prefix CPACK_DEBIAN_${COMPONENT})
    set(${prefix}_PACKAGE_NAME ${package} PARENT_SCOPE)
    set(${prefix}_PACKAGE_SECTION ${arg_SECTION} PARENT_SCOPE)
    set(CPACK_COMPONENT_${COMPONENT}_DESCRIPTION "${arg_SUMMARY}\n${arg_TEXT}" PARENT_SCOPE)
    set(${prefix}_PACKAGE_DEPENDS "${arg_DEPENDS}" PARENT_SCOPE)
    set(${prefix}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}" PARENT_SCOPE)
    set(${prefix}_PACKAGE_SUGGESTS "${arg_SUGGESTS}" PARENT_SCOPE)
    set(${prefix}_PACKAGE_CONFLICTS "${arg_CONFLICTS}" PARENT_SCOPE)
    if(arg_ALL)
        set(${prefix}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
    endif()
    if(arg_NO_CODE)
        set(${prefix}_PACKAGE_SHLIBDEPS OFF PARENT_SCOPE)
    endif()

    set(control ${PROJECT_BINARY_DIR}/packaging/${package})
    set(scripts "")
    if(arg_COMMANDS)
        string(REPLACE ";" " " COMMANDS "${arg_COMMANDS}")
        list(APPEND scripts preinst postrm)
    endif()
    if(arg_ALTERNATIVES)
        list(APPEND scripts postinst prerm)
    endif()
    set(extra "")
    # The file shlibs names the package that programs with these libraries depend on; the
    # trigger brings the cache of the linker up to date.
    if(arg_LIBRARIES)
        list(TRANSFORM arg_LIBRARIES REPLACE "(.+)"
             "\\1 ${PROJECT_VERSION_MAJOR} ${package} (>= ${debian_version})\n")
        string(JOIN "" shlibs ${arg_LIBRARIES})
        file(WRITE ${control}/shlibs "${shlibs}")
        file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
        list(APPEND extra ${control}/shlibs ${control}/triggers)
    endif()
    foreach(script IN LISTS scripts)
        configure_file(${PROJECT_SOURCE_DIR}/packaging/deb/${script}.in ${control}/${script} @ONLY
                       FILE_PERMISSIONS ${TESSERA_EXECUTABLE})
        list(APPEND extra ${control}/${script})
    endforeach()
    set(${prefix}_PACKAGE_CONTROL_EXTRA "${extra}" PARENT_SCOPE)

    # Policy wants these in every package. Only a package's own component installs them.
    set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package})
    install(FILES packaging/deb/copyright DESTINATION ${documents} COMPONENT ${component}
            EXCLUDE_FROM_ALL)
    configure_file(packaging/deb/changelog.in ${PROJECT_BINARY_DIR}/packaging/changelog @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/packaging/changelog DESTINATION ${documents}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
    install(FILES packaging/deb/${package}.lintian-overrides
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides RENAME ${package}
            COMPONENT ${component} EXCLUDE_FROM_ALL OPTIONAL)
endfunction()

tessera_package(library libtessera1 SECTION libs SUMMARY "OpenSHMEM 1.6 library"
    TEXT "Tessera lets many processes read, write and atomically change each
other's memory, on one node by loads and stores, between nodes by libfabric.
This package has the shared library that programs need to run."
    DEPENDS "libfabric1, libpmix2" RECOMMENDS tessera-tools LIBRARIES libtessera)
tessera_package(caf libcaf-tessera1 SECTION libs SUMMARY "coarray Fortran on OpenSHMEM"
    TEXT "The runtimes that coarray programs need, which gfortran has compiled
with the command caf of libtessera-dev, or which call PRIF. It uses libdw, where that is
installed, to find how functions for co_reduce return small derived types."
    RECOMMENDS libdw1 LIBRARIES libcaf_tessera libcaf_tessera_gcc15 libcaf_tessera_gcc16
    libprif-tessera-core)
tessera_package(dart libdart-tessera1 SECTION libs
    SUMMARY "DART, the runtime of DASH, on OpenSHMEM"
    TEXT "Programs that use the C++ library DASH run on this library instead of MPI."
    LIBRARIES libdart-tessera)
tessera_package(dev libtessera-dev SECTION libdevel
    SUMMARY "OpenSHMEM 1.6 library, development files"
    TEXT "Headers, static libraries, the compiler wrappers oshcc, oshc++,
oshfort, caf and prifc, the CMake package Tessera, pkg-config files, and a manual
page for every routine."
    DEPENDS "libtessera1 ${this_version}, libcaf-tessera1 ${this_version}, \
libdart-tessera1 ${this_version}, gcc, libc6-dev, libhwloc-dev"
    RECOMMENDS "tessera-tools, g++" SUGGESTS "gfortran, tessera-doc" CONFLICTS openmpi-doc NO_CODE
    COMMANDS oshcc oshc++ oshcxx oshCC shmemcc shmemc++ oshfort shmemfort ALTERNATIVES)
tessera_package(tools tessera-tools SECTION utils
    SUMMARY "launcher and tools of the Tessera OpenSHMEM"
    TEXT "oshrun starts programs, osh_info shows the library, the machine and
the settings, osh_tune measures what the choice of algorithms needs, osh_report
shows where the time of a program goes, osh_hang says what the PEs of a hung job
wait for."
    DEPENDS "libtessera1 ${this_version}" RECOMMENDS "openssh-client, python3-plotly"
    COMMANDS oshrun shmemrun)
tessera_package(doc tessera-doc SECTION doc
    SUMMARY "OpenSHMEM 1.6 library, documents and examples"
    TEXT "How to use and tune the library, how it works inside, and small
programs." ALL NO_CODE)

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME tessera-${TESSERA_VERSION})
# The sources may lie below a folder named build; a point stands for any character of their path.
string(REGEX REPLACE "[^A-Za-z0-9/_-]" "." sources "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${sources}/build/" "/[.]git$" "/[.]git/" "/__pycache__/" "[.]swp$")
include(CPack)
