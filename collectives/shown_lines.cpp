// SPDX-License-Identifier: BSD-3-Clause
//
// See shown_lines.hpp. Between nodes streams need one message from each member; the choice among
// algorithms is not asked, because an algorithm may need staging memory, and that is team memory.
// On one node, or without streams, the lines lie in the members' flags, in two places by turns: a
// member writes the first one again only after the sync of the second call, which all enter when
// they have read the first.
#include "collectives/shown_lines.hpp"

#include <cstring>

#include "collectives/barrier/barrier.hpp"
#include "collectives/streams/engine.hpp"

namespace tessera::collectives {

void show_to_all(Team& team, const void* mine, std::size_t bytes, void* all, const char* where) {
    const std::uint32_t turn = team.lines_shown++ % 2;
    if (team.has_streams && !team.is_on_one_node) {
        RuntimeCall call(team.npes, team.my_index);
        call.schedule = &kExchangeSchedule;
        call.bytes = bytes;
        call.out = {.start = static_cast<char*>(const_cast<void*>(mine)), .bytes = bytes};
        call.in = {.start = static_cast<char*>(all), .stride = bytes, .bytes = bytes};
        run(team, call, where);
        return;
    }
    TeamFlags::Words& line = team.my_flags().lines[turn];
    std::memcpy(static_cast<void*>(&line), mine, bytes);
    sync(team, where);
    team.read_flags(&line, bytes, all);
}

}  // namespace tessera::collectives
