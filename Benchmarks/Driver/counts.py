"""What can be counted instead of timed: instructions and allocations per report."""

import re
import subprocess
import os

import programs

# Two runs whose difference leaves the start out.
SHORT, LONG = 4_000, 12_000


def stripped(client, folder):
    """The client without debug information, which valgrind 3.19 cannot read."""
    copy = os.path.join(folder, "stripped-" + os.path.basename(client.command[0]))
    if not os.path.exists(copy):
        subprocess.run(["strip", "--strip-debug", "-o", copy, client.command[0]], check=True)
    return programs.Client(client.name, [copy, *client.command[1:]], client.title)


def instructions(client, short, long, folder):
    """Of the user's space, per line.

    `short` and `long` are paths of as many lines as the constants say.
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
    """Per fix, from the first quarter to the end of `lines` fixes or just before it."""
    figures, _ = programs.run(
        client, path, *options,
        environment={
            "LD_PRELOAD": programs.COUNTER, "PERF_SKIP": str(lines // 4),
            "PERF_UNTIL": str(lines - lines // 20)})
    counted = figures["counted"]
    return figures["allocations"] / counted if counted else None
