// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of a PE, and their locks: a thread is a fiber, and a lock that is taken is a switch. See
// system_calls.cpp.
#include <pthread.h>
#include <time.h>

#include <cerrno>

#include "real_calls.hpp"
#include "world.hpp"

using sim::Fiber;
using sim::key_of_object;
using sim::world;

// NOLINTBEGIN: the names are the C library's.
#pragma GCC visibility push(default)
#define EXPORTED extern "C" __attribute__((used))

namespace {

bool is_fiber() { return world.current != nullptr; }
// Takes a lock by `try_it`, which RETURNS 0 or EBUSY.
template <class Try>
int take(const void* lock, Try try_it) {
    sim::step();
    int error = try_it();
    while (error == EBUSY) {
        world.wait(key_of_object(lock), sim::kNever, "a lock of the C library");
        error = try_it();
    }
    return error;
}

}  // namespace

EXPORTED int tessera_sim_create_thread(pthread_t* thread, void* (*body)(void*), void* argument) {
    Fiber& fiber = world.add_fiber(*world.current->pe, body, argument);
    *thread = reinterpret_cast<pthread_t>(&fiber);
    return 0;
}
EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*body)(void*),
                            void* argument) noexcept {
    return tessera_sim_create_thread(thread, body, argument);
}
EXPORTED int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
    if (!is_fiber()) return REAL(pthread_getattr_np)(thread, attributes);
    pthread_attr_init(attributes);
    const auto& fiber = *reinterpret_cast<const Fiber*>(thread);
    return pthread_attr_setstack(attributes, fiber.stack_top - sim::kStackBytes, sim::kStackBytes);
}

namespace {

std::uint64_t ns_of(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}
int join(pthread_t thread, void** result, std::uint64_t until) {
    auto& fiber = *reinterpret_cast<Fiber*>(thread);
    while (!fiber.has_ended) {
        if (world.now() >= until) return ETIMEDOUT;
        world.wait(key_of_object(&fiber), until, "the end of a thread");
    }
    if (result != nullptr) *result = fiber.result;
    return 0;
}

}  // namespace

EXPORTED int pthread_join(pthread_t thread, void** result) {
    return join(thread, result, sim::kNever);
}
EXPORTED int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
    return join(thread, result, ns_of(*until));
}
EXPORTED int pthread_detach(pthread_t) noexcept { return 0; }
EXPORTED int pthread_setname_np(pthread_t, const char*) noexcept { return 0; }
EXPORTED int pthread_setcancelstate(int, int* old) {
    if (old != nullptr) *old = PTHREAD_CANCEL_ENABLE;
    return 0;
}
EXPORTED void pthread_testcancel() {}
EXPORTED pthread_t pthread_self() noexcept {
    return is_fiber() ? reinterpret_cast<pthread_t>(world.current) : REAL(pthread_self)();
}

EXPORTED int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    if (!is_fiber()) return REAL(pthread_mutex_lock)(mutex);
    return take(mutex, [mutex] { return REAL(pthread_mutex_trylock)(mutex); });
}
EXPORTED int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    const int error = REAL(pthread_mutex_unlock)(mutex);
    if (!is_fiber()) return error;
    world.wake(key_of_object(mutex), 1);
    sim::step();
    return error;
}
EXPORTED int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    if (!is_fiber()) return REAL(pthread_rwlock_rdlock)(lock);
    return take(lock, [lock] { return REAL(pthread_rwlock_tryrdlock)(lock); });
}
EXPORTED int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    if (!is_fiber()) return REAL(pthread_rwlock_wrlock)(lock);
    return take(lock, [lock] { return REAL(pthread_rwlock_trywrlock)(lock); });
}
EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
    const int error = REAL(pthread_rwlock_unlock)(lock);
    if (!is_fiber()) return error;
    world.wake(key_of_object(lock), sim::kNever);
    sim::step();
    return error;
}

namespace {

int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t until) {
    REAL(pthread_mutex_unlock)(mutex);
    world.wake(key_of_object(mutex), 1);
    // It may wake without a reason.
    bool was_woken = world.random_below(64) == 0;
    if (was_woken) {
        world.yield(world.random_below(1000));
    } else {
        was_woken = world.wait(key_of_object(condition), until, "a condition variable");
    }
    pthread_mutex_lock(mutex);
    return was_woken ? 0 : ETIMEDOUT;
}

}  // namespace

EXPORTED int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    if (!is_fiber()) return REAL(pthread_cond_wait)(condition, mutex);
    wait_for(condition, mutex, sim::kNever);
    return 0;
}
EXPORTED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                    const timespec* until) {
    return wait_for(condition, mutex, ns_of(*until));
}
EXPORTED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t,
                                    const timespec* until) {
    return wait_for(condition, mutex, ns_of(*until));
}
EXPORTED int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    world.wake(key_of_object(condition), 1);
    return 0;
}
EXPORTED int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    world.wake(key_of_object(condition), sim::kNever);
    return 0;
}

// 0: not called, 1: under way, 2: done; the C library has the last value, too.
EXPORTED int pthread_once(pthread_once_t* once, void (*function)()) {
    if (world.acting() == nullptr) return REAL(pthread_once)(once, function);
    while (*once == 1) world.wait(key_of_object(once), sim::kNever, "a call of pthread_once");
    if (*once == 2) return 0;
    *once = 1;
    function();
    *once = 2;
    world.wake(key_of_object(once), sim::kNever);
    return 0;
}

EXPORTED void* pthread_getspecific(pthread_key_t key) noexcept {
    if (!is_fiber()) return REAL(pthread_getspecific)(key);
    const auto& values = world.current->specifics;
    const auto found = values.find(key);
    return found != values.end() ? const_cast<void*>(found->second) : nullptr;
}
EXPORTED int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
    if (!is_fiber()) return REAL(pthread_setspecific)(key, value);
    world.current->specifics[key] = value;
    return 0;
}
#pragma GCC visibility pop
// NOLINTEND
