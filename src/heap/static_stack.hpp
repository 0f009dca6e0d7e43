// SPDX-License-Identifier: BSD-3-Clause
//
// fork() by code whose stack lies in shared static data: the alternate stack of a signal handler,
// or the stack of a coroutine. After a fork, parent and child run on it at the same time, until the
// child's handler (static_fork.hpp) has moved its own pages there; on shared pages each would
// overwrite the other's frames. So the library has a fork() of its own, which calls the C library's
// on a stack of private memory. A thread's stack also holds the thread's descriptor, which the C
// library writes in the child before any handler runs; so pthread_create() gives a thread private
// memory in place of a stack in static data.
#pragma once

namespace tessera::heap {

// Finds the functions that the two replace, while that is safe. Called by the constructor.
void find_replaced_functions();

// For the handler before a fork: ends the job where this thread's stack lies in shared pages, and
// the call of fork() has not come here (daemon() and forkpty() call it inside the C library).
void check_stack_of_fork();

}  // namespace tessera::heap
