# SPDX-License-Identifier: BSD-3-Clause
"""What the timeline of a job of `traced` must have."""
from launching import LaunchTest, program

TRACED = program("traced")
ROUNDS = 10


class TimelineTest(LaunchTest):
    def check_format(self, trace, npes):
        """The rules of the trace-event format for the events that there are."""
        names = set()
        for event in trace["traceEvents"]:
            self.assertIn(event["ph"], "MXCsf")
            self.assertIsInstance(event["pid"], int)
            self.assertIsInstance(event["tid"], int)
            if event["ph"] == "M":
                if event["name"] == "process_name":
                    names.add(event["pid"])
                continue
            self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
        self.assertLessEqual(names, set(range(npes)))

    def counts(self, trace, operation, pe):
        all_counts = trace["otherData"]["calls and bytes by operation, PE and peer"]
        return all_counts.get(operation, {}).get(str(pe), {})

    def slices(self, trace, pe, name):
        return [event for event in trace["traceEvents"]
                if event["ph"] == "X" and event["pid"] == pe and event["name"] == name]

    def check_ring(self, trace, npes):
        for pe in range(npes):
            after, before = str((pe + 1) % npes), str((pe - 1) % npes)
            self.assertEqual(self.counts(trace, "put", pe), {after: [ROUNDS, ROUNDS * 4000]})
            self.assertEqual(self.counts(trace, "get", pe), {before: [ROUNDS, ROUNDS * 40]})
            self.assertEqual(self.counts(trace, "atomic", pe), {after: [ROUNDS, ROUNDS * 8]})
            self.assertEqual(self.counts(trace, "p", pe), {after: [ROUNDS, ROUNDS * 8]})
            self.assertEqual(self.counts(trace, "reduce", pe), {"": [1, 8]})
            barriers = self.slices(trace, pe, "barrier")
            self.assertEqual([event["args"]["number"] for event in barriers],
                             list(range(ROUNDS)))
            self.assertEqual({event["args"]["PEs"] for event in barriers}, {npes})
        # A barrier ends on no PE before all have begun it.
        for number in range(ROUNDS):
            same = [self.slices(trace, pe, "barrier")[number] for pe in range(npes)]
            latest = max(event["ts"] for event in same)
            for event in same:
                self.assertGreaterEqual(event["ts"] + event["dur"] + 1, latest)
