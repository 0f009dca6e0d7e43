# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a job of mpirun (Open MPI) with the variables of docs/run/timeline.md has no
timeline, or one that lacks calls."""
import shutil

from launched_timelines import NPES, Launched
from launching import main, skip_all
from timelines import TimelineTest


class Mpirun(Launched, TimelineTest):
    def launcher(self, **variables):
        exports = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(NPES), *exports]


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        skip_all("there is no mpirun")
    main()
