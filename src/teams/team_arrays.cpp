// SPDX-License-Identifier: BSD-3-Clause
//
// See team_arrays.hpp.
#include "teams/team_arrays.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>

#include "base/mutexes.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "heap/allocator.hpp"

namespace tessera {

// Layout: the header of a block of lists. The arrays follow it.
struct ListBlock {
    // Members of this node that have the team. acq_rel: the last reads come before the block's next
    // use (free_unused).
    std::atomic<std::uint32_t> users;
    std::uint32_t unused[3];

    int* arrays() { return reinterpret_cast<int*>(this + 1); }
};
static_assert(sizeof(ListBlock) == 16);

struct ListBlocks {
    ShortMutex lock;  // Held for a few instructions; never while waiting for another PE.
    heap::Allocator allocator{kListBytes};
    std::vector<std::size_t> offsets;  // places of blocks that have had users
};

namespace {

std::vector<int> indices_by(int npes, const auto& key) {
    std::vector<int> indices(static_cast<std::size_t>(npes));
    std::iota(indices.begin(), indices.end(), 0);
    std::ranges::stable_sort(indices, {}, key);
    return indices;
}

// Whether node k begins at k * largest.
bool are_equal_steps(const std::vector<int>& begins, int largest) {
    for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
        if (begins[k] != static_cast<int>(k) * largest) return false;
    }
    return true;
}

void find_nodes(Team& team, const auto& world_pe, TeamArrays& arrays) {
    const auto name_of = [&](int member) { return first_pe_of_node(world_pe(member)); };
    TeamNodes& nodes = team.by_node;
    nodes = {.npes = team.npes};
    nodes.is_in_order = true;
    for (int i = 1; i < team.npes && nodes.is_in_order; ++i)
        nodes.is_in_order = name_of(i - 1) <= name_of(i);
    std::vector<int> members;
    if (!nodes.is_in_order) members = indices_by(team.npes, name_of);
    const auto member_at = [&](int place) {
        return nodes.is_in_order ? place : members[static_cast<std::size_t>(place)];
    };
    std::vector<int> begins;
    for (int i = 0; i < team.npes; ++i) {
        const int member = member_at(i);
        if (i == 0 || name_of(member) != name_of(member_at(i - 1))) begins.push_back(i);
        if (member != team.my_index) continue;
        nodes.mine = static_cast<int>(begins.size()) - 1;
        nodes.index_on_node = i - begins.back();
    }
    nodes.nodes = static_cast<int>(begins.size());
    begins.push_back(team.npes);
    nodes.smallest = team.npes;
    for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
        nodes.smallest = std::min(nodes.smallest, begins[k + 1] - begins[k]);
        nodes.largest = std::max(nodes.largest, begins[k + 1] - begins[k]);
    }
    const int my_begin = begins[static_cast<std::size_t>(nodes.mine)];
    arrays.users = begins[static_cast<std::size_t>(nodes.mine) + 1] - my_begin;
    arrays.owner = world_pe(member_at(my_begin));
    if (!nodes.is_in_order) arrays.node_members = std::move(members);
    if (!are_equal_steps(begins, nodes.largest)) arrays.node_begins = std::move(begins);
}

// The same for the team of all PEs where each node has neighbours. COST: O(nodes).
void find_nodes_of_world(Team& team, const NodeNames& names, TeamArrays& arrays) {
    TeamNodes& nodes = team.by_node;
    nodes = {.npes = team.npes, .nodes = names.nodes(), .smallest = team.npes};
    std::vector<int> begins;
    for (int k = 0; k < names.nodes(); ++k) {
        begins.push_back(names.begin(k));
        const int size = names.begin(k + 1) - names.begin(k);
        nodes.smallest = std::min(nodes.smallest, size);
        nodes.largest = std::max(nodes.largest, size);
    }
    begins.push_back(team.npes);
    nodes.mine = names.node_of(team.my_index);
    nodes.index_on_node = team.my_index - names.begin(nodes.mine);
    arrays.users = names.begin(nodes.mine + 1) - names.begin(nodes.mine);
    if (!are_equal_steps(begins, nodes.largest)) arrays.node_begins = std::move(begins);
}

void find_nodes_of(Team& team, const auto& world_pe, TeamArrays& arrays) {
    team.is_on_one_node = true;
    for (int i = 0; i < team.npes && team.is_on_one_node; ++i)
        team.is_on_one_node = is_on_this_node(world_pe(i));
    team.by_node = {};
    arrays.users = team.npes;
    arrays.owner = world_pe(0);
    if (!team.is_on_one_node) find_nodes(team, world_pe, arrays);
    team.nodes = team.is_on_one_node ? 1 : team.by_node.nodes;
    team.largest_node = team.is_on_one_node ? team.npes : team.by_node.largest;
}

void copy_arrays(const TeamArrays& arrays, int* to) {
    for (const std::vector<int>* each :
         {&arrays.pes, &arrays.order, &arrays.node_members, &arrays.node_begins}) {
        to = std::ranges::copy(*each, to).out;
    }
}

