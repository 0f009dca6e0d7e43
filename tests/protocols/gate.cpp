// SPDX-License-Identifier: BSD-3-Clause
//
// A PE posts a gate, for which two others wait.
#include "base/gate.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    Gate gate;
    int data;

    void wait() {
        gate.wait_for(1, "gate");
        check(data == 1);
    }
    void run() {
        in_parallel(
            [this] {
                data = 1;
                gate.post(1);
            },
            [this] { wait(); }, [this] { wait(); });
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
