// SPDX-License-Identifier: BSD-3-Clause
//
// The type of the result of a function of the program, by the program's debug information.
// co_reduce gets the address of a function and the bytes of its result, but the components decide
// in which registers the result comes back. A guess could be wrong, so the library reads the
// components by elfutils' libdw, which it loads when it first needs it; caf compiles with -g.

#pragma once

#include <cstddef>
#include <string>

namespace tessera::caf {

using AnyFunction = void (*)();

// The components in each eight bytes of a result, as calling conventions see them.
enum class Word { kNone, kReal, kInteger };

struct ResultType {
    enum Form {
        kUnknown,   // `why` says why
        kWords,     // numbers and so on; `words` has those of up to 16 bytes
        kExtended,  // a real or complex number of kind 10
        kQuad,      // a real or complex number of kind 16
        kMemory,    // through a pointer: a component is not aligned, or the compiler was told so
    } form = kUnknown;
    Word words[2] = {};
    bool has_pointer = false;  // a component is a pointer or allocatable
    std::string name;          // name of the type
    std::string why;

    bool is_called_as(const ResultType& other) const {
        return form == other.form && words[0] == other.words[0] && words[1] == other.words[1];
    }
};

// COST: some milliseconds for the first call with a function.
// THREADS: any.
ResultType result_type_of(AnyFunction function, std::size_t bytes);

}  // namespace tessera::caf
