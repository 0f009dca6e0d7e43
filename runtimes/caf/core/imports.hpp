// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of this library that a program can call at all, before it does.

#pragma once

namespace tessera::caf {

// Whether a program or shared library of this process wants one of the names from others (ELF:
// undefined dynamic symbols). With the static library no object asks for names: true. THREADS: any.
bool is_any_imported(const char* const* names, int count);

}  // namespace tessera::caf
