// SPDX-License-Identifier: BSD-3-Clause
//
// The calls to the system that a PE makes. The simulator's program defines and exports functions of
// the C library, so the copies of the program that it loads find these first: a PE has a number of
// process of its own, the clock is the virtual one, a sleep is a switch, random numbers follow from
// the seed, and signals, limits and bindings do nothing. Calls of the simulator itself, and all
// other functions, go to the C library.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/inherited.hpp"
#include "real_calls.hpp"
#include "world.hpp"

using sim::Pe;
using sim::pid_of;
using sim::world;

// NOLINTBEGIN: the names are the C library's.
#pragma GCC visibility push(default)
#define EXPORTED extern "C" __attribute__((used))

namespace {

bool is_fiber() { return world.current != nullptr; }
std::uint64_t ns_of(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}
void sleep_for(std::uint64_t ns) { world.wait({}, world.now() + ns, "the time"); }

long futex(std::uint32_t* word, int operation, std::uint32_t value, const timespec* limit) {
    const sim::Key key = world.key_of(word);
    switch (operation & FUTEX_CMD_MASK) {
        case FUTEX_WAIT:
            if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
                errno = EAGAIN;
                return -1;
            }
            // The system may end it without a reason, as by a wake-up that comes twice.
            if (world.random_below(64) == 0) {
                sleep_for(world.random_below(1000));
                errno = EINTR;
                return world.random_below(2) == 0 ? 0 : -1;
            }
            if (world.wait(key, limit != nullptr ? world.now() + ns_of(*limit) : sim::kNever,
                           "a futex")) {
                return 0;
            }
            errno = ETIMEDOUT;
            return -1;
        case FUTEX_WAKE: world.wake(key, value); return 0;
        default: break;
    }
    errno = ENOSYS;
    return -1;
}

// The last words of a PE to its launcher.
void take_control_message(const void* bytes, std::size_t count) {
    tessera::ControlMessage message{};
    if (count != sizeof message) return;
    std::memcpy(&message, bytes, sizeof message);
    if (message.kind != tessera::ControlMessage::kGlobalExit) return;
    if (message.code != 0)
        std::fprintf(stderr, "sim: PE %d ends the job with status %d\n", message.pe, message.code);
    world.finish(message.code);
}

void run_exit_handlers(Pe& pe, int status) {
    while (!pe.exit_handlers.empty()) {
        const sim::ExitHandler handler = pe.exit_handlers.back();
        pe.exit_handlers.pop_back();
        if (handler.with_status != nullptr) handler.with_status(status, handler.argument);
        if (handler.function != nullptr) handler.function(handler.argument);
    }
}

}  // namespace

namespace sim {

void* real_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                off_t offset) {
    return REAL(mmap)(address, bytes, protection, flags, file, offset);
}
void real_exit(int status) {
    REAL(_exit)(status);
    __builtin_unreachable();
}

}  // namespace sim

// ---- The process ----

