# SPDX-License-Identifier: BSD-3-Clause
#
# An installed DASH looks for its DART as the package DART-TESSERA, and links dart-tessera.
get_filename_component(tessera_packages "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
include("${tessera_packages}/Tessera/dart-for-dash.cmake")
