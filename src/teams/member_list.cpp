// SPDX-License-Identifier: BSD-3-Clause
//
// See member_list.hpp.
#include "teams/member_list.hpp"

#include <algorithm>

namespace tessera {
namespace {

// How many members from the first on have the distance `stride`.
std::size_t strided_length(std::span<const int> pes, std::int64_t stride) {
    std::size_t length = 1;
    while (length < pes.size() && std::int64_t{pes[length]} - pes[length - 1] == stride) ++length;
    return length;
}

}  // namespace

std::optional<MemberList> MemberList::formula_of(std::span<const int> pes) {
    MemberList list;
    if (pes.empty()) return list;
    list.first_ = pes[0];
    if (pes.size() == 1) return list;
    std::int64_t stride = std::int64_t{pes[1]} - pes[0];
    std::size_t block = strided_length(pes, stride);
    if (block == pes.size()) {
        list.stride_ = static_cast<int>(stride);
        return list;
    }
    // Blocks: ascending, apart from each other, so that index_of() can tell them by a division.
    const std::int64_t period = std::int64_t{pes[block]} - pes[0];
    const auto length = static_cast<std::int64_t>(block);
    if (stride <= 0 || period <= (length - 1) * stride) return std::nullopt;
    list.stride_ = static_cast<int>(stride);
    list.block_ = static_cast<int>(length);
    list.jump_ = static_cast<int>(period - length * stride);
    list.reciprocal_ = ~std::uint64_t{0} / block + 1;
    for (std::size_t i = 0; i < pes.size(); ++i) {
        if (list[static_cast<int>(i)] != pes[i]) return std::nullopt;
    }
    return list;
}

MemberList MemberList::array(const int* pes, const int* order) {
    MemberList list;
    list.pes_ = pes;
    list.order_ = order;
    return list;
}

int MemberList::index_of(int world_pe, int npes) const {
    if (pes_ != nullptr) return find_in_array(world_pe, npes);
    std::int64_t distance = std::int64_t{world_pe} - first_;
    std::int64_t index = 0;
    if (block_ != 0) {
        const std::int64_t period = std::int64_t{block_} * stride_ + jump_;
        if (distance < 0) return -1;
        index = distance / period * block_;
        distance %= period;
        if (distance > std::int64_t{block_ - 1} * stride_) return -1;
    }
    if (distance % stride_ != 0) return -1;
    index += distance / stride_;
    return index >= 0 && index < npes ? static_cast<int>(index) : -1;
}

int MemberList::find_in_array(int world_pe, int npes) const {
    const int* end = order_ + npes;
    const int* found = std::lower_bound(order_, end, world_pe,
                                        [&](int index, int pe) { return pes_[index] < pe; });
    return found != end && pes_[*found] == world_pe ? *found : -1;
}

}  // namespace tessera
