// SPDX-License-Identifier: BSD-3-Clause
//
// The mutex.
#include "locks/mutex.hpp"

#include "under_lock.hpp"

namespace tessera::protocols {
namespace {

class HeldMutex {
  public:
    explicit HeldMutex(Pes<2>& pes) : held_(pes.my_nodes()), word_(pes.names()) {
        pe_state.held_locks = &held_;
    }
    void lock() { mutex().lock(); }
    void unlock() { mutex().unlock(); }

  private:
    Mutex mutex() const {
        return Mutex({.lock = word_, .pe = 0}, Mutex::mapped_word(word_, 0), "mutex");
    }

    HeldLocks held_;
    std::uint64_t* word_;
};

}  // namespace
}  // namespace tessera::protocols

int main() {
    namespace protocols = tessera::protocols;
    return protocols::explore<protocols::UnderLock<protocols::HeldMutex, 1>>();
}
