// SPDX-License-Identifier: BSD-3-Clause
//
// Communication contexts (OpenSHMEM 1.6, 9.5) and sessions (9.9). On mapped memory a context is its
// team and its options: O(1) memory, no lock on any path.
#include "shmem/contexts.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "api/entry.hpp"
#include "api/thread_number.hpp"
#include "base/fatal.hpp"
#include "base/mutexes.hpp"
#include "core/pe_state.hpp"
#include "session/runtime.hpp"
#include "settings/config.hpp"
#include "shmem/setup.h"

namespace tessera::api {
namespace {

// The contexts with a session, for release_sessions(), and the atomics that they hold back on
// mapped memory. Start and stop of sessions, ends of contexts, and waits of programs that have had
// sessions take the lock. No transport is called under it: that would make progress.
constinit ShortMutex sessions_lock;
constinit OpenContext* first_session = nullptr;

// REQUIRES for both: sessions_lock.
void enter_session(OpenContext& ctx) {
    if (ctx.has_session) return;
    ctx.has_session = true;
    ctx.previous = nullptr;
    ctx.next = first_session;
    if (first_session != nullptr) first_session->previous = &ctx;
    first_session = &ctx;
}
void leave_session(OpenContext& ctx) {
    if (!ctx.has_session) return;
    ctx.has_session = false;
    (ctx.previous != nullptr ? ctx.previous->next : first_session) = ctx.next;
    if (ctx.next != nullptr) ctx.next->previous = ctx.previous;
}

// The number of contexts of a team, so that only the end of a team with contexts looks for them.
// Relaxed: a program that ends a team while it creates contexts on it orders the two itself.
std::atomic_ref<std::uint32_t> count_of(Team& team) {
    return std::atomic_ref<std::uint32_t>(team.open_contexts);
}

int create(Team& team, long options, shmem_ctx_t* ctx) {
    *ctx = SHMEM_CTX_INVALID;
    const bool is_shared = (options & (SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED)) == 0;
    OpenContext context;
    context.transport_context = make_transport_context(
        {.is_shared = is_shared, .is_without_stores = (options & SHMEM_CTX_NOSTORE) != 0});
    TransportContext& used = *context.transport_context;
    // PE numbers of the world need no table.
    context.context = &team == &world_team ? Context(used) : Context(team, used);
    context.options = options;
    if (config().debug) context.owner = thread_number();
    const auto added = open_contexts.add(std::move(context));
    if (added.object == nullptr) return 1;
    count_of(team).fetch_add(1, std::memory_order_relaxed);
    *ctx = reinterpret_cast<shmem_ctx_t>(added.handle);
    return 0;
}

// Completes its operations, then ends it. False: another thread was first.
// COST: O(1), and the wait for the operations.
bool destroy(std::uint64_t handle) {
    const NoCancellationPoint not_before_its_end;
    OpenContext* ctx = open_contexts.detach(handle);
    if (ctx == nullptr) return false;
    {
        std::lock_guard guard(sessions_lock);
        leave_session(*ctx);
    }
    ctx->context.quiet();
    count_of(ctx->context.team()).fetch_sub(1, std::memory_order_relaxed);
    open_contexts.recycle(ctx);
    return true;
}

template <class Condition>
void destroy_if(Condition condition) {
    std::vector<std::uint64_t> ending;
    open_contexts.for_each([&](std::uint64_t handle, const OpenContext& ctx) {
        if (condition(ctx)) ending.push_back(handle);
    });
    for (std::uint64_t handle : ending) destroy(handle);
}

// SHMEM_DEBUG: a private context stays with the thread that created it (OpenSHMEM 1.6, 9.5). Asked
// where a context ends and where its sessions begin and end, not on the data path.
void check_thread(shmem_ctx_t ctx, const char* where) {
    if (!config().debug || ctx == SHMEM_CTX_DEFAULT) return;
    const OpenContext& open = open_context_of(ctx, where);
    if ((open.options & SHMEM_CTX_PRIVATE) == 0) return;
    const std::uint64_t caller = thread_number();
    if (caller == open.owner) return;
    fatal(
        "%s: ctx %p is private to thread %llu, which created it, and thread %llu calls; create it "
        "without SHMEM_CTX_PRIVATE, or one for each thread",
        where, static_cast<void*>(ctx), static_cast<unsigned long long>(open.owner),
        static_cast<unsigned long long>(caller));
}

// Sessions are hints (OpenSHMEM 1.6, 9.9). Only BATCH has an effect: the transport packs small puts
// and atomics (with total_ops it knows the last one), and the context holds back atomics on mapped
// memory (core/atomic_batch.hpp). Several threads may start a session on the default context at the
// same time, so the transport keeps the only copy, and nothing is held back on mapped memory.
const Context& session_context(shmem_ctx_t ctx, const char* where) {
    const Context& context = context_of(ctx, where);
    check_thread(ctx, where);
    return context;
}

bool has_concurrent_calls() { return thread_level() == SHMEM_THREAD_MULTIPLE; }

// Called before the calling thread waits: issues the atomics that it holds back. Otherwise two PEs
// that wait for each other's atomics would wait for ever. A batch that another thread may be adding
// to stays as it is.
void release_sessions() {
    const std::thread::id caller = std::this_thread::get_id();
    FabricTransport* fabric = address_map.fabric;
    std::vector<std::shared_ptr<TransportContext>> batches;  // Another thread may end a context.
    {
        std::lock_guard guard(sessions_lock);
        for (OpenContext* ctx = first_session; ctx != nullptr; ctx = ctx->next) {
            if (fabric != nullptr) batches.push_back(ctx->transport_context);
            if (ctx->batch == nullptr) continue;
            if (!has_concurrent_calls() || ctx->session_thread == caller) ctx->batch->perform();
        }
    }
    if (fabric == nullptr) return;
    fabric->release_batch(*Context::default_transport_context);
    for (const auto& batch : batches) fabric->release_batch(*batch);
}

// Whether only one thread at a time uses the context, and release_sessions() can know that thread.
bool may_hold_atomics(const OpenContext& ctx) {
    return !has_concurrent_calls() || (ctx.options & SHMEM_CTX_PRIVATE) != 0;
}

void start_batching(shmem_ctx_t ctx, const Context& context, std::size_t total, const char* where) {
    set_release_hook(release_sessions);
    if (address_map.fabric != nullptr)
        address_map.fabric->set_batching(context.transport_context(), true, total);
    if (ctx == SHMEM_CTX_DEFAULT) return;
    OpenContext& open = open_context_of(ctx, where);
    std::lock_guard guard(sessions_lock);
    enter_session(open);
    if (!may_hold_atomics(open)) return;
    open.session_thread = std::this_thread::get_id();
    if (open.batch == nullptr) open.batch.reset(new (std::nothrow) AtomicBatch);
    if (open.batch == nullptr) return;
    open.batch->expect(total);
    open.context.hold_atomics_in(open.batch.get());
}

void stop_batching(shmem_ctx_t ctx, const Context& context, const char* where) {
    if (address_map.fabric != nullptr)
        address_map.fabric->set_batching(context.transport_context(), false, SIZE_MAX);
    context.perform_held();
    if (ctx == SHMEM_CTX_DEFAULT) return;
    OpenContext& open = open_context_of(ctx, where);
    std::lock_guard guard(sessions_lock);
    leave_session(open);
    open.context.hold_atomics_in(nullptr);
    open.batch.reset();
}

}  // namespace

constinit HandleTable<OpenContext, kContextKind> open_contexts;

namespace {

// 101: before other constructors of the program, which may call the library.
[[gnu::constructor(101)]] void reserve_contexts() { open_contexts.reserve(); }

}  // namespace

void fail_context(shmem_ctx_t ctx, const char* where) {
    check_initialized(where);
    if (ctx == SHMEM_CTX_INVALID)
        fatal("%s: ctx is SHMEM_CTX_INVALID; was the context created, and not destroyed?", where);
    auto* const value = static_cast<void*>(ctx);
    if (open_contexts.has_ended(bits_of(ctx))) {
        fatal(
            "%s: ctx %p was destroyed; a context lasts until shmem_ctx_destroy, the end of its "
            "team, or shmem_finalize",
            where, value);
    }
    if (open_teams.find(bits_of(ctx)) != nullptr) {
        fatal(
            "%s: ctx %p is a team, not a context; shmem_team_create_ctx makes a context of a team",
            where, value);
    }
    fatal(
        "%s: ctx %p is not a context; pass SHMEM_CTX_DEFAULT, or a handle from shmem_ctx_create or "
        "shmem_team_create_ctx",
        where, value);
}

void destroy_contexts_of(Team& team) {
    if (count_of(team).load(std::memory_order_relaxed) == 0) return;
    destroy_if([&](const OpenContext& ctx) { return &ctx.context.team() == &team; });
}

void destroy_all_contexts() {
    destroy_if([](const OpenContext&) { return true; });
}

}  // namespace tessera::api

