// SPDX-License-Identifier: BSD-3-Clause
//
// With the objects of the heap, the shared library that late_test loads. The library's own symbols
// are hidden, so this is the door to them.
#include "heap/static_data.hpp"

extern "C" [[gnu::visibility("default")]] const tessera::heap::StaticData* late_library_data() {
    return &tessera::heap::static_data();
}
