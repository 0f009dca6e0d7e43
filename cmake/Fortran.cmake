# SPDX-License-Identifier: BSD-3-Clause
#
# Is there a Fortran compiler? The library needs none. The parts in Fortran (the module shmem,
# coarray tests, examples and benchmarks) are built only with one, by the wrappers oshfort and caf.
# So Fortran is no language of this project: TESSERA_FORTRAN is the path of gfortran, or false.
find_program(TESSERA_FORTRAN NAMES $ENV{FC} gfortran gfortran-14 gfortran-13 gfortran-12
             DOC "The GNU Fortran compiler, for the parts of Tessera that are written in Fortran")
set(TESSERA_FORTRAN_VERSION 0)
if(TESSERA_FORTRAN)
    execute_process(COMMAND ${TESSERA_FORTRAN} -dumpfullversion
                    OUTPUT_VARIABLE TESSERA_FORTRAN_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE
                    RESULT_VARIABLE status ERROR_QUIET)
    if(NOT status EQUAL 0)
        message(STATUS "${TESSERA_FORTRAN} is not GNU Fortran: no Fortran parts")
        set(TESSERA_FORTRAN FALSE)
    endif()
else()
    message(STATUS "No gfortran: the module shmem and the coarray tests are not built")
endif()