// `at`: where copy_arrays() has put them.
void use_arrays(Team& team, const TeamArrays& arrays, const int* at) {
    if (!arrays.pes.empty()) {
        team.members = MemberList::array(at, at + arrays.pes.size());
        at += arrays.pes.size() + arrays.order.size();
    }
    if (!arrays.node_members.empty()) team.by_node.members = at;
    if (!arrays.node_begins.empty()) team.by_node.begins = at + arrays.node_members.size();
}

ListBlock* list_block(int world_pe, std::size_t offset) {
    InternalSegment& segment = segment_of(address_map.peers[world_pe].sleeper);
    return reinterpret_cast<ListBlock*>(lists_of(segment) + offset);
}

// REQUIRES: blocks.lock.
void free_unused(ListBlocks& blocks) {
    std::erase_if(blocks.offsets, [&](std::size_t offset) {
        // Pairs with teams/team_arrays.cpp:leave_arrays of the last user.
        if (list_block(pe_state.pe, offset)->users.load(std::memory_order_acquire) != 0)
            return false;
        blocks.allocator.free(offset);
        return true;
    });
}

// A block with the arrays; nullptr: there is no room.
ListBlock* make_block(const TeamArrays& arrays) {
    ListBlocks& blocks = *pe_state.list_blocks;
    std::lock_guard guard(blocks.lock);
    free_unused(blocks);
    const auto offset = blocks.allocator.allocate(sizeof(ListBlock) + arrays.count() * sizeof(int));
    if (!offset) return nullptr;
    ListBlock* block = list_block(pe_state.pe, *offset);
    copy_arrays(arrays, block->arrays());
    // Relaxed: the sync of the members publishes it.
    block->users.store(static_cast<std::uint32_t>(arrays.users), std::memory_order_relaxed);
    blocks.offsets.push_back(*offset);
    return block;
}

}  // namespace

TeamArrays find_members(Team& team, std::span<const int> world_pes) {
    TeamArrays arrays;
    const auto world_pe = [&](int index) { return world_pes[static_cast<std::size_t>(index)]; };
    team.npes = static_cast<int>(world_pes.size());
    team.my_index = static_cast<int>(std::ranges::find(world_pes, pe_state.pe) - world_pes.begin());
    if (const auto formula = MemberList::formula_of(world_pes)) {
        team.members = *formula;
    } else {
        arrays.pes.assign(world_pes.begin(), world_pes.end());
        arrays.order = indices_by(team.npes, world_pe);
    }
    find_nodes_of(team, world_pe, arrays);
    return arrays;
}

TeamArrays find_members_of_world(Team& team) {
    TeamArrays arrays;
    team.npes = pe_state.npes;
    team.my_index = pe_state.pe;
    team.members = {};
    const NodeNames* names = pe_state.node_names;
    if (names == nullptr || names->nodes() < 2) {
        find_nodes_of(
            team, [](int index) { return index; }, arrays);
        return arrays;
    }
    team.is_on_one_node = false;
    find_nodes_of_world(team, *names, arrays);
    arrays.owner = first_pe_of_node(pe_state.pe);
    team.nodes = team.by_node.nodes;
    team.largest_node = team.by_node.largest;
    return arrays;
}

TeamArrays copy_members(Team& team, const Team& other) {
    team.npes = other.npes;
    team.my_index = other.my_index;
    team.members = other.members;
    team.is_on_one_node = other.is_on_one_node;
    team.nodes = other.nodes;
    team.largest_node = other.largest_node;
    team.by_node = other.by_node;
    return {};
}

void keep_arrays(Team& team, const TeamArrays& arrays) {
    if (arrays.count() == 0) return;
    team.own_arrays = std::make_unique<int[]>(arrays.count());
    copy_arrays(arrays, team.own_arrays.get());
    use_arrays(team, arrays, team.own_arrays.get());
}

void share_arrays(Team& team, const TeamArrays& arrays) {
    if (arrays.count() == 0 || arrays.owner != pe_state.pe) return;
    team.lists = make_block(arrays);
    const char* start = lists_of(segment_of(address_map.peers[arrays.owner].sleeper));
    team_flags(team.slot)->list_block =
        team.lists == nullptr
            ? 0
            : static_cast<std::uint64_t>(reinterpret_cast<char*>(team.lists) - start) + 1;
}

void find_arrays(Team& team, const TeamArrays& arrays) {
    if (arrays.count() == 0) return;
    const std::uint64_t place = mapped_team_flags(arrays.owner, team.slot)->list_block;
    if (place == 0) return keep_arrays(team, arrays);
    team.lists = list_block(arrays.owner, place - 1);
    use_arrays(team, arrays, team.lists->arrays());
}

void leave_arrays(Team& team) {
    if (team.lists == nullptr) return;
    // Pairs with teams/team_arrays.cpp:free_unused of the owner.
    team.lists->users.fetch_sub(1, std::memory_order_acq_rel);
    team.lists = nullptr;
}

void DeleteListBlocks::operator()(ListBlocks* blocks) const { delete blocks; }

ListBlocksPointer make_list_blocks() { return ListBlocksPointer(new ListBlocks); }

}  // namespace tessera
