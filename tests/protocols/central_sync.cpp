// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs meet twice, and each reads what the other has written before.
#include "base/central_sync.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    CentralSync sync;
    int data[2][2];

    void work(int me) {
        for (auto& of_round : data) {
            of_round[me] = 1;
            sync.barrier(2, "barrier");
            check(of_round[1 - me] == 1);
        }
    }
    void run() {
        in_parallel([this] { work(0); }, [this] { work(1); });
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
