# SPDX-License-Identifier: BSD-3-Clause
"""Would break: jobs of Open MPI's mpirun do not run across hosts, or survive their ends."""
import sys

import lab
from case import ALTERNATING, EVEN, PAIR, THREE, UNEVEN, ClusterTest, main
from jobs import Endings, Programs


class MpirunTest(ClusterTest):
    def launch(self, layout, command, environment=None):
        return self.cluster.mpirun(layout, command, environment)


class ProgramsTest(Programs, MpirunTest):
    def test_two_hosts(self):
        self.run_programs(PAIR, ["conformance_atomics"])
        self.run_programs(EVEN, ["sync_test", "conformance_teams", "conformance_contexts"])
        self.run_programs(UNEVEN, ["rma_test"])

    def test_three_hosts(self):
        self.run_programs(THREE, ["strided_test", "collectives_test"])

    def test_random_programs(self):
        self.run_random(ALTERNATING, 7000, 5)


class EndingsTest(Endings, MpirunTest):
    code_of_killed = 137
    code_of_leaving = 3
    code_of_global_exit_0 = 0


if __name__ == "__main__":
    sys.exit(main(missing=lab.needs_mpirun()))
