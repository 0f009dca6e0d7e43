# SPDX-License-Identifier: BSD-3-Clause
#
# CPack calls this before it packs the files of the packages. It makes the changes that Debian wants
# against an installation in a folder of its own. The source tarball stays as it is.
if(CPACK_SOURCE_PACKAGE_FILE_NAME STREQUAL CPACK_PACKAGE_FILE_NAME)
    return()
endif()

# caf and cafrun are names that several packages offer (postinst.in).
foreach(command caf cafrun)
    file(GLOB staged ${CPACK_TEMPORARY_DIRECTORY}/dev/usr/bin/${command})
    if(staged)
        file(RENAME ${staged} ${staged}.tessera)
        set(pages ${CPACK_TEMPORARY_DIRECTORY}/dev/usr/share/man/man1)
        file(RENAME ${pages}/${command}.1 ${pages}/${command}.tessera.1)
    endif()
endforeach()

# Manual pages and the list of changes are compressed, without the time of compression.
execute_process(
    COMMAND find ${CPACK_TEMPORARY_DIRECTORY} ( -path */share/man/* -o -name changelog ) -type f
            -exec gzip -9n {} +
    COMMAND_ERROR_IS_FATAL ANY)
