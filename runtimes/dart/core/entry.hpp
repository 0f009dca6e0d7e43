// SPDX-License-Identifier: BSD-3-Clause
//
// Opens the definition of a routine of the interface, inside of the namespace: nothing else is
// visible outside of the library.

#pragma once

#define DART_ENTRY extern "C" __attribute__((visibility("default"), nothrow))
