// SPDX-License-Identifier: BSD-3-Clause
#include "core/team.hpp"

#include <shmemx.h>

#include <algorithm>

#include "core/runtime.hpp"

namespace tessera::dart {

namespace {

// The distance between neighbours; 0: not all are equal.
int common_stride(const std::vector<int>& units) {
    if (units.size() < 2) return 1;
    const int stride = units[1] - units[0];
    for (std::size_t i = 2; i < units.size(); ++i) {
        if (units[i] - units[i - 1] != stride) return 0;
    }
    return stride;
}

int index_in(const std::vector<int>& units, int unit) {
    const auto place = std::lower_bound(units.begin(), units.end(), unit);
    return place != units.end() && *place == unit ? static_cast<int>(place - units.begin()) : -1;
}

}  // namespace

Team::Team(dart_team_t team_id, shmem_team_t team_handle, const std::vector<int>& units,
           Calls* calls)
    : id(team_id),
      handle(team_handle),
      size(static_cast<int>(units.size())),
      my_id(index_in(units, my_unit())),
      segments(static_cast<std::uint8_t>(starts() % UINT8_MAX + 1)),
      calls_(calls),
      first_(units.front()),
      stride_(common_stride(units)) {
    if (stride_ == 0) {
        list_.reset(new int[units.size()]);
        std::copy(units.begin(), units.end(), list_.get());
    }
}

Team::~Team() { shmemx_team_free(handle, calls_); }

void Team::publish(const std::uint64_t& word) { shmemx_writeback(&word, sizeof word); }

bool Team::has_made_call(int unit) const {
    return shmem_uint64_atomic_fetch(&calls_->made, global_unit(unit)) >= calls_->made;
}

bool Team::has_failed(int unit) const {
    return shmem_uint64_atomic_fetch(&calls_->last_failed, global_unit(unit)) >= calls_->made;
}

int Team::unit_of(int global_unit) const {
    if (list_ != nullptr) {
        const int* end = list_.get() + size;
        const int* place = std::lower_bound(static_cast<const int*>(list_.get()), end, global_unit);
        return place != end && *place == global_unit ? static_cast<int>(place - list_.get()) : -1;
    }
    const int distance = global_unit - first_;
    const bool is_member = distance >= 0 && distance % stride_ == 0 && distance / stride_ < size;
    return is_member ? distance / stride_ : -1;
}

std::vector<int> Team::units() const {
    std::vector<int> all(static_cast<std::size_t>(size));
    for (int unit = 0; unit < size; ++unit) all[static_cast<std::size_t>(unit)] = global_unit(unit);
    return all;
}

}  // namespace tessera::dart
