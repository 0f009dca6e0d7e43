// SPDX-License-Identifier: BSD-3-Clause
//
// Repeats the steps of a phase, as `scale --trace` has written them (scale.hpp), in SimGrid, and
// prints the time that SimGrid needs for them. A node is a host, a PE an actor. SimGrid times the
// letters by its model CM02 of a link with latency L and bandwidth 1/G; a PE sleeps for o. Built
// where SimGrid is installed (Debian: libsimgrid-dev).
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

// The defaults of `scale`, in seconds.
constexpr double kLatency = 2500e-9;
constexpr double kOverhead = 1500e-9;
constexpr double kGapOfByte = 6e-9;
constexpr double kOnNode = 100e-9;
constexpr double kEndless = 1e15;  // bytes a second

struct Step {
    char kind;
    long id;
    double bytes;
};

bool receives(const Step& step) { return step.kind == 'R' || step.kind == 'T' || step.kind == 'G'; }

std::map<int, std::vector<Step>> steps;  // by PE
std::map<int, int> nodes;                // by PE

// A letter that the phase before has sent, or the next one receives, has one line here.
void read_steps(const char* name) {
    std::FILE* file = std::fopen(name, "r");
    if (file == nullptr) {
        std::perror(name);
        std::exit(2);
    }
    std::map<long, int> lines;
    int pe = 0;
    int node = 0;
    int to_node = 0;
    Step step{};
    while (std::fscanf(file, "%d %d %c %ld %d %lf", &pe, &node, &step.kind, &step.id, &to_node,
                       &step.bytes) == 6) {
        steps[pe].push_back(step);
        nodes[pe] = node;
        ++lines[step.id];
    }
    std::fclose(file);
    const auto is_alone = [&](const Step& step) { return step.kind != 'E' && lines[step.id] == 1; };
    for (auto& [each, list] : steps) std::erase_if(list, is_alone);
}

s4u::Link* add_link(s4u::NetZone& zone, const std::string& name, double bandwidth, double latency) {
    return zone.create_link(name, bandwidth)
        ->set_latency(latency)
        ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
        ->seal();
}

s4u::Host* add_node(s4u::NetZone& zone, int node) {
    const std::string number = std::to_string(node);
    s4u::Host* host = zone.create_host(number, 1e9)->seal();
    s4u::Link* up = add_link(zone, "up" + number, 1 / kGapOfByte, kLatency);
    s4u::Link* down = add_link(zone, "down" + number, kEndless, 0);
    s4u::Link* inside = add_link(zone, "inside" + number, kEndless, kOnNode);
    auto* point = host->get_netpoint();
    zone.add_route(point, nullptr, nullptr, nullptr, {s4u::LinkInRoute(up)}, false);
    zone.add_route(nullptr, point, nullptr, nullptr, {s4u::LinkInRoute(down)}, false);
    zone.add_route(point, point, nullptr, nullptr, {s4u::LinkInRoute(inside)}, false);
    return host;
}

double last_end = 0;

void repeat(const std::vector<Step>& list) {
    static int content;
    for (const Step& step : list) {
        if (step.kind == 'E') {
            last_end = std::max(last_end, s4u::Engine::get_clock());
            continue;
        }
        s4u::Mailbox* box = s4u::Mailbox::by_name(std::to_string(step.id));
        if (step.kind == 'S') s4u::this_actor::sleep_for(kOverhead);
        receives(step)
            ? static_cast<void>(box->get<int>())
            : static_cast<void>(box->put_init(&content, std::max(step.bytes, 1.0))->detach());
        if (step.kind == 'R') s4u::this_actor::sleep_for(kOverhead);
    }
}

}  // namespace

int main(int argc, char** argv) {
    s4u::Engine engine(&argc, argv);
    // The model without its corrections for TCP.
    for (const char* setting :
         {"network/model:CM02", "network/latency-factor:1", "network/bandwidth-factor:1",
          "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0"}) {
        engine.set_config(setting);
    }
    if (argc != 2) {
        std::fprintf(stderr, "simgrid_replay FILE: name the file of scale --trace\n");
        return 2;
    }
    read_steps(argv[1]);
    s4u::NetZone* zone = s4u::create_star_zone("cluster");
    std::map<int, s4u::Host*> hosts;
    for (const auto& [pe, node] : nodes) {
        if (hosts[node] == nullptr) hosts[node] = add_node(*zone, node);
    }
    zone->seal();
    for (const auto& [pe, list] : steps) {
        const auto actor = s4u::Actor::create(std::to_string(pe), hosts[nodes[pe]],
                                              [&list = list] { repeat(list); });
        // A letter goes when it is sent, whether or not its receiver waits.
        for (const Step& step : list) {
            if (receives(step)) s4u::Mailbox::by_name(std::to_string(step.id))->set_receiver(actor);
        }
    }
    engine.run();
    std::printf("%.3f us, %zu PEs, %zu nodes\n", last_end * 1e6, steps.size(), hosts.size());
    return 0;
}
