# SPDX-License-Identifier: BSD-3-Clause
#
# The compiler wrappers oshcc, oshc++, oshfort, caf and prifc: shell scripts from one template
# (wrapper.in), and links for the other names that people type. They use the compilers of this
# build. With a sanitizer in the library they add it to every program, which must then have it, too.
# Those in the build folder use the headers of the sources and the library where it was built.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}"
           OUTPUT_VARIABLE TESSERA_PREFIX_FROM_BINDIR)
set(TESSERA_COMMANDS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(TESSERA_EXECUTABLE OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                       WORLD_EXECUTE)
# The libraries that the static library needs behind it.
set(TESSERA_STATIC_LIBS "-l:libtessera.a -lhwloc -lstdc++ -ldl -lpthread -lm")

# tessera_wrapper(oshcc COMPILER /usr/bin/cc PROGRAMS "OpenSHMEM programs in C"
#                 OVERRIDES OSHCC_CC CC INCLUDEDIR include BUILD_INCLUDEDIR DIR
#                 [FLAGS "-g -fcoarray=lib"] [LIBS "-ltessera -lm"] [STATIC_LIBS ...]
#                 [STANDARD "OpenSHMEM 1.6"] [SHORT_OPTIONS case...] [HELP text]
#                 [CHOICE "case ..."])
# OVERRIDES are the variables that name another compiler: ours, and the one of all builds.
# Three parts of the script may stand in variables, because they contain semicolons: WRAPPER_HELP,
# WRAPPER_SHORT_OPTIONS (cases), and WRAPPER_CHOICE, which may change $libs and $required. A fourth
# one has the options of --check that not all compilers know: WRAPPER_CHECK_FLAGS.
function(tessera_wrapper name)
    cmake_parse_arguments(arg "" "COMPILER;PROGRAMS;INCLUDEDIR;BUILD_INCLUDEDIR;FLAGS;LIBS;\
STATIC_LIBS;STANDARD" "OVERRIDES" ${ARGN})
    set(WRAPPER_NAME ${name})
    set(WRAPPER_LIBS "-ltessera -lm")
    set(WRAPPER_STATIC_LIBS "${TESSERA_STATIC_LIBS}")
    set(WRAPPER_STANDARD "OpenSHMEM 1.6")
    foreach(part COMPILER PROGRAMS LIBS STATIC_LIBS STANDARD)
        if(arg_${part})
            set(WRAPPER_${part} "${arg_${part}}")
        endif()
    endforeach()
    if(NOT DEFINED WRAPPER_SHORT_OPTIONS)
        set(WRAPPER_SHORT_OPTIONS "0) ;;")
    endif()
    list(GET arg_OVERRIDES 0 WRAPPER_OVERRIDE)
    list(GET arg_OVERRIDES 1 WRAPPER_OVERRIDE_COMMON)
    set(WRAPPER_PACKAGE_CC gcc)
    set(WRAPPER_PACKAGE_CXX g++)
    set(WRAPPER_PACKAGE_FC gfortran)
    set(WRAPPER_PACKAGE ${WRAPPER_PACKAGE_${WRAPPER_OVERRIDE_COMMON}})
    set(WRAPPER_REQUIRED_FLAGS "${arg_FLAGS}")
    # Copies stay calls, which the checker sees. The Fortran compiler does not know these options.
    if(NOT DEFINED WRAPPER_CHECK_FLAGS)
        set(WRAPPER_CHECK_FLAGS "-fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset")
    endif()
    if(TESSERA_SANITIZE)
        set(WRAPPER_REQUIRED_FLAGS "-fsanitize=${TESSERA_SANITIZE} ${arg_FLAGS}")
    endif()
    set(template ${PROJECT_SOURCE_DIR}/cmake/wrapper.in)
    set(WRAPPER_INCLUDEDIR ${arg_INCLUDEDIR})
    set(WRAPPER_PREFIX_FROM_BINDIR ${TESSERA_PREFIX_FROM_BINDIR})
    configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${name} @ONLY
                   FILE_PERMISSIONS ${TESSERA_EXECUTABLE})
    install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
    set(WRAPPER_INCLUDEDIR ${arg_BUILD_INCLUDEDIR})
    set(WRAPPER_PREFIX_FROM_BINDIR ..)
    set(CMAKE_INSTALL_LIBDIR ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    configure_file(${template} ${TESSERA_COMMANDS}/${name} @ONLY
                   FILE_PERMISSIONS ${TESSERA_EXECUTABLE})
endfunction()

# tessera_other_name(name command [COMPONENT tools]): another name for a command, as a link.
function(tessera_other_name name command)
    file(CREATE_LINK ${command} ${TESSERA_COMMANDS}/${name} SYMBOLIC)
    install(FILES ${TESSERA_COMMANDS}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR} ${ARGN})
endfunction()
