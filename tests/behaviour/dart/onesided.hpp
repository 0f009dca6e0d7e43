// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of dart_onesided_test, which share one job, and what they have in common. Each part
// begins and ends with all units together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "check.h"

void test_groups();
void test_group_range();
void test_teams();
void test_memory();
void test_transfers();
void test_types();
void test_completion();
void test_notify();
void test_atomics();
void test_threads();
void test_windows();

inline int me() { return check_unit(); }
inline int units() { return check_units(); }
inline int next_unit() { return (me() + 1) % units(); }
inline int previous_unit() { return (me() + units() - 1) % units(); }

inline int nodes() {
    dart_domain_locality_t* all = nullptr;
    OK(dart_domain_team_locality(DART_TEAM_ALL, ".", &all));
    return all->num_nodes;
}

// Whether own loads see what others put without a call of this unit (docs/runtimes/noncoherent.md).
inline bool is_coherent() {
    const char* heap = std::getenv("SHMEM_HEAP");
    return heap == nullptr || !std::string_view(heap).starts_with("noncoherent");
}

struct Part {
    std::string_view name;
    void (*run)();
};

// Runs the parts that have one of the names, or all if there are none.
inline void run_parts(const std::vector<Part>& parts, const std::vector<std::string_view>& names) {
    for (const Part& part : parts) {
        if (!names.empty() && std::ranges::find(names, part.name) == names.end()) continue;
        check_meet();
        part.run();
        check_meet();
    }
}

// A group of units.
inline dart_group_t group_of(const std::vector<int>& members) {
    dart_group_t group = nullptr;
    OK(dart_group_create(&group));
    for (int unit : members) OK(dart_group_addmember(group, unit));
    return group;
}

inline dart_gptr_t at(dart_gptr_t gptr, int unit, std::int64_t bytes = 0) {
    OK(dart_gptr_setunit(&gptr, unit));
    OK(dart_gptr_incaddr(&gptr, bytes));
    return gptr;
}

template <class T>
T* address_of(dart_gptr_t gptr) {
    void* address = nullptr;
    OK(dart_gptr_getaddr(gptr, &address));
    return static_cast<T*>(address);
}

// Memory of all units, once of each kind: allocated, local, registered. `bytes` on each unit.
class Memory {
  public:
    enum Kind { kAllocated, kLocal, kRegistered, kKinds };

    Memory(Kind kind, std::size_t bytes) : kind_(kind), pointers_(units()) {
        dart_gptr_t mine = DART_GPTR_NULL;
        if (kind == kLocal) {
            OK(dart_memalloc(bytes, DART_TYPE_BYTE, &mine));
        } else if (kind == kAllocated) {
            OK(dart_team_memalloc_aligned(DART_TEAM_ALL, bytes, DART_TYPE_BYTE, &mine));
            mine = at(mine, me());
        } else {
            registered_.resize(bytes);
            OK(dart_team_memregister(DART_TEAM_ALL, bytes, DART_TYPE_BYTE, registered_.data(),
                                     &mine));
            mine = at(mine, me());
        }
        own_ = mine;
        OK(dart_allgather(&mine, pointers_.data(), sizeof mine, DART_TYPE_BYTE, DART_TEAM_ALL));
    }
    ~Memory() {
        check_meet();
        if (kind_ == kLocal) {
            OK(dart_memfree(own_));
        } else if (kind_ == kAllocated) {
            OK(dart_team_memfree(own_));
        } else {
            OK(dart_team_memderegister(own_));
        }
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    // The byte of a unit, by the pointer that this unit has made.
    dart_gptr_t of(int unit, std::size_t bytes = 0) const {
        dart_gptr_t gptr = pointers_[static_cast<std::size_t>(unit)];
        OK(dart_gptr_incaddr(&gptr, static_cast<std::int64_t>(bytes)));
        return gptr;
    }
    template <class T>
    T* own() const {
        return address_of<T>(own_);
    }

  private:
    Kind kind_;
    std::vector<dart_gptr_t> pointers_;
    std::vector<char> registered_{};
    dart_gptr_t own_{};
};
