// SPDX-License-Identifier: BSD-3-Clause
//
// Communication contexts (OpenSHMEM 1.6, 9.5) and sessions (9.9). On mapped memory a context is its
// team and its options: O(1) memory, no lock on any path.
#include "shmem/contexts.h"

#include <mutex>
#include <new>
#include <vector>

#include "api/entry.hpp"
#include "api/thread_number.hpp"
#include "base/fatal.hpp"
#include "core/config.hpp"
#include "core/runtime.hpp"
#include "shmem/setup.h"

namespace tessera::api {
namespace {

std::mutex open_contexts_lock;  // create and destroy only
auto& open_contexts = *new std::vector<shmem_internal_ctx*>;

int create(Team& team, long options, shmem_ctx_t* ctx) {
    auto* context = new (std::nothrow) shmem_internal_ctx;
    *ctx = context;
    if (context == nullptr) return 1;
    const bool is_shared = (options & (SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED)) == 0;
    context->channel = make_channel({.is_shared = is_shared});
    // PE numbers of the world need no table.
    context->context =
        &team == &world_team ? Context(*context->channel) : Context(team, *context->channel);
    context->options = options;
    if (config().debug) context->owner = thread_number();
    std::lock_guard guard(open_contexts_lock);
    open_contexts.push_back(context);
    return 0;
}

// Completes the operations of each context that the condition names, then ends it. Waits for them
// without the lock, which waits take (release_sessions).
template <class Condition>
void destroy_if(Condition condition) {
    std::vector<shmem_internal_ctx*> ending;
    {
        std::lock_guard guard(open_contexts_lock);
        std::erase_if(open_contexts, [&](shmem_internal_ctx* context) {
            if (!condition(*context)) return false;
            ending.push_back(context);
            return true;
        });
    }
    for (shmem_internal_ctx* context : ending) {
        context->context.quiet();
        context->magic = 0;
        delete context;
    }
}

// SHMEM_DEBUG: a private context stays with the thread that created it (OpenSHMEM 1.6, 9.5). Asked
// where a context ends and where its sessions begin and end, not on the data path.
void check_thread(shmem_ctx_t ctx, const char* where) {
    if (!config().debug || ctx == SHMEM_CTX_DEFAULT) return;
    if ((ctx->options & SHMEM_CTX_PRIVATE) == 0) return;
    const std::uint64_t caller = thread_number();
    if (caller == ctx->owner) return;
    fatal(
        "%s: ctx %p is private to thread %llu, which created it, and thread %llu calls; create it "
        "without SHMEM_CTX_PRIVATE, or one for each thread",
        where, static_cast<void*>(ctx), static_cast<unsigned long long>(ctx->owner),
        static_cast<unsigned long long>(caller));
}

// Sessions are hints (OpenSHMEM 1.6, 9.9). What pays is BATCH: the transport packs small puts and
// atomics (with total_ops it knows the last one), and atomics on mapped memory are held back
// (core/atomic_batch.hpp). Several threads may give it for the default context at the same time, so
// the transport keeps the only copy, and nothing is held back on mapped memory.
const Context& session_context(shmem_ctx_t ctx, const char* where) {
    const Context& context = context_of(ctx, where);
    check_thread(ctx, where);
    return context;
}

bool has_concurrent_calls() { return thread_level() == SHMEM_THREAD_MULTIPLE; }

// Before the calling thread waits: what it holds back goes out. Without this two PEs that wait for
// each other's atomics would wait for ever. Atomics that another thread may be adding to are left
// alone.
void release_sessions() {
    const std::thread::id caller = std::this_thread::get_id();
    FabricTransport* fabric = address_map.fabric;
    if (fabric != nullptr) fabric->release_batch(*Context::default_channel);
    std::lock_guard guard(open_contexts_lock);
    for (shmem_internal_ctx* ctx : open_contexts) {
        if (fabric != nullptr) fabric->release_batch(*ctx->channel);
        if (ctx->batch == nullptr) continue;
        if (!has_concurrent_calls() || ctx->session_thread == caller) ctx->batch->perform();
    }
}

// A context that only one thread uses at a time, of which release_sessions() can know which.
bool may_hold_atomics(const shmem_internal_ctx& ctx) {
    return !has_concurrent_calls() || (ctx.options & SHMEM_CTX_PRIVATE) != 0;
}

void start_batching(shmem_ctx_t ctx, const Context& context, std::size_t total) {
    release_hook.store(release_sessions, std::memory_order_release);
    if (address_map.fabric != nullptr) {
        address_map.fabric->set_batching(context.channel(), true, total);
    }
    if (ctx == SHMEM_CTX_DEFAULT || !may_hold_atomics(*ctx)) return;
    std::lock_guard guard(open_contexts_lock);
    ctx->session_thread = std::this_thread::get_id();
    if (ctx->batch == nullptr) ctx->batch.reset(new (std::nothrow) AtomicBatch);
    if (ctx->batch == nullptr) return;
    ctx->batch->expect(total);
    ctx->context.hold_atomics_in(ctx->batch.get());
}

void stop_batching(shmem_ctx_t ctx, const Context& context) {
    if (address_map.fabric != nullptr) {
        address_map.fabric->set_batching(context.channel(), false, SIZE_MAX);
    }
    context.perform_held();
    if (ctx == SHMEM_CTX_DEFAULT) return;
    std::lock_guard guard(open_contexts_lock);
    ctx->context.hold_atomics_in(nullptr);
    ctx->batch.reset();
}

}  // namespace

void fail_context(shmem_ctx_t ctx, const char* where) {
    check_initialized(where);
    if (ctx == SHMEM_CTX_INVALID) {
        fatal("%s: ctx is SHMEM_CTX_INVALID; was the context created, and not destroyed?", where);
    }
    fatal("%s: ctx %p is not a context; was it destroyed?", where, static_cast<void*>(ctx));
}

void destroy_contexts_of(const Team& team) {
    destroy_if([&](const shmem_internal_ctx& ctx) { return &ctx.context.team() == &team; });
}

void destroy_all_contexts() {
    destroy_if([](const shmem_internal_ctx&) { return true; });
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
    if (team == SHMEM_TEAM_INVALID) return 1;
    return api::create(*api::team_or_null(team), options, ctx);
}

SHMEM_ENTRY(void, shmem_ctx_destroy, shmem_ctx_t ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx == SHMEM_CTX_INVALID) return;
    if (ctx == SHMEM_CTX_DEFAULT) {
        tessera::fatal("%s: SHMEM_CTX_DEFAULT cannot be destroyed", SHMEM_WHERE);
    }
    api::context_of(ctx, SHMEM_WHERE);
    api::check_thread(ctx, SHMEM_WHERE);
    api::destroy_if([ctx](const shmem_internal_ctx& context) { return &context == ctx; });
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
    api::start_batching(ctx, context, has_total ? config->total_ops : SIZE_MAX);
}

SHMEM_ENTRY(void, shmem_ctx_session_stop, shmem_ctx_t ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx == SHMEM_CTX_INVALID) return;
    api::stop_batching(ctx, api::session_context(ctx, SHMEM_WHERE));
}
