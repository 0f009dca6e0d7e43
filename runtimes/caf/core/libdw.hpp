// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of elfutils' libdw that result_type.cpp calls. The library is loaded when they are
// first wanted: few programs need it, and a machine may be without it.

#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace tessera::caf {

#define TESSERA_LIBDW_FUNCTIONS(X)  \
    X(dwfl_begin)                   \
    X(dwfl_end)                     \
    X(dwfl_report_begin)            \
    X(dwfl_report_end)              \
    X(dwfl_linux_proc_report)       \
    X(dwfl_linux_proc_find_elf)     \
    X(dwfl_build_id_find_debuginfo) \
    X(dwfl_addrmodule)              \
    X(dwfl_module_nextcu)           \
    X(dwfl_module_addrinfo)         \
    X(dwarf_haspc)                  \
    X(dwarf_tag)                    \
    X(dwarf_child)                  \
    X(dwarf_siblingof)              \
    X(dwarf_hasattr)                \
    X(dwarf_attr)                   \
    X(dwarf_attr_integrate)         \
    X(dwarf_formref_die)            \
    X(dwarf_formudata)              \
    X(dwarf_formstring)             \
    X(dwarf_peel_type)              \
    X(dwarf_bytesize)               \
    X(dwarf_aggregate_size)         \
    X(dwarf_diename)

struct Libdw {
#define TESSERA_DECLARE(NAME) decltype(&::NAME) NAME;
    TESSERA_LIBDW_FUNCTIONS(TESSERA_DECLARE)
#undef TESSERA_DECLARE
};

// RETURNS: NULL if libdw cannot be loaded, or lacks a function.
const Libdw* libdw();

}  // namespace tessera::caf
