// SPDX-License-Identifier: BSD-3-Clause
//
// If this breaks, a library that is loaded by dlopen() while threads run loses what they write to
// static data, or steals the program's SIGSEGV handler.
//   late_test LIBRARY plain      every update of the threads arrives
//   late_test LIBRARY sent       and a SIGSEGV that is sent reaches the program's own handler
//   late_test LIBRARY blocked    a thread cannot be held back: nothing is shared, nothing is lost
//   late_test LIBRARY denied     the system does not let it replace the frozen pages: likewise
//   late_test LIBRARY changed    the program has protected a page of its data: likewise
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <string>

#include "frozen.hpp"
#include "hammers.hpp"
#include "heap/static_data.hpp"
#include "meeting.hpp"

namespace static_test {
constinit Hammered hammered{};
}

namespace {

using tessera::heap::StaticData;

constexpr std::size_t kPage = 4096;
alignas(4096) char guarded[4 * kPage];
sigjmp_buf after_signal;
int handled_count;
volatile long ticks;

void own_handler(int, siginfo_t*, void*) {
    ++handled_count;
    siglongjmp(after_signal, 1);
}

void install_own_handler() {
    struct sigaction action {};
    action.sa_sigaction = own_handler;
    action.sa_flags = SA_SIGINFO;
    CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
}

void check_fault(volatile char* address) {
    const int before = handled_count;
    if (sigsetjmp(after_signal, 1) == 0) *address = 1;
    CHECK(handled_count == before + 1);
}

// Signals every 20 us for the thread that loads the library, whose handler stores into static data.
// `ticks_of_main` counts them on the stack of main().
volatile long* ticks_of_main;

void on_tick(int) {
    ticks = ticks + 1;
    *ticks_of_main = *ticks_of_main + 1;
}

timer_t start_ticking(volatile long* counter) {
    ticks_of_main = counter;
    struct sigaction action {};
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGALRM, &action, nullptr) == 0);
    struct sigevent event {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
    timer_t timer{};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    const itimerspec interval = {{0, 20000}, {0, 20000}};
    CHECK(timer_settime(timer, 0, &interval, nullptr) == 0);
    return timer;
}

void check_sent_signal() {
    const int before = handled_count;
    if (sigsetjmp(after_signal, 1) == 0) raise(SIGSEGV);
    CHECK(handled_count == before + 1);
}

const StaticData& load(const char* path) {
    void* library = dlopen(path, RTLD_NOW);
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    CHECK(library != nullptr);
    void* symbol = dlsym(library, "late_library_data");
    CHECK(symbol != nullptr);
    return *reinterpret_cast<const StaticData* (*)()>(symbol)();
}

}  // namespace

int main(int argument_count, char** arguments) {
    CHECK(argument_count == 3);
    const std::string mode = arguments[2];
    install_own_handler();
    if (mode == "changed") CHECK(mprotect(guarded, kPage, PROT_READ) == 0);
    static_test::start_hammering(mode == "blocked");
    volatile long ticks_on_stack = 0;
    timer_t timer = start_ticking(&ticks_on_stack);
    const StaticData& data = load(arguments[1]);
    static_test::let_hammers_strike(100);
    CHECK(timer_delete(timer) == 0);
    CHECK(ticks > 0 && ticks == ticks_on_stack);
    CHECK(static_test::stop_hammering());
    if (mode == "blocked") {
        static_test::check_refusal(data, "blocks SIGSEGV");
    } else if (mode == "denied") {
        static_test::check_refusal(data, "");
    } else if (mode == "changed") {
        static_test::check_refusal(data, "not ordinary private memory");
    } else {
        static_test::check_outcome(data);
    }
    if (mode == "sent") check_sent_signal();
    // A fault within the data that has nothing to do with freezing, twice at the same place.
    CHECK(mprotect(guarded + kPage, kPage, PROT_NONE) == 0);
    check_fault(guarded + kPage);
    check_fault(guarded + kPage);
    check_sent_signal();
    // The leak checker reads all static data at the end.
    CHECK(mprotect(guarded, sizeof guarded, PROT_READ | PROT_WRITE) == 0);
    return 0;
}
