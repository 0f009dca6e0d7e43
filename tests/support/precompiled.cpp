// SPDX-License-Identifier: BSD-3-Clause
//
// Does nothing: CMake compiles the headers that programs.cmake lists for the target of this file.
int main() { return 0; }
