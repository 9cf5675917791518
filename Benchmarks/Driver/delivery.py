"""Measures the cost of delivering a fix to many subscribers, and the delay of other callers."""

import os
import subprocess

import programs
from tables import number, show

SUBSCRIBERS = (1, 100, 1_000, 10_000)


def measure():
    deliveries, memory = [], []
    for count in SUBSCRIBERS:
        seen = run(count)
        deliveries.append([
            count, number(seen["median"], 0), number(seen["p99"], 0),
            number(seen["waited"] / 1e3, 1), number(seen["longest"] / 1e3, 1),
            f"{seen['over']:.0f} of {seen['waits']:.0f}"])
        memory.append([count, *(number(seen[name], 0) for name in ("idle", "lagging", "drained"))])
    show("A fix to subscribers with filters, without their wakes",
         ["subscribers", "ns/delivery", "p99", "others waited, p99.9 us", "longest us",
          "over 1 ms"], deliveries)
    show("A fix to subscribers that paused one after the other",
         ["subscribers", "us/fix"],
         [[count, number(run(count, "pausing")["pausing"] / 1e3)] for count in SUBSCRIBERS[:3]])
    show("Bytes allocated for each subscriber, without a task",
         ["subscribers", "before the first fix", "64 buffered", "all read"], memory)


def run(count, *words):
    line = subprocess.run(
        [os.path.join(programs.PROGRAMS, "delivery-loop"), str(count), *words],
        check=True, capture_output=True, text=True).stdout.split()
    return {name: float(value) for name, value in zip(line[::2], line[1::2])}
