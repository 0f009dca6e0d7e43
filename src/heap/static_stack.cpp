// SPDX-License-Identifier: BSD-3-Clause
//
// See static_stack.hpp. Both functions cost a few compares where no stack is in static data.
#include "heap/static_stack.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/fatal.hpp"
#include "heap/static_fork.hpp"

// The C library's own names. The second is there in fully static programs only, and only where
// thrd_create() needs it (find_replaced_functions).
extern "C" pid_t __fork();
extern "C" [[gnu::weak]] int __pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*),
                                              void*);

namespace tessera::heap {
namespace {

// The program's fork handlers run on it, too.
constexpr std::size_t kForkStackBytes = std::size_t{256} << 10;

using Fork = pid_t (*)();
using CreateThread = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

Fork g_fork = nullptr;
CreateThread g_create_thread = nullptr;

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Sanitizers have a fork() of their own, which comes before the C library's.
pid_t next_fork() {
    if (g_fork == nullptr) find_replaced_functions();
    return g_fork();
}

[[gnu::noinline]] bool is_on_shared_page() {
    return is_shared_page(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
}

// Lies on the stack of fork_on_private_stack().
struct Call {
    ucontext_t caller;
    ucontext_t callee;
    pid_t result = -1;
    int error = 0;
};

// A pointer in two parts: makecontext passes arguments of type int.
void run_fork(unsigned high, unsigned low) {
    auto* call = reinterpret_cast<Call*>(std::uintptr_t{high} << 32 | low);
    call->result = next_fork();
    call->error = errno;
}

// Parent and child come back here, the child on its own pages by now.
pid_t fork_on_private_stack() {
    void* stack = ::mmap(nullptr, kForkStackBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return -1;
    Call call;
    ::getcontext(&call.callee);
    call.callee.uc_stack.ss_sp = stack;
    call.callee.uc_stack.ss_size = kForkStackBytes;
    call.callee.uc_link = &call.caller;
    const auto number = reinterpret_cast<std::uintptr_t>(&call);
    ::makecontext(&call.callee, reinterpret_cast<void (*)()>(run_fork), 2,
                  static_cast<unsigned>(number >> 32), static_cast<unsigned>(number));
    ::swapcontext(&call.caller, &call.callee);
    ::munmap(stack, kForkStackBytes);
    errno = call.error;
    return call.result;
}

bool has_static_stack(const pthread_attr_t& attributes) {
    void* stack = nullptr;
    std::size_t bytes = 0;
    if (::pthread_attr_getstack(&attributes, &stack, &bytes) != 0 || bytes == 0) return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(stack);
    return is_shared_page(begin) || is_shared_page(begin + bytes - 1);
}

// Everything but the place of the stack. RETURNS: 0, or an errno.
int copy_attributes(const pthread_attr_t& from, pthread_attr_t& to) {
    std::size_t bytes = 0;
    int number = 0;
    sched_param parameters{};
    cpu_set_t cpus;
    sigset_t signals;
    ::pthread_attr_getstacksize(&from, &bytes);
    int error = ::pthread_attr_setstacksize(&to, bytes);
    ::pthread_attr_getdetachstate(&from, &number);
    ::pthread_attr_setdetachstate(&to, number);
    ::pthread_attr_getinheritsched(&from, &number);
    ::pthread_attr_setinheritsched(&to, number);
    ::pthread_attr_getschedpolicy(&from, &number);
    ::pthread_attr_setschedpolicy(&to, number);
    ::pthread_attr_getschedparam(&from, &parameters);
    ::pthread_attr_setschedparam(&to, &parameters);
    ::pthread_attr_getscope(&from, &number);
    ::pthread_attr_setscope(&to, number);
    // An attribute without a set of CPUs reports all of them, also those that do not exist.
    if (error == 0 && ::pthread_attr_getaffinity_np(&from, sizeof cpus, &cpus) == 0 &&
        CPU_COUNT(&cpus) < CPU_SETSIZE) {
        error = ::pthread_attr_setaffinity_np(&to, sizeof cpus, &cpus);
    }
    if (error == 0 && ::pthread_attr_getsigmask_np(&from, &signals) == 0)
        error = ::pthread_attr_setsigmask_np(&to, &signals);
    return error;
}

int create_on_private_stack(pthread_t* thread, const pthread_attr_t& attributes,
                            void* (*start)(void*), void* argument) {
    pthread_attr_t copy;
    int error = ::pthread_attr_init(&copy);
    if (error != 0) return error;
    error = copy_attributes(attributes, copy);
    if (error == 0) error = g_create_thread(thread, &copy, start, argument);
    ::pthread_attr_destroy(&copy);
    return error;
}

}  // namespace

void find_replaced_functions() {
    g_create_thread = next<CreateThread>("pthread_create");
    g_fork = next<Fork>("fork");
    if (g_fork == nullptr) g_fork = __fork;
    auto* volatile needed = &::thrd_create;
    if (g_create_thread == nullptr && needed != nullptr) g_create_thread = __pthread_create;
    // Where another library brings this one along, the C library may come before it.
    if (g_create_thread == nullptr) {
        void* libc = ::dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
        if (libc != nullptr)
            g_create_thread = reinterpret_cast<CreateThread>(::dlsym(libc, "pthread_create"));
    }
}

void check_stack_of_fork() {
    if (!is_on_shared_page()) return;
    fatal(
        "fork: the stack of the caller (a signal handler or a coroutine) lies in static data, and "
        "daemon, forkpty or another library has called fork past Tessera's; call fork itself, take "
        "the stack from malloc, or set SHMEM_STATIC_DATA=cma");
}

}  // namespace tessera::heap

// In place of the C library's. Weak: a program may bring its own.
extern "C" [[gnu::weak, gnu::visibility("default")]] pid_t fork() noexcept {
    namespace heap = tessera::heap;
    return heap::is_on_shared_page() ? heap::fork_on_private_stack() : heap::next_fork();
}

extern "C" [[gnu::weak, gnu::visibility("default")]] int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
    void* argument) noexcept {
    namespace heap = tessera::heap;
    if (heap::g_create_thread == nullptr) heap::find_replaced_functions();
    const bool is_static = attributes != nullptr && heap::has_static_stack(*attributes);
    return is_static ? heap::create_on_private_stack(thread, *attributes, start, argument)
                     : heap::g_create_thread(thread, attributes, start, argument);
}
