// SPDX-License-Identifier: BSD-3-Clause
//
// co_broadcast of derived types with allocatable components. gfortran 12 makes a call for each
// component, with descriptors that it fills in part, and calls for nested objects as a whole.

#pragma once

#include <cstddef>
#include <vector>

#include "abi12/descriptor.hpp"

namespace tessera::caf {

// Whether the compiler passes an address to co_broadcast as if it were data: a type(c_ptr), or the
// token of a component. Each image keeps its own address.
inline bool is_own_address(const Descriptor& passed) {
    return passed.type == kVoid && passed.rank == 0;
}

// The descriptor of a co_broadcast as it should be. The compiler does not set span and offset of
// an array component; its elements lie one behind the other.
// ERRORS: a component of deferred length that is allocated, for which the compiler passes no
// length, ends the program.
Descriptor broadcast_descriptor(const Descriptor& passed);

// Notes the data of a broadcast, for the objects that contain its address.
void note_broadcast(const void* data);

// The addresses of this image in an object that is broadcast as a whole: its components, which
// were broadcast before, and the tokens of these. The object of the source has its own.
class OwnAddresses {
  public:
    OwnAddresses(const void* object, std::size_t bytes);
    // Puts them back behind the broadcast.
    void restore() const;

  private:
    struct Address {
        void** place;
        void* value;
    };
    std::vector<Address> kept_;
};

}  // namespace tessera::caf
