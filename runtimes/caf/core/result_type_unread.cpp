// SPDX-License-Identifier: BSD-3-Clause
//
// result_type.hpp in builds without libdw.

#include "core/result_type.hpp"

namespace tessera::caf {

ResultType result_type_of(AnyFunction, std::size_t) {
    ResultType result;
    result.why = "this library was built without libdw of elfutils, which reads debug information";
    return result;
}

}  // namespace tessera::caf
