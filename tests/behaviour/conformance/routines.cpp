// SPDX-License-Identifier: BSD-3-Clause
//
// See routines.hpp.
#include "conformance/routines.hpp"

#include <cstring>

namespace tessera::conformance {
namespace {

struct Routine {
    const char* name;
    const char* chapter;
};

#define ENTRY(NAME, CHAPTER) {#NAME, CHAPTER},
constexpr Routine kRoutines[] = {EACH_name(ENTRY)};
#undef ENTRY
constexpr int kCount = sizeof kRoutines / sizeof kRoutines[0];
static_assert(kCount == 2 * 1788);

}  // namespace

bool called_routines[kCount];
shmem_ctx_t current_ctx = SHMEM_CTX_DEFAULT;

const char* name_of(int id) { return kRoutines[id].name; }

const char* first_not_called(const char* chapter) {
    for (int id = 0; id < kCount; ++id) {
        bool is_wanted = std::strcmp(kRoutines[id].chapter, chapter) == 0;
        if (is_wanted && !called_routines[id]) return kRoutines[id].name;
    }
    return nullptr;
}

}  // namespace tessera::conformance
