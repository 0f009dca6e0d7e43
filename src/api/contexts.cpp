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

namespace tessera::api {
namespace {

std::mutex open_contexts_lock;  // create and destroy only
std::vector<shmem_internal_ctx*> open_contexts;

int create(Team& team, long options, shmem_ctx_t* ctx) {
    auto* context = new (std::nothrow) shmem_internal_ctx;
    *ctx = context;
    if (context == nullptr) return 1;
    const bool is_shared = (options & (SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED)) == 0;
    context->channel = make_channel({.is_shared = is_shared});
    context->context = Context(team, *context->channel);
    context->options = options;
    if (config().debug) context->owner = thread_number();
    std::lock_guard guard(open_contexts_lock);
    open_contexts.push_back(context);
    return 0;
}

// Completes the operations of each context that the condition names, then ends it.
template <class Condition>
void destroy_if(Condition condition) {
    std::lock_guard guard(open_contexts_lock);
    std::erase_if(open_contexts, [&](shmem_internal_ctx* context) {
        if (!condition(*context)) return false;
        context->context.quiet();
        context->magic = 0;
        delete context;
        return true;
    });
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

// Sessions are hints (OpenSHMEM 1.6, 9.9). What pays is BATCH with total_ops, between nodes.
// Several threads may give it for the default context at the same time, so the transport keeps the
// only copy.
const Context& session_context(shmem_ctx_t ctx, const char* where) {
    const Context& context = context_of(ctx, where);
    check_thread(ctx, where);
    return context;
}

void set_batching(const Context& context, bool is_on, std::size_t total = SIZE_MAX) {
    if (address_map.fabric == nullptr) return;
    address_map.fabric->set_batching(context.channel(), is_on, total);
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
    api::set_batching(context, true, has_total ? config->total_ops : SIZE_MAX);
}

SHMEM_ENTRY(void, shmem_ctx_session_stop, shmem_ctx_t ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx == SHMEM_CTX_INVALID) return;
    api::set_batching(api::session_context(ctx, SHMEM_WHERE), false);
}