EXPORTED char* getenv(const char* name) noexcept {
    if (Pe* pe = world.acting()) {
        if (std::strcmp(name, "TESSERA_JOB") == 0) return pe->job.data();
        if (std::strcmp(name, "PMIX_RANK") == 0) return pe->rank.data();
    }
    return REAL(getenv)(name);
}
EXPORTED pid_t getpid() noexcept {
    const Pe* pe = world.acting();
    return pe != nullptr ? pid_of(*pe) : REAL(getpid)();
}
EXPORTED pid_t gettid() noexcept {
    return is_fiber() ? pid_of(*world.current->pe) + world.current->number : REAL(gettid)();
}
EXPORTED int kill(pid_t pid, int signal) noexcept {
    if (!is_fiber()) return REAL(kill)(pid, signal);
    if (signal == 0) return 0;
    for (Pe& pe : world.pes) {
        if (signal == SIGKILL && pid_of(pe) == pid && !pe.has_ended) {
            world.kill_pe(pe);
            return 0;
        }
    }
    std::fprintf(stderr, "sim: PE %d sends signal %d\n", world.current->pe->number, signal);
    world.finish(128 + signal);
}
EXPORTED int raise(int signal) noexcept {
    return is_fiber() ? kill(getpid(), signal) : REAL(raise)(signal);
}
EXPORTED void abort() noexcept {
    if (!is_fiber()) REAL(abort)();
    std::fprintf(stderr, "sim: PE %d has called abort\n", world.current->pe->number);
    world.finish(128 + SIGABRT);
}
EXPORTED void _exit(int status) {
    if (!is_fiber()) sim::real_exit(status);
    world.end_pe(status);
}
EXPORTED void exit(int status) noexcept {
    if (!is_fiber()) {
        REAL(exit)(status);
        __builtin_unreachable();
    }
    run_exit_handlers(*world.current->pe, status);
    world.end_pe(status);
}
EXPORTED int on_exit(void (*function)(int, void*), void* argument) noexcept {
    Pe* pe = world.acting();
    if (pe == nullptr) return REAL(on_exit)(function, argument);
    pe->exit_handlers.push_back({.with_status = function, .argument = argument});
    return 0;
}
extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* object) noexcept;
EXPORTED int __cxa_atexit(void (*function)(void*), void* argument, void* object) noexcept {
    Pe* pe = world.acting();
    if (pe == nullptr) return REAL(__cxa_atexit)(function, argument, object);
    pe->exit_handlers.push_back({.function = function, .argument = argument});
    return 0;
}
// Destructors of a thread's variables do not run.
extern "C" int __cxa_thread_atexit(void (*function)(void*), void* argument, void* object) noexcept;
EXPORTED int __cxa_thread_atexit(void (*)(void*), void*, void*) noexcept { return 0; }
extern "C" int __register_atfork(void (*)(), void (*)(), void (*)(), void*) noexcept;
EXPORTED int __register_atfork(void (*)(), void (*)(), void (*)(), void*) noexcept { return 0; }
EXPORTED int prctl(int, ...) noexcept { return 0; }
EXPORTED unsigned alarm(unsigned) noexcept { return 0; }
// The signal ends the PE.
EXPORTED useconds_t ualarm(useconds_t us, useconds_t) noexcept {
    const auto die = [](void* pe) { world.kill_pe(*static_cast<Pe*>(pe)); };
    world.at(world.now() + std::uint64_t{us} * 1000, die, world.current->pe);
    return 0;
}
EXPORTED int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
    if (world.acting() == nullptr) return REAL(sigaction)(signal, action, old);
    if (old != nullptr) std::memset(old, 0, sizeof *old);
    return 0;
}
EXPORTED int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
    if (world.acting() == nullptr) return REAL(sigaltstack)(stack, old);
    if (old != nullptr) *old = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    return 0;
}
EXPORTED int pthread_sigmask(int, const sigset_t*, sigset_t* old) noexcept {
    if (old != nullptr) sigemptyset(old);
    return 0;
}
EXPORTED int sched_setaffinity(pid_t, size_t, const cpu_set_t*) noexcept { return 0; }
// A descriptor's owner and signals, and locks of files between processes: there is one process.
EXPORTED int fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void* argument = va_arg(list, void*);
    va_end(list);
    if (world.acting() != nullptr) {
        for (int ignored : {F_SETOWN, F_SETSIG, F_SETFL, F_SETLK, F_SETLKW, F_SETOWN_EX}) {
            if (command == ignored) return 0;
        }
    }
    return REAL(fcntl)(file, command, argument);
}
EXPORTED ssize_t write(int file, const void* bytes, size_t count) {
    if (is_fiber() && file == world.current->pe->control_fd) {
        take_control_message(bytes, count);
        return static_cast<ssize_t>(count);
    }
    return REAL(write)(file, bytes, count);
}

// ---- Memory ----

EXPORTED void* mmap(void* address, size_t bytes, int protection, int flags, int file,
                    off_t offset) noexcept {
    if (world.acting() == nullptr || (flags & MAP_SHARED) == 0 || file < 0)
        return sim::real_mmap(address, bytes, protection, flags, file, offset);
    return world.map_shared(address, bytes, file, offset, (flags & MAP_FIXED) != 0);
}
EXPORTED int munmap(void* address, size_t bytes) noexcept {
    return world.acting() != nullptr ? world.unmap(address, bytes) : REAL(munmap)(address, bytes);
}

namespace {

// All PEs lie in this process.
ssize_t copy_vectors(const iovec* to, unsigned long to_count, const iovec* from,
                     unsigned long from_count) {
    ssize_t copied = 0;
    std::size_t at = 0;
    std::size_t done = 0;
    for (unsigned long i = 0; i < from_count; ++i) {
        for (std::size_t taken = 0; taken < from[i].iov_len;) {
            while (at < to_count && done == to[at].iov_len) {
                ++at;
                done = 0;
            }
            if (at == to_count) return copied;
            const std::size_t bytes = std::min(from[i].iov_len - taken, to[at].iov_len - done);
            std::memcpy(static_cast<char*>(to[at].iov_base) + done,
                        static_cast<const char*>(from[i].iov_base) + taken, bytes);
            taken += bytes;
            done += bytes;
            copied += static_cast<ssize_t>(bytes);
        }
    }
    return copied;
}

}  // namespace

