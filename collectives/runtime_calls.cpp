// SPDX-License-Identifier: BSD-3-Clause
//
// See runtime_calls.hpp.
#include "collectives/runtime_calls.hpp"

#include "collectives/exposure/exposed.hpp"
#include "collectives/streams/engine.hpp"

namespace tessera::collectives {
namespace {

// Below, halving a vector costs more messages than it saves bytes.
constexpr std::size_t kHalvingBytesMin = 16384;

const Schedule& schedule_of(RuntimeCollective collective, const RuntimeCall& call) {
    switch (collective) {
        case RuntimeCollective::kBarrier: return kBarrierSchedule;
        case RuntimeCollective::kBroadcast: return kBroadcastSchedule;
        case RuntimeCollective::kExchange: return kExchangeSchedule;
        case RuntimeCollective::kReduce: return kReduceSchedule;
        case RuntimeCollective::kAllreduce: break;
        case RuntimeCollective::kReduceScatter: return kReduceScatterSchedule;
    }
    return call.bytes < kHalvingBytesMin ? kDoublingSchedule : kHalvingSchedule;
}

bool run_exposed(Team& team, RuntimeCollective collective, const RuntimeCall& call,
                 const char* where) {
    switch (collective) {
        case RuntimeCollective::kBarrier: team.sync(team, where); return true;
        case RuntimeCollective::kBroadcast:
        case RuntimeCollective::kExchange: return exchange_exposed(team, call, where);
        case RuntimeCollective::kReduce: return reduce_exposed(team, call, where);
        case RuntimeCollective::kAllreduce: return allreduce_exposed(team, call, where);
        case RuntimeCollective::kReduceScatter: return reduce_scatter_exposed(team, call, where);
    }
    return false;
}

}  // namespace

void run_call(Team& team, RuntimeCollective collective, const RuntimeCall& call,
              const char* where) {
    if (team.is_on_one_node && run_exposed(team, collective, call, where)) return;
    RuntimeCall scheduled = call;
    scheduled.schedule = &schedule_of(collective, call);
    run(team, scheduled, where);
}

shmemx_req_t start_call(Team& team, RuntimeCollective collective, const RuntimeCall& call,
                        const char* where) {
    RuntimeCall scheduled = call;
    scheduled.schedule = &schedule_of(collective, call);
    return start(team, scheduled, where);
}

}  // namespace tessera::collectives
