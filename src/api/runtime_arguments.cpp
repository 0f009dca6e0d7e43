// SPDX-License-Identifier: BSD-3-Clause
//
// See runtime_arguments.hpp.
#include "api/runtime_arguments.hpp"

#include "api/extents.hpp"

namespace tessera::api {
namespace {

using collectives::block_for_each;
using collectives::MemberParts;
using collectives::no_parts;
using collectives::OrderDependence;
using collectives::RuntimeCall;
using collectives::same_for_all;

void check_root(const Team& team, int root, const char* where) {
    if (root >= 0 && root < team.npes) return;
    fatal("%s: root %d is not in [0, %d), the PEs of the team", where, root, team.npes);
}

void check_element_bytes(std::size_t element_bytes, const char* where) {
    if (element_bytes == 0)
        fatal("%s: element_bytes is 0; an element has at least one byte", where);
}

std::size_t members(const Team& team) { return static_cast<std::size_t>(team.npes); }

// Blocks of equal size.
void check_blocks(const Array& array, const MoveArguments& arguments, std::size_t blocks,
                  const char* where) {
    check_array(array, {.count = arguments.nelems, .bytes = arguments.element_bytes}, where,
                {.blocks = blocks});
}

// RETURNS: the bytes of a block.
std::size_t checked_bytes(const MoveArguments& arguments, const char* where) {
    check_element_bytes(arguments.element_bytes, where);
    return byte_count(arguments.nelems, arguments.element_bytes);
}

// The arguments of moves, apart from their arrays.
RuntimeCall move_call(const Team& team, const MoveArguments& arguments, const char* where) {
    RuntimeCall call = collectives::new_call(team);
    call.root = arguments.root;
    call.bytes = checked_bytes(arguments, where);
    return call;
}

struct Blocks {
    Array array;
    const std::size_t* counts;
    const std::size_t* displs;
};

void check_parts_inside(const Team& team, const Blocks& blocks, std::size_t element_bytes,
                        const char* where) {
    if (blocks.counts == nullptr || blocks.displs == nullptr) {
        fatal("%s: the %s of %s are NULL; pass a value for each of the %d PEs", where,
              blocks.counts == nullptr ? "counts" : "displs", blocks.array.name, team.npes);
    }
    for (std::size_t i = 0; i < members(team); ++i) {
        if (blocks.counts[i] == 0) continue;
        std::size_t end = 0;
        if (__builtin_add_overflow(blocks.counts[i], blocks.displs[i], &end)) end = SIZE_MAX;
        check_array(blocks.array, {.count = end, .bytes = element_bytes, .name = "counts + displs"},
                    where);
    }
}

MemberParts parts_of(const Blocks& blocks) {
    MemberParts parts = collectives::same_for_all(blocks.array.start, 0);
    parts.counts = blocks.counts;
    parts.displacements = blocks.displs;
    return parts;
}

RuntimeCall block_call(const Team& team, const BlockArguments& arguments, const char* where) {
    check_element_bytes(arguments.element_bytes, where);
    RuntimeCall call = collectives::new_call(team);
    call.root = arguments.root;
    call.element_bytes = arguments.element_bytes;
    return call;
}

Blocks dest_blocks(const BlockArguments& arguments) {
    return {{"dest", arguments.dest}, arguments.dest_counts, arguments.dest_displs};
}
Blocks source_blocks(const BlockArguments& arguments) {
    return {{"source", arguments.source}, arguments.source_counts, arguments.source_displs};
}

}  // namespace

// ---- Operations ----

collectives::CodedFunction coded(int type, int op, const char* where) {
    const auto found = collectives::function_of(type, op);
    if (!found) {
        fatal("%s: type %d has no operation %d; see SHMEMX_TYPE_ and SHMEMX_OP_ in shmemx/types.h",
              where, type, op);
    }
    return *found;
}

collectives::CodedFunction own(const shmemx_op_t* op, const char* where) {
    if (op == nullptr || op->function == nullptr) {
        fatal("%s: %s is NULL; pass an operation with a function", where,
              op == nullptr ? "op" : "op->function");
    }
    check_element_bytes(op->element_bytes, where);
    return {{.function = op->function,
             .user_data = op->user_data,
             .is_commutative = op->is_commutative != 0,
             .is_of_program = true,
             .dependence =
                 op->is_commutative != 0 ? OrderDependence::kRounding : OrderDependence::kOrder},
            op->element_bytes};
}

// ---- Moves of equal blocks ----

RuntimeCall barrier_call(const Team& team, const MoveArguments& /*arguments*/,
                         const char* /*where*/) {
    return collectives::new_call(team);
}

RuntimeCall broadcast_call(const Team& team, const MoveArguments& arguments, const char* where) {
    check_root(team, arguments.root, where);
    const std::size_t bytes = checked_bytes(arguments, where);
    const bool is_root = team.my_index == arguments.root;
    if (is_root) check_blocks({"source", arguments.source}, arguments, 1, where);
    check_blocks({"dest", arguments.dest}, arguments, 1, where);
    return collectives::broadcast_call(team, arguments.dest, arguments.source, bytes,
                                       arguments.root);
}

RuntimeCall gather_call(const Team& team, const MoveArguments& arguments, const char* where) {
    check_root(team, arguments.root, where);
    RuntimeCall call = move_call(team, arguments, where);
    const bool is_root = team.my_index == arguments.root;
    check_blocks({"source", arguments.source}, arguments, 1, where);
    if (is_root) check_blocks({"dest", arguments.dest}, arguments, members(team), where);
    call.out = same_for_all(arguments.source, call.bytes, arguments.root);
    call.in = is_root ? block_for_each(arguments.dest, call.bytes) : no_parts();
    return call;
}

RuntimeCall scatter_call(const Team& team, const MoveArguments& arguments, const char* where) {
    check_root(team, arguments.root, where);
    RuntimeCall call = move_call(team, arguments, where);
    const bool is_root = team.my_index == arguments.root;
    if (is_root) check_blocks({"source", arguments.source}, arguments, members(team), where);
    check_blocks({"dest", arguments.dest}, arguments, 1, where);
    call.out = is_root ? block_for_each(arguments.source, call.bytes) : no_parts();
    call.in = same_for_all(arguments.dest, call.bytes, arguments.root);
    return call;
}

RuntimeCall allgather_call(const Team& team, const MoveArguments& arguments, const char* where) {
    const std::size_t bytes = checked_bytes(arguments, where);
    check_blocks({"source", arguments.source}, arguments, 1, where);
    check_blocks({"dest", arguments.dest}, arguments, members(team), where);
    return collectives::allgather_call(team, arguments.dest, arguments.source, bytes);
}

RuntimeCall alltoall_call(const Team& team, const MoveArguments& arguments, const char* where) {
    const std::size_t bytes = checked_bytes(arguments, where);
    check_blocks({"source", arguments.source}, arguments, members(team), where);
    check_blocks({"dest", arguments.dest}, arguments, members(team), where);
    return collectives::alltoall_call(team, arguments.dest, arguments.source, bytes);
}

// ---- Moves of blocks of different sizes ----

RuntimeCall gatherv_call(const Team& team, const BlockArguments& arguments, const char* where) {
    check_root(team, arguments.root, where);
    RuntimeCall call = block_call(team, arguments, where);
    const Elements mine{.count = arguments.nelems, .bytes = arguments.element_bytes};
    check_array({"source", arguments.source}, mine, where);
    call.out = same_for_all(arguments.source, mine.count * mine.bytes, arguments.root);
    call.in = no_parts();
    if (team.my_index == arguments.root) {
        check_parts_inside(team, dest_blocks(arguments), arguments.element_bytes, where);
        call.in = parts_of(dest_blocks(arguments));
    }
    return call;
}

RuntimeCall scatterv_call(const Team& team, const BlockArguments& arguments, const char* where) {
    check_root(team, arguments.root, where);
    RuntimeCall call = block_call(team, arguments, where);
    const Elements mine{.count = arguments.nelems, .bytes = arguments.element_bytes};
    check_array({"dest", arguments.dest}, mine, where);
    call.in = same_for_all(arguments.dest, mine.count * mine.bytes, arguments.root);
    call.out = no_parts();
    if (team.my_index == arguments.root) {
        check_parts_inside(team, source_blocks(arguments), arguments.element_bytes, where);
        call.out = parts_of(source_blocks(arguments));
    }
    return call;
}

RuntimeCall allgatherv_call(const Team& team, const BlockArguments& arguments, const char* where) {
    RuntimeCall call = block_call(team, arguments, where);
    check_parts_inside(team, dest_blocks(arguments), arguments.element_bytes, where);
    const Elements mine{.count = arguments.dest_counts[team.my_index],
                        .bytes = arguments.element_bytes,
                        .name = "counts"};
    check_array({"source", arguments.source}, mine, where);
    call.out = same_for_all(arguments.source, mine.count * mine.bytes);
    call.in = parts_of(dest_blocks(arguments));
    return call;
}

RuntimeCall alltoallv_call(const Team& team, const BlockArguments& arguments, const char* where) {
    RuntimeCall call = block_call(team, arguments, where);
    check_parts_inside(team, source_blocks(arguments), arguments.element_bytes, where);
    check_parts_inside(team, dest_blocks(arguments), arguments.element_bytes, where);
    if (arguments.dest == arguments.source && arguments.dest != nullptr)
        fatal("%s: dest is source; only equal blocks can be exchanged in place", where);
    call.out = parts_of(source_blocks(arguments));
    call.in = parts_of(dest_blocks(arguments));
    return call;
}

// ---- Reductions ----

namespace {

RuntimeCall vector_call(const Team& team, const ReduceArguments& arguments, const char* where) {
    const Elements elements{.count = arguments.nelems, .bytes = arguments.operation.element_bytes};
    check_array({"source", arguments.source}, elements, where);
    RuntimeCall call = collectives::vector_call(team, arguments.dest, arguments.source,
                                                elements.count * elements.bytes, elements.bytes,
                                                arguments.operation.function);
    call.root = arguments.root;
    return call;
}

void check_dest(const ReduceArguments& arguments, const char* where) {
    check_array({"dest", arguments.dest},
                {.count = arguments.nelems, .bytes = arguments.operation.element_bytes}, where);
}

}  // namespace

RuntimeCall reduce_call(const Team& team, const ReduceArguments& arguments, const char* where) {
    check_root(team, arguments.root, where);
    if (team.my_index == arguments.root) check_dest(arguments, where);
    return vector_call(team, arguments, where);
}

RuntimeCall allreduce_call(const Team& team, const ReduceArguments& arguments, const char* where) {
    check_dest(arguments, where);
    return vector_call(team, arguments, where);
}

RuntimeCall reduce_scatter_call(const Team& team, const ReduceArguments& arguments,
                                const char* where) {
    const Elements elements{.count = arguments.nelems, .bytes = arguments.operation.element_bytes};
    check_array({"source", arguments.source}, elements, where, {.blocks = members(team)});
    check_dest(arguments, where);
    RuntimeCall call = vector_call(team, arguments, where);
    call.out = block_for_each(arguments.source, call.bytes);
    return call;
}

RuntimeCall reduce_scatterv_call(const Team& team, const ReduceArguments& arguments,
                                 const std::size_t* counts, const std::size_t* displs,
                                 const char* where) {
    const std::size_t element_bytes = arguments.operation.element_bytes;
    const Blocks blocks{{"source", arguments.source}, counts, displs};
    check_parts_inside(team, blocks, element_bytes, where);
    check_array({"dest", arguments.dest},
                {.count = counts[team.my_index], .bytes = element_bytes, .name = "counts"}, where);
    if (arguments.dest == arguments.source && arguments.dest != nullptr)
        fatal("%s: dest is source; only equal blocks can be reduced in place", where);
    RuntimeCall call = collectives::new_call(team);
    call.dest = static_cast<char*>(arguments.dest);
    call.element_bytes = element_bytes;
    call.function = arguments.operation.function;
    call.out = parts_of(blocks);
    return call;
}

}  // namespace tessera::api
