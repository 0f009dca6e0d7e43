// SPDX-License-Identifier: BSD-3-Clause
//
// See threads.hpp. A thread is "inside" while a call of it is under way: of the library (where the
// level lets one thread call at a time), of a context, or of a collective of a team.
#include "tools/check/threads.hpp"

#include <unistd.h>

#include <map>
#include <mutex>
#include <string>

#include "tools/check/collectives.hpp"
#include "tools/check/places.hpp"
#include "tools/check/report.hpp"
#include "tools/check/teams.hpp"

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Kind;

struct Inside {
    pid_t thread = 0;
    const char* routine = "";
    const void* site = nullptr;
};

std::mutex mutex;
int level = SHMEM_THREAD_SINGLE;
pid_t main_thread = 0;
Inside& library = *new Inside;
auto& teams = *new std::map<std::uint64_t, Inside>;   // by the key of the group
auto& contexts = *new std::map<shmem_ctx_t, Inside>;  // serialized ones
auto& creators = *new std::map<shmem_ctx_t, Inside>;  // private ones, with what made them

const char* name_of_level() {
    switch (level) {
        case SHMEM_THREAD_SINGLE: return "SHMEM_THREAD_SINGLE";
        case SHMEM_THREAD_FUNNELED: return "SHMEM_THREAD_FUNNELED";
        default: return "SHMEM_THREAD_SERIALIZED";
    }
}

std::string place_of_other(const Inside& inside) {
    return std::string(inside.routine) + " at " + place_of(inside.site);
}

Inside inside_of(const Call& call) {
    return {.thread = ::gettid(), .routine = call.routine, .site = call.site};
}

// Calls that only return information disturb no other thread.
bool counts(const Call& call) {
    return call.kind != Kind::kQuery && call.kind != Kind::kAddress && call.kind != Kind::kInit &&
           call.kind != Kind::kGlobalExit;
}

void check_level(const Call& call) {
    if (level >= SHMEM_THREAD_SERIALIZED || ::gettid() == main_thread) return;
    report(call, std::string("a second thread calls the library, with ") + name_of_level(),
           {text_of(call) + ": the calling thread is not the one that initialized the library",
            "Ask shmem_init_thread for SHMEM_THREAD_MULTIPLE, or SHMEM_THREAD_SERIALIZED if the "
            "threads take turns."});
}

// Two threads at the same time in what one thread may use at a time.
void enter(const Call& call, Inside& inside, const std::string& mistake, const char* remedy) {
    if (inside.thread != 0 && inside.thread != ::gettid()) {
        report(call, mistake,
               {text_of(call),
                "another thread is in " + place_of_other(inside) + " at the same time", remedy});
    }
    inside = inside_of(call);
}

void leave(Inside& inside) {
    if (inside.thread == ::gettid()) inside = {};
}

bool is_serialized(shmem_ctx_t context) { return contexts.contains(context); }

void note_context(const Call& call) {
    if (call.kind == Kind::kContextDestroy) {
        contexts.erase(call.context);
        creators.erase(call.context);
    }
    if (call.kind != Kind::kContextCreate || call.result != 0 || call.new_context == nullptr)
        return;
    if ((call.options & SHMEM_CTX_PRIVATE) != 0) creators[*call.new_context] = inside_of(call);
    if ((call.options & SHMEM_CTX_SERIALIZED) != 0) contexts[*call.new_context] = {};
}

void check_private(const Call& call) {
    const auto creator = creators.find(call.context);
    if (creator == creators.end() || creator->second.thread == ::gettid()) return;
    report(call, "a private context is used by another thread",
           {text_of(call),
            "the context was made by another thread: " + place_of_other(creator->second),
            "Make a context in each thread, or one without SHMEM_CTX_PRIVATE."});
}

}  // namespace

void begin_threads() {
    std::lock_guard guard(mutex);
    pshmem_query_thread(&level);
    main_thread = ::gettid();
    library = {};
    teams.clear();
    contexts.clear();
    creators.clear();
}

void before_threads(const Call& call) {
    if (!counts(call)) return;
    std::lock_guard guard(mutex);
    check_level(call);
    if (level == SHMEM_THREAD_SERIALIZED) {
        enter(call, library,
              "two threads call the library at the same time, with "
              "SHMEM_THREAD_SERIALIZED",
              "Ask shmem_init_thread for SHMEM_THREAD_MULTIPLE, or let the threads take turns.");
    }
    if (level != SHMEM_THREAD_MULTIPLE) return;
    check_private(call);
    if (is_serialized(call.context)) {
        enter(call, contexts[call.context],
              "two threads use a context with SHMEM_CTX_SERIALIZED at the same time",
              "Make a context for each thread, or one without SHMEM_CTX_SERIALIZED.");
    }
    const Group* group = is_collective(call) ? group_of(call) : nullptr;
    if (group == nullptr) return;
    enter(call, teams[group->key], "two threads are in collectives of one team at the same time",
          "Let the threads take turns, or give each a team of its own.");
}

void after_threads(const Call& call) {
    if (!counts(call)) return;
    std::lock_guard guard(mutex);
    note_context(call);
    leave(library);
    if (level != SHMEM_THREAD_MULTIPLE) return;
    const auto context = contexts.find(call.context);
    if (context != contexts.end()) leave(context->second);
    const Group* group = is_collective(call) ? group_of(call) : nullptr;
    if (group != nullptr) leave(teams[group->key]);
}

}  // namespace tessera::check
