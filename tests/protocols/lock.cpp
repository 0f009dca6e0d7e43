// SPDX-License-Identifier: BSD-3-Clause
//
// The lock of the specification.
#include "locks/lock.hpp"

#include "under_lock.hpp"

namespace tessera::protocols {
namespace {

class SpecifiedLock {
  public:
    explicit SpecifiedLock(Pes<2>& pes) : lock_(reinterpret_cast<long*>(pes.names()), "lock") {}
    void lock() { lock_.set(); }
    void unlock() {
        default_context.quiet();
        lock_.clear();
    }

  private:
    Lock lock_;
};

}  // namespace
}  // namespace tessera::protocols

int main() {
    namespace protocols = tessera::protocols;
    return protocols::explore<protocols::UnderLock<protocols::SpecifiedLock, 2>>();
}
