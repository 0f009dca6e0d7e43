// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces functions that a loaded shared object imports, for the calls of that object alone: its
// import table (GOT) gets another address. Calls of other libraries stay.
#pragma once

#include <span>

namespace tessera::ofi {

struct Import {
    const char* name;
    void* replacement;
};

// Replaces all of the imports in the object that `inside` points into, or none: where the object
// does not import one of them, or not from where this library would.
// REQUIRES: the replacements are never unloaded. THREADS: the object may be in use.
// RETURNS: whether they are replaced.
bool replace_imports(const void* inside, std::span<const Import> imports);

}  // namespace tessera::ofi
