// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that move elements, on all units and on every second one, with few and with many
// elements, basic and custom ones, in place and not.
#include <numeric>

#include "together.hpp"

namespace {

// Byte i of the block that unit `from` has for unit `to`.
unsigned char byte_of(int from, int to, std::size_t i) {
    return static_cast<unsigned char>(31 * from + 7 * to + 3 + static_cast<int>(i % 251));
}

using Bytes = std::vector<unsigned char>;

Bytes block(int from, int to, std::size_t bytes) {
    Bytes made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) made[i] = byte_of(from, to, i);
    return made;
}

Bytes blocks(int from, int size, std::size_t bytes) {
    Bytes made;
    for (int to = 0; to < size; ++to) {
        const Bytes part = block(from, to, bytes);
        made.insert(made.end(), part.begin(), part.end());
    }
    return made;
}

struct Case {
    dart_team_t team;
    dart_datatype_t type;
    std::size_t element_bytes;
    std::size_t nelem;

    std::size_t bytes() const { return element_bytes * nelem; }
    int size() const { return size_of(team); }
    int me() const { return id_in(team); }
};

void check_rooted(const Case& c, int root) {
    const int me = c.me();
    Bytes buffer = me == root ? block(root, 0, c.bytes()) : Bytes(c.bytes());
    OK(dart_bcast(buffer.data(), c.nelem, c.type, root, c.team));
    CHECK(buffer == block(root, 0, c.bytes()));

    const Bytes all = me == root ? blocks(root, c.size(), c.bytes()) : Bytes();
    Bytes part(c.bytes());
    OK(dart_scatter(all.data(), part.data(), c.nelem, c.type, root, c.team));
    CHECK(part == block(root, me, c.bytes()));

    Bytes gathered(me == root ? c.bytes() * static_cast<std::size_t>(c.size()) : 0);
    part = block(me, root, c.bytes());
    OK(dart_gather(part.data(), gathered.data(), c.nelem, c.type, root, c.team));
    for (int from = 0; me == root && from < c.size(); ++from) {
        const auto first = gathered.begin() + static_cast<std::ptrdiff_t>(c.bytes()) * from;
        CHECK(Bytes(first, first + static_cast<std::ptrdiff_t>(c.bytes())) ==
              block(from, root, c.bytes()));
    }
}

// in_place: 0 not, 1 by NULL, 2 by the same address.
const void* source_of(const Bytes& source, const Bytes& dest, int in_place) {
    const unsigned char* const choices[] = {source.data(), nullptr, dest.data()};
    return choices[in_place];
}

void check_allgather(const Case& c, int in_place) {
    const Bytes mine = block(c.me(), 0, c.bytes());
    Bytes all(c.bytes() * static_cast<std::size_t>(c.size()));
    if (in_place != 0) {
        std::copy(mine.begin(), mine.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(c.bytes()) * c.me());
    }
    OK(dart_allgather(source_of(mine, all, in_place), all.data(), c.nelem, c.type, c.team));
    for (int from = 0; from < c.size(); ++from) {
        for (std::size_t i = 0; i < c.bytes(); ++i)
            CHECK(all[static_cast<std::size_t>(from) * c.bytes() + i] == byte_of(from, 0, i));
    }
}

// Unit u has u times as many elements, and the blocks lie from the last to the first one.
void check_allgatherv(const Case& c, int in_place) {
    const auto size = static_cast<std::size_t>(c.size());
    const auto me = static_cast<std::size_t>(c.me());
    std::vector<std::size_t> counts(size);
    std::vector<std::size_t> places(size);
    std::size_t end = 0;
    for (std::size_t unit = size; unit-- > 0;) {
        counts[unit] = unit * c.nelem;
        places[unit] = end + 1;
        end += counts[unit] + 1;
    }
    const Bytes mine = block(c.me(), 0, counts[me] * c.element_bytes);
    Bytes all(end * c.element_bytes, 77);
    if (in_place != 0) {
        std::copy(mine.begin(), mine.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(places[me] * c.element_bytes));
    }
    OK(dart_allgatherv(source_of(mine, all, in_place), counts[me], c.type, all.data(),
                       counts.data(), places.data(), c.team));
    for (std::size_t unit = 0; unit < size; ++unit) {
        CHECK(all[(places[unit] - 1) * c.element_bytes] == 77);
        for (std::size_t i = 0; i < counts[unit] * c.element_bytes; ++i)
            CHECK(all[places[unit] * c.element_bytes + i] == byte_of(static_cast<int>(unit), 0, i));
    }
}

