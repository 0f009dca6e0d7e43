// SPDX-License-Identifier: BSD-3-Clause
//
// See message_runs.hpp.
#include "transports/ofi/message_runs.hpp"

namespace tessera::ofi {
namespace {

// The strides of a section are native integers, and so are those of messages.
static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
static_assert(sizeof(std::ptrdiff_t) == sizeof(std::int64_t));

// The bytes from the first to behind the last; 0: the description makes no sense.
std::uint64_t checked_span(const Runs& runs) {
    std::uint64_t span = runs.run_bytes;
    for (int i = 0; i < runs.ndims; ++i) {
        std::uint64_t reach = 0;
        const bool is_bad =
            runs.extents[i] == 0 || runs.strides[i] < 0 ||
            __builtin_mul_overflow(runs.extents[i] - 1, static_cast<std::uint64_t>(runs.strides[i]),
                                   &reach) ||
            __builtin_add_overflow(span, reach, &span);
        if (is_bad) return 0;
    }
    return span;
}

}  // namespace

void append_runs(Packet& packet, const SegmentOffset& position, const Runs& runs, std::size_t first,
                 std::size_t count) {
    const RunsBody body{
        .word = RemoteWord::pack(position.segment, position.offset, 1, AtomicOp::kSet),
        .first = first,
        .run_bytes = static_cast<std::uint32_t>(runs.run_bytes),
        .count = static_cast<std::uint16_t>(count),
        .ndims = static_cast<std::uint16_t>(runs.ndims)};
    packet.append_bytes(&body, sizeof body);
    const auto ndims = static_cast<std::size_t>(runs.ndims);
    packet.append_bytes(runs.extents, ndims * sizeof *runs.extents);
    packet.append_bytes(runs.strides, ndims * sizeof *runs.strides);
}

std::optional<NamedRuns> named_runs(const Header& header, std::size_t bytes,
                                    const FabricSegments& segments) {
    const auto* body = reinterpret_cast<const RunsBody*>(&header + 1);
    if (bytes < sizeof header + sizeof *body) return std::nullopt;
    const std::size_t dimension_bytes = body->ndims * sizeof(std::uint64_t);
    const std::size_t described = sizeof header + sizeof *body + 2 * dimension_bytes;
    if (body->ndims > kDimensionsMax || bytes < described) return std::nullopt;
    const auto* start = reinterpret_cast<const char*>(body + 1);
    NamedRuns named{
        .base = nullptr,
        .runs = {.run_bytes = body->run_bytes,
                 .ndims = body->ndims,
                 .extents = reinterpret_cast<const std::size_t*>(start),
                 .strides = reinterpret_cast<const std::ptrdiff_t*>(start + dimension_bytes)},
        .first = body->first,
        .count = body->count,
        .data = start + 2 * dimension_bytes,
        .data_bytes = bytes - described};
    const std::uint64_t span = checked_span(named.runs);
    if (body->run_bytes == 0 || span == 0) return std::nullopt;
    const std::size_t total = named.runs.count();
    if (named.count == 0 || named.first > total || named.count > total - named.first)
        return std::nullopt;
    const RemoteWord word(body->word);
    named.base = segments.checked_address(word.segment(), word.offset(), span);
    if (named.base == nullptr) return std::nullopt;
    return named;
}

}  // namespace tessera::ofi
