// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an overload of C++ calls the routine of another type, or of the wrong family, or
// forgets its context: the test of the C11 names, compiled as C++.
#include "generics/generics_test.c"