void check_alltoall(const Case& c, int in_place) {
    const Bytes mine = blocks(c.me(), c.size(), c.bytes());
    Bytes all(mine.size());
    if (in_place != 0) all = mine;
    OK(dart_alltoall(source_of(mine, all, in_place), all.data(), c.nelem, c.type, c.team));
    for (int from = 0; from < c.size(); ++from) {
        for (std::size_t i = 0; i < c.bytes(); ++i)
            CHECK(all[static_cast<std::size_t>(from) * c.bytes() + i] == byte_of(from, c.me(), i));
    }
}

void check_team(dart_team_t team) {
    dart_datatype_t custom = DART_TYPE_UNDEFINED;
    OK(dart_type_create_custom(12, &custom));
    const Case cases[] = {{team, DART_TYPE_BYTE, 1, 1},
                          {team, DART_TYPE_INT, 4, 0},
                          {team, DART_TYPE_LONG_DOUBLE, 16, 7},
                          {team, custom, 12, 5},
                          {team, DART_TYPE_DOUBLE, 8, 5000}};
    for (const Case& c : cases) {
        for (int root = 0; root < c.size(); root += 2) check_rooted(c, root);
        for (int in_place = 0; in_place < 3; ++in_place) {
            check_allgather(c, in_place);
            check_allgatherv(c, in_place);
            check_alltoall(c, in_place);
        }
        OK(dart_barrier(team));
    }
    OK(dart_type_destroy(&custom));
}

// Arguments that all units give, so that none waits.
void check_errors() {
    int value = 0;
    std::vector<int> all(static_cast<std::size_t>(units()));
    const dart_team_t none = 30000;
    dart_datatype_t strided = DART_TYPE_UNDEFINED;
    OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
    INVALID(dart_barrier(none));
    INVALID(dart_barrier(DART_TEAM_NULL));
    INVALID(dart_bcast(&value, 1, DART_TYPE_INT, 0, none));
    INVALID(dart_bcast(&value, 1, DART_TYPE_INT, units(), DART_TEAM_ALL));
    INVALID(dart_bcast(&value, 1, DART_TYPE_INT, -1, DART_TEAM_ALL));
    INVALID(dart_bcast(&value, 1, DART_TYPE_UNDEFINED, 0, DART_TEAM_ALL));
    INVALID(dart_bcast(&value, 1, strided, 0, DART_TEAM_ALL));
    INVALID(dart_scatter(all.data(), &value, 1, DART_TYPE_INT, units(), DART_TEAM_ALL));
    INVALID(dart_gather(&value, all.data(), 1, DART_TYPE_LAST, 0, DART_TEAM_ALL));
    INVALID(dart_allgather(&value, all.data(), 1, strided, DART_TEAM_ALL));
    INVALID(dart_allgatherv(&value, 1, DART_TYPE_INT, all.data(), nullptr, nullptr, DART_TEAM_ALL));
    INVALID(dart_alltoall(&value, &value, 1, DART_TYPE_INT, none));
    OK(dart_type_destroy(&strided));
}

}  // namespace

void test_moves() {
    check_team(DART_TEAM_ALL);
    dart_team_t even = team_of(0, 2);
    if (even != DART_TEAM_NULL) check_team(even);
    OK(dart_team_destroy(&even));
    check_errors();
}
