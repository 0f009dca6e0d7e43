// SPDX-License-Identifier: BSD-3-Clause
//
// Where a PE's own code stands, with file and line: for the messages of fatal() and for reports of
// crashes. The PE collects the return addresses on its stack, osh_hang names them
// (session/reporter.hpp), so that the cost comes with the message alone.
#pragma once

#include <cstddef>
#include <span>

namespace tessera {

// "called by main (heat.c:12)": the innermost call in the program's own code; "" without debug
// information. THREADS: any.
void find_call_place(char* text, std::size_t bytes);

// In a signal handler: the calls from the interrupted one on, a line each, or "". `context` is the
// handler's, `fault` the address that could not be accessed.
void find_interrupted_calls(const void* context, const void* fault, std::span<char> text);

}  // namespace tessera
