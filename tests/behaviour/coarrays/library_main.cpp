// SPDX-License-Identifier: BSD-3-Clause
//
// Makes library_main.c a program in C++, with a static object whose destructor may use coarrays.

extern "C" int is_late;
extern "C" void meet();

namespace {

struct Late {
    ~Late() {
        if (is_late != 0) meet();
    }
};
const Late late;

}  // namespace
