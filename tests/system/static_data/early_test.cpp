// SPDX-License-Identifier: BSD-3-Clause
//
// If this breaks, sharing loses updates or hangs when the library is linked statically and another
// library has started threads before: the library's own variables, and with lazy binding the
// tables of the functions it calls, are then among the pages that are frozen and replaced.
// hammers.cpp and early_start.cpp are a shared library here.
#include "frozen.hpp"
#include "hammers.hpp"
#include "heap/static_data.hpp"
#include "meeting.hpp"

namespace static_test {
constinit Hammered hammered{};
}

int main() {
    const tessera::heap::StaticData& data = tessera::heap::static_data();
    static_test::let_hammers_strike(100);
    CHECK(static_test::stop_hammering());
    static_test::check_outcome(data);
    return 0;
}
