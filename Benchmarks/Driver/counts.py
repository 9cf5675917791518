"""Counts instructions and allocations per report."""

import re
import subprocess
import os

import programs

# The line counts of two runs; their difference excludes the start-up cost.
SHORT, LONG = 4_000, 12_000


def stripped(client, folder):
    """A copy of the client without debug information, which valgrind 3.19 cannot read."""
    copy = os.path.join(folder, "stripped-" + os.path.basename(client.command[0]))
    if not os.path.exists(copy):
        subprocess.run(["strip", "--strip-debug", "-o", copy, client.command[0]], check=True)
    return programs.Client(client.name, [copy, *client.command[1:]], client.title)


def instructions(client, short, long, folder):
    """User-space instructions per line.

    `short` and `long` are paths of files with SHORT and LONG lines.
    """
    counts = []
    for path in (short, long):
        _, complaints = programs.run(
            stripped(client, folder), path,
            wrapper=["valgrind", "--tool=cachegrind", "--cache-sim=no",
                     "--cachegrind-out-file=/dev/null"])
        counts.append(int(re.search(r"I\s+refs:\s+([\d,]+)", complaints)[1].replace(",", "")))
    return (counts[1] - counts[0]) / (LONG - SHORT)


def allocations(client, path, lines, *options):
    """Allocations per fix, counted from 25 % to 95 % of `lines` fixes."""
    figures, _ = programs.run(
        client, path, *options,
        environment={
            "LD_PRELOAD": programs.COUNTER, "PERF_SKIP": str(lines // 4),
            "PERF_UNTIL": str(lines - lines // 20)})
    counted = figures["counted"]
    return figures["allocations"] / counted if counted else None