namespace api = tessera::api;

SHMEM_ENTRY(int, shmem_ctx_create, long options, shmem_ctx_t* ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    return api::create(tessera::world_team, options, ctx);
}

SHMEM_ENTRY(int, shmem_team_create_ctx, shmem_team_t team, long options, shmem_ctx_t* ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    *ctx = SHMEM_CTX_INVALID;
    tessera::Team* const found = api::team_or_null(team, SHMEM_WHERE);
    return found != nullptr ? api::create(*found, options, ctx) : 1;
}

SHMEM_ENTRY(void, shmem_ctx_destroy, shmem_ctx_t ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx == SHMEM_CTX_INVALID) return;
    if (ctx == SHMEM_CTX_DEFAULT)
        tessera::fatal("%s: SHMEM_CTX_DEFAULT cannot be destroyed", SHMEM_WHERE);
    api::check_thread(ctx, SHMEM_WHERE);
    if (!api::destroy(api::bits_of(ctx))) api::fail_context(ctx, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmem_ctx_get_team, shmem_ctx_t ctx, shmem_team_t* team) {
    tessera::check_initialized(SHMEM_WHERE);
    *team = SHMEM_TEAM_INVALID;
    if (ctx == SHMEM_CTX_INVALID) return 1;
    *team = api::handle_of(api::context_of(ctx, SHMEM_WHERE).team());
    return 0;
}

// Starting again adds to a session, and announces anew how many operations will follow.
SHMEM_ENTRY(void, shmem_ctx_session_start, shmem_ctx_t ctx, long options,
            const shmem_ctx_session_config_t* config, long config_mask) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx == SHMEM_CTX_INVALID) return;
    const tessera::Context& context = api::session_context(ctx, SHMEM_WHERE);
    if ((options & SHMEM_CTX_SESSION_BATCH) == 0) return;
    const bool has_total = config != nullptr && (config_mask & SHMEM_CTX_SESSION_TOTAL_OPS) != 0;
    api::start_batching(ctx, context, has_total ? config->total_ops : SIZE_MAX, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmem_ctx_session_stop, shmem_ctx_t ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx == SHMEM_CTX_INVALID) return;
    api::stop_batching(ctx, api::session_context(ctx, SHMEM_WHERE), SHMEM_WHERE);
}
