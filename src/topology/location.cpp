// SPDX-License-Identifier: BSD-3-Clause
//
// See location.hpp.
#include "topology/location.hpp"

#include <algorithm>

namespace tessera::topology {
namespace {

// The number of one kind of part that all cores so far have in common.
class Common {
  public:
    void add(std::int32_t number) {
        number_ = is_first_ || number == number_ ? number : Location::kNotBound;
        is_first_ = false;
    }
    std::int32_t number() const { return number_; }

  private:
    std::int32_t number_ = Location::kNotBound;
    bool is_first_ = true;
};

}  // namespace

Location locate(const Facts& facts, std::span<const std::uint32_t> pus) {
    Common package;
    Common numa_domain;
    Common cache_cluster;
    Common core_number;
    std::size_t found = 0;
    for (const CoreFacts& core : cores_of(facts)) {
        const auto listed = pus_of(facts, core);
        const auto shared = std::ranges::count_if(
            listed, [&](std::uint32_t pu) { return std::ranges::binary_search(pus, pu); });
        if (shared == 0) continue;
        found += static_cast<std::size_t>(shared);
        package.add(core.package);
        numa_domain.add(core.numa_node);
        cache_cluster.add(core.l3 == kNoL3 ? Location::kNotBound : core.l3);
        core_number.add(static_cast<std::int32_t>(core.number));
    }
    if (found != pus.size()) return {};
    return {.package = package.number(),
            .numa_domain = numa_domain.number(),
            .cache_cluster = cache_cluster.number(),
            .core = core_number.number()};
}

}  // namespace tessera::topology
