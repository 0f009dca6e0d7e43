// SPDX-License-Identifier: BSD-3-Clause
//
// A PE of a group without a launcher gets a unique id from the program, and the values of all PEs
// from the meeting point. Input: the number of PEs, a byte, then both.
#include "fuzz/fuzz.hpp"
#include "launch/meeting_frames.hpp"
#include "launch/unique_id.hpp"

namespace tessera::launch {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const int npes = bytes.take<std::uint8_t>();
    const auto id = bytes.take<UniqueId>();
    for (std::size_t i = 0; id.is_right() && i < id.addresses; ++i)
        fuzz::require(i < id.address.size(), "a unique id with more addresses than fit");
    const std::string_view body = bytes.take(size);
    FenceValues values;
    read_values(std::as_bytes(std::span(body)), npes, values);
    std::size_t total = 0;
    for (const auto& [place, value] : values) {
        fuzz::require(place.first >= 0 && place.first < npes, "a value of no PE");
        total += place.second.size() + value.size();
    }
    fuzz::require(total <= body.size(), "more values than bytes");
    return 0;
}

}  // namespace tessera::launch