EXPORTED ssize_t process_vm_readv(pid_t, const iovec* local, unsigned long local_count,
                                  const iovec* remote, unsigned long remote_count,
                                  unsigned long) noexcept {
    return copy_vectors(local, local_count, remote, remote_count);
}
EXPORTED ssize_t process_vm_writev(pid_t, const iovec* local, unsigned long local_count,
                                   const iovec* remote, unsigned long remote_count,
                                   unsigned long) noexcept {
    world.note_progress();  // It wakes no waiter: these find the new value when they look again.
    return copy_vectors(remote, remote_count, local, local_count);
}

// A PE's program comes first, as it would in its process.
EXPORTED int dl_iterate_phdr(int (*look)(dl_phdr_info*, size_t, void*), void* argument) {
    struct Search {
        int (*look)(dl_phdr_info*, size_t, void*);
        void* argument;
        const Pe* pe;
    };
    Search search{look, argument, world.acting()};
    if (search.pe != nullptr) {
        const int found = REAL(dl_iterate_phdr)(
            [](dl_phdr_info* info, size_t bytes, void* state) {
                const auto& mine = *static_cast<const Search*>(state);
                if (mine.pe->file != info->dlpi_name) return 0;
                return mine.look(info, bytes, mine.argument);
            },
            &search);
        if (found != 0) return found;
    }
    return REAL(dl_iterate_phdr)(look, argument);
}
// The launcher's library is pmix.cpp.
EXPORTED void* dlopen(const char* name, int flags) noexcept {
    if (world.acting() != nullptr && name != nullptr && std::strstr(name, "libpmix") != nullptr)
        return REAL(dlopen)(nullptr, flags);
    return REAL(dlopen)(name, flags);
}

// ---- Time ----

EXPORTED int clock_gettime(clockid_t clock, timespec* time) noexcept {
    if (!is_fiber()) return REAL(clock_gettime)(clock, time);
    const std::uint64_t now = world.now();
    time->tv_sec = static_cast<time_t>(now / 1'000'000'000U);
    time->tv_nsec = static_cast<long>(now % 1'000'000'000U);
    return 0;
}
EXPORTED int sched_yield() noexcept {
    world.yield(world.character.yield_ns);
    return 0;
}
EXPORTED int usleep(useconds_t us) {
    if (!is_fiber()) return REAL(usleep)(us);
    sleep_for(std::uint64_t{us} * 1000);
    return 0;
}
EXPORTED int nanosleep(const timespec* time, timespec* rest) {
    if (!is_fiber()) return REAL(nanosleep)(time, rest);
    sleep_for(ns_of(*time));
    return 0;
}
EXPORTED unsigned sleep(unsigned seconds) {
    if (!is_fiber()) return REAL(sleep)(seconds);
    sleep_for(std::uint64_t{seconds} * 1'000'000'000U);
    return 0;
}
EXPORTED int poll(pollfd* files, nfds_t count, int timeout_ms) {
    if (!is_fiber()) return REAL(poll)(files, count, timeout_ms);
    constexpr std::uint64_t kLookNs = 100'000;
    const std::uint64_t end =
        timeout_ms < 0 ? sim::kNever
                       : world.now() + static_cast<std::uint64_t>(timeout_ms) * 1'000'000;
    for (;;) {
        const int found = REAL(poll)(files, count, 0);
        if (found != 0 || world.now() >= end) return found;
        sleep_for(std::min(kLookNs, end - world.now()));
    }
}
EXPORTED ssize_t getrandom(void* bytes, size_t count, unsigned flags) {
    if (!is_fiber()) return REAL(getrandom)(bytes, count, flags);
    for (size_t i = 0; i < count; ++i)
        static_cast<unsigned char*>(bytes)[i] = static_cast<unsigned char>(world.random());
    return static_cast<ssize_t>(count);
}
EXPORTED int getentropy(void* bytes, size_t count) {
    getrandom(bytes, count, 0);
    return 0;
}
// std::random_device, which asks the processor.
EXPORTED unsigned _ZNSt13random_device9_M_getvalEv(void*) {
    return static_cast<unsigned>(world.random());
}
EXPORTED long syscall(long number, ...) noexcept {
    va_list list;
    va_start(list, number);
    long a[6];
    for (long& argument : a) argument = va_arg(list, long);
    va_end(list);
    if (is_fiber()) {
        if (number == SYS_gettid) return gettid();
        if (number == SYS_clone) {  // the report of a hang
            errno = ENOSYS;
            return -1;
        }
        if (number == SYS_futex) {
            return futex(reinterpret_cast<std::uint32_t*>(a[0]), static_cast<int>(a[1]),
                         static_cast<std::uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]));
        }
    }
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
#pragma GCC visibility pop
// NOLINTEND
