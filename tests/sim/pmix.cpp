// SPDX-License-Identifier: BSD-3-Clause
//
// The PMIx library of the simulated launcher, as far as src/launch/pmix_client.cpp calls it: values
// that PEs publish, and fences.
#include <pmix.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "world.hpp"

using sim::world;

// NOLINTBEGIN: the names are those of PMIx.
#pragma GCC visibility push(default)
#define EXPORTED extern "C" __attribute__((used))

namespace {

std::map<std::pair<int, std::string>, std::string> values;
std::size_t published_bytes = 0;

struct Waiter {
    sim::Pe* pe;
    pmix_op_cbfunc_t done;
    void* data;
};
std::vector<Waiter> waiters;

void end_fence(void* argument) {
    const auto* waiter = static_cast<Waiter*>(argument);
    world.act_for(*waiter->pe);
    waiter->done(PMIX_SUCCESS, waiter->data);
    delete waiter;
}
void enter_fence(const Waiter& waiter) {
    waiters.push_back(waiter);
    if (waiters.size() < world.pes.size()) return;
    for (const Waiter& each : waiters)
        world.at(sim::fence_ends_at(published_bytes), end_fence, new Waiter(each));
    waiters.clear();
}

}  // namespace

EXPORTED pmix_status_t PMIx_Init(pmix_proc_t* self, pmix_info_t*, size_t) {
    std::strcpy(self->nspace, "tessera-oshrun-sim");
    self->rank = static_cast<pmix_rank_t>(world.current->pe->number);
    return PMIX_SUCCESS;
}
EXPORTED pmix_status_t PMIx_Finalize(const pmix_info_t*, size_t) { return PMIX_SUCCESS; }
EXPORTED pmix_status_t PMIx_Abort(int status, const char*, pmix_proc_t*, size_t) {
    world.finish(status);
}
EXPORTED pmix_status_t PMIx_Put(pmix_scope_t, const char* key, pmix_value_t* value) {
    values[{world.current->pe->number, key}] =
        std::string(value->data.bo.bytes, value->data.bo.size);
    published_bytes += value->data.bo.size;
    return PMIX_SUCCESS;
}
EXPORTED pmix_status_t PMIx_Commit() { return PMIX_SUCCESS; }
EXPORTED pmix_status_t PMIx_Fence_nb(const pmix_proc_t*, size_t, const pmix_info_t*, size_t,
                                     pmix_op_cbfunc_t done, void* data) {
    enter_fence({world.current->pe, done, data});
    return PMIX_SUCCESS;
}
EXPORTED pmix_status_t PMIx_Fence(const pmix_proc_t*, size_t, const pmix_info_t*, size_t) {
    bool is_over = false;
    enter_fence({world.current->pe,
                 [](pmix_status_t, void* over) {
                     *static_cast<bool*>(over) = true;
                     world.wake(sim::key_of_object(over), 1);
                 },
                 &is_over});
    while (!is_over)
        world.wait(sim::key_of_object(&is_over), sim::kNever, "a fence of the launcher");
    return PMIX_SUCCESS;
}
EXPORTED pmix_status_t PMIx_Get(const pmix_proc_t* owner, const char* key, const pmix_info_t*,
                                size_t, pmix_value_t** result) {
    const auto found = values.find({static_cast<int>(owner->rank), key});
    if (found == values.end()) return PMIX_ERR_NOT_FOUND;
    auto* value = static_cast<pmix_value_t*>(std::calloc(1, sizeof(pmix_value_t)));
    value->type = PMIX_BYTE_OBJECT;
    value->data.bo.size = found->second.size();
    value->data.bo.bytes = static_cast<char*>(std::malloc(found->second.size() + 1));
    std::memcpy(value->data.bo.bytes, found->second.data(), found->second.size());
    *result = value;
    return PMIX_SUCCESS;
}
EXPORTED pmix_status_t PMIx_Resolve_nodes(const pmix_nspace_t, char**) {
    return PMIX_ERR_NOT_FOUND;
}
EXPORTED pmix_status_t PMIx_Resolve_peers(const char*, const pmix_nspace_t, pmix_proc_t**,
                                          size_t*) {
    return PMIX_ERR_NOT_FOUND;
}
EXPORTED pmix_status_t PMIx_Register_event_handler(pmix_status_t[], size_t, pmix_info_t[], size_t,
                                                   pmix_notification_fn_t, pmix_hdlr_reg_cbfunc_t,
                                                   void*) {
    return PMIX_SUCCESS;
}
EXPORTED const char* PMIx_Error_string(pmix_status_t) { return "an error of the simulated PMIx"; }
#pragma GCC visibility pop
// NOLINTEND
