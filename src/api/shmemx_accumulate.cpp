// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulate, get_accumulate, fetch_op and compare_swap (include/shmemx/accumulate.h). Codes end
// here.
#include "shmemx/accumulate.h"

#include <cstring>

#include "api/entry.hpp"
#include "api/extents.hpp"
#include "api/request_variable.hpp"
#include "base/fatal.hpp"
#include "core/accumulate.hpp"

using tessera::Accumulation;
using tessera::AtomicRequest;
using tessera::Context;
using tessera::default_context;
using tessera::Element;
using tessera::api::check_local;
using tessera::api::checked_variable;
using tessera::api::context_of;

namespace tessera::api {
namespace {

[[noreturn]] TESSERA_COLD void fail_element(int type, int op, const char* where) {
    check_initialized(where);
    if (element_kernel(type, SHMEMX_OP_REPLACE) == nullptr)
        fatal("%s: type %d is no SHMEMX_TYPE_ of shmemx/types.h", where, type);
    fatal(
        "%s: op %d is no SHMEMX_OP_ that elements of type %d have; complex types have SUM, PROD, "
        "REPLACE and NO_OP, floating types MIN and MAX as well, integers AND, OR and XOR, too",
        where, op, type);
}

Element checked_element(int type, int op, const char* where) {
    if (element_kernel(type, op) == nullptr) [[unlikely]]
        fail_element(type, op, where);
    return {.type = static_cast<std::uint8_t>(type), .op = static_cast<std::uint8_t>(op)};
}

void accumulate(const Context& context, void* dest, const void* source, size_t nelems, int type,
                int op, int pe, shmemx_req_t* req, const char* where) {
    const Element element = checked_element(type, op, where);
    check_local("source", source, nelems, where);
    tessera::accumulate(context,
                        {.dest = dest, .source = source, .nelems = nelems, .element = element}, pe,
                        req, where);
}

void get_accumulate(const Context& context, Accumulation what, int type, int op, int pe,
                    shmemx_req_t* req, const char* where) {
    what.element = checked_element(type, op, where);
    check_local("result", what.result, what.nelems, where);
    // Any bytes will do, then.
    if (op == SHMEMX_OP_NO_OP) what.source = what.result;
    check_local("source", what.source, what.nelems, where);
    tessera::accumulate(context, what, pe, req, where);
}

// An operation on one element.
AtomicRequest fetch_request(void* dest, const void* value, const void* result, int type, int op,
                            const char* where) {
    const Element element = checked_element(type, op, where);
    const ElementKernel& kernel = *element.kernel();
    if (kernel.fetch == nullptr) [[unlikely]] {
        fatal(
            "%s: type %d has %zu bytes, and a single element has 8 at most; use "
            "shmemx_get_accumulate",
            where, type, kernel.bytes);
    }
    check_local("result", result, 1, where);
    AtomicRequest request{.dest = dest, .bytes = kernel.bytes, .op = AtomicOp::kElement};
    request.element = element;
    if (op == SHMEMX_OP_NO_OP) return request;
    check_local("value", value, 1, where);
    std::memcpy(&request.operand, value, kernel.bytes);
    return request;
}

AtomicRequest swap_request(void* dest, const void* cond, const void* value, const void* result,
                           int type, const char* where) {
    // Only integers have AND.
    const ElementKernel* const kernel = element_kernel(type, SHMEMX_OP_AND);
    if (kernel == nullptr) [[unlikely]] {
        check_initialized(where);
        fatal("%s: type %d is none of the integers of shmemx/types.h", where, type);
    }
    check_local("cond", cond, 1, where);
    check_local("value", value, 1, where);
    check_local("result", result, 1, where);
    AtomicRequest request{.dest = dest, .bytes = kernel->bytes, .op = AtomicOp::kCompareSwap};
    std::memcpy(&request.operand, value, kernel->bytes);
    std::memcpy(&request.condition, cond, kernel->bytes);
    return request;
}

void perform(const Context& context, const AtomicRequest& request, void* result, int pe,
             const char* where) {
    const std::uint64_t old = update_element(context, request, pe, where);
    std::memcpy(result, &old, request.bytes);
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;

// shmemx_NAME, shmemx_ctx_NAME, shmemx_NAME_req, shmemx_ctx_NAME_req. FORM(CONTEXT, REQ) is the
// body.
#define UNPAREN(...) __VA_ARGS__
#define DEFINE_FORMS(NAME, PARAMETERS, FORM)                                                 \
    SHMEM_ENTRY(void, shmemx_##NAME, UNPAREN PARAMETERS) { FORM(default_context, nullptr); } \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, UNPAREN PARAMETERS) {              \
        FORM(context_of(ctx, SHMEM_WHERE), nullptr);                                         \
    }
#define DEFINE_REQUEST_FORMS(NAME, PARAMETERS, FORM)                                \
    SHMEM_ENTRY(void, shmemx_##NAME##_req, UNPAREN PARAMETERS, shmemx_req_t* req) { \
        FORM(default_context, checked_variable(req, SHMEM_WHERE));                  \
    }                                                                               \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME##_req, shmem_ctx_t ctx, UNPAREN PARAMETERS, \
                shmemx_req_t* req) {                                                \
        FORM(context_of(ctx, SHMEM_WHERE), checked_variable(req, SHMEM_WHERE));     \
    }

#define PARAMETERS (void* dest, const void* source, size_t nelems, int type, int op, int pe)
#define ACCUMULATE(CONTEXT, REQ) \
    api::accumulate(CONTEXT, dest, source, nelems, type, op, pe, REQ, SHMEM_WHERE)
DEFINE_FORMS(accumulate, PARAMETERS, ACCUMULATE)
DEFINE_REQUEST_FORMS(accumulate, PARAMETERS, ACCUMULATE)
#undef ACCUMULATE
#undef PARAMETERS

#define PARAMETERS \
    (void* dest, const void* source, void* result, size_t nelems, int type, int op, int pe)
#define WHAT \
    { .dest = dest, .source = source, .nelems = nelems, .element = {}, .result = result }
#define GET_ACCUMULATE(CONTEXT, REQ) \
    api::get_accumulate(CONTEXT, WHAT, type, op, pe, REQ, SHMEM_WHERE)
DEFINE_FORMS(get_accumulate, PARAMETERS, GET_ACCUMULATE)
DEFINE_REQUEST_FORMS(get_accumulate, PARAMETERS, GET_ACCUMULATE)
#undef GET_ACCUMULATE
#undef WHAT
#undef PARAMETERS

#define PARAMETERS (void* dest, const void* value, void* result, int type, int op, int pe)
#define REQUEST api::fetch_request(dest, value, result, type, op, SHMEM_WHERE)
#define PERFORM(CONTEXT, NONE) api::perform(CONTEXT, REQUEST, result, pe, SHMEM_WHERE)
#define PERFORM_REQ(CONTEXT, REQ) \
    tessera::update_element_req(CONTEXT, REQUEST, result, pe, REQ, SHMEM_WHERE)
DEFINE_FORMS(fetch_op, PARAMETERS, PERFORM)
DEFINE_REQUEST_FORMS(fetch_op, PARAMETERS, PERFORM_REQ)
#undef REQUEST
#undef PARAMETERS

#define PARAMETERS (void* dest, const void* cond, const void* value, void* result, int type, int pe)
#define REQUEST api::swap_request(dest, cond, value, result, type, SHMEM_WHERE)
DEFINE_FORMS(compare_swap, PARAMETERS, PERFORM)
DEFINE_REQUEST_FORMS(compare_swap, PARAMETERS, PERFORM_REQ)
#undef PERFORM_REQ
#undef PERFORM
#undef REQUEST
#undef PARAMETERS
#undef DEFINE_REQUEST_FORMS
#undef DEFINE_FORMS
#undef UNPAREN
