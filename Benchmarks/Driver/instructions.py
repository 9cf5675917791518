"""Counts instructions and allocations per report, which are reproducible on a busy machine.
Started by scripts/instructions.
"""

import argparse
import os
import tempfile

import counts
import programs
import workloads
from tables import show

THRESHOLDS = os.path.join(programs.ROOT, "Benchmarks", "thresholds")
HEAD = """\
# The costs of a report, checked by `scripts/instructions --check`: instructions per line at full
# speed, allocations per fix at full speed and at 1,000 fixes a second. `scripts/instructions
# --update` writes it, except the figures that end in `+`: they are set by hand. Each chunk from the
# socket has an array of its own: how many fixes share it, and so the allocations per fix, depends on
# how busy the machine is.
"""
BY_HAND = "+"
# Tolerances. The one for allocations is larger, since the allocations of a wake-up are shared by a
# varying number of fixes. FEW allows allocations that only grow with the whole run.
INSTRUCTIONS_ROOM = 1.10
ALLOCATIONS_ROOM = 1.25
FEW = 0.02
# A busy machine wakes a client more often, which only adds to its counts.
ATTEMPTS = 3
COLUMNS = ("instructions", "allocations", "allocations at 1,000/s")
PACED = 1_200


class Workload:
    """Files of lines, and how many of them are fixes."""

    def __init__(self, folder, name, make):
        self.folder = folder
        self.short, _, _ = workloads.write(folder, f"{name}.short", make(counts.SHORT))
        self.long, _, _ = workloads.write(folder, f"{name}.long", make(counts.LONG))
        self.paced, _, _ = workloads.write(folder, f"{name}.paced", make(PACED))
        self.fixes = {
            path: int(programs.run(programs.LIBGPS, path)[0]["reports"])
            for path in (self.long, self.paced)}

    def measure(self, client):
        """The client's figures, in column order."""
        return (
            counts.instructions(client, self.short, self.long, self.folder),
            counts.allocations(client, self.long, self.fixes[self.long]),
            counts.allocations(client, self.paced, self.fixes[self.paced], "--rate", 1_000))


def measure(folder, clients, thresholds):
    """The figures of each client and workload; if `thresholds` is given, the least of several
    attempts where they exceed them."""
    found = {}
    for name, make in (("TPV", workloads.positions), ("mix", workloads.mixture)):
        workload = Workload(folder, name, make)
        for client in clients:
            key = client.name, name
            found[key] = workload.measure(client)
            for _ in range(1, ATTEMPTS):
                if thresholds is None or not check({key: found[key]}, thresholds):
                    break
                found[key] = tuple(map(min, found[key], workload.measure(client)))
    return found


def read():
    """The figures of each client and workload, as text."""
    thresholds = {}
    with open(THRESHOLDS, encoding="ascii") as file:
        for line in file:
            if not line.startswith("#") and line.strip():
                client, workload, *figures = line.split()
                thresholds[client, workload] = figures
    return thresholds


def threshold(text):
    return float(text.removesuffix(BY_HAND))


def write(found):
    """Replaces the figures of the measured clients; keeps those that are set by hand."""
    thresholds = read()
    for key, (instructions, *allocations) in found.items():
        if key[0] != programs.LIBGPS.name:
            measured = [f"{instructions:.0f}", *(f"{figure:.3f}" for figure in allocations)]
            written = thresholds.get(key, measured)
            thresholds[key] = [
                old if old.endswith(BY_HAND) else new for old, new in zip(written, measured)]
    with open(THRESHOLDS, "w", encoding="ascii") as file:
        file.write(HEAD)
        for (client, workload), figures in thresholds.items():
            columns = "".join(
                f"{figure:>9}" if figure.endswith(BY_HAND) else f"{figure:>8} "
                for figure in figures)
            file.write(f"{client:<10} {workload:<4}{columns}".rstrip() + "\n")


def check(found, thresholds):
    """The failures, one sentence each."""
    wrong = []
    for (client, workload), figures in found.items():
        if client == programs.LIBGPS.name:
            continue
        written = thresholds.get((client, workload))
        if written is None:
            wrong.append(f"{client}, {workload}: no threshold")
            continue
        allowed = [threshold(text) for text in written]
        limits = [
            allowed[0] * INSTRUCTIONS_ROOM,
            *(figure * ALLOCATIONS_ROOM + FEW for figure in allowed[1:])]
        for column, figure, expected, limit in zip(COLUMNS, figures, allowed, limits):
            if figure > limit:
                wrong.append(
                    f"{client}, {workload}: {figure:.6g} {column}, "
                    f"threshold {expected:.6g}, with slack {limit:.6g}")
    return wrong


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/instructions", description=__doc__, allow_abbrev=False)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="fails above Benchmarks/thresholds")
    action.add_argument("--update", action="store_true", help="writes Benchmarks/thresholds")
    parser.add_argument("--clients", help="only these, separated by commas")
    given = parser.parse_args()
    names = set(given.clients.split(",")) if given.clients is not None else None
    chosen = [client for client in programs.clients(names) if client is not programs.FLOOR]
    if names and len(chosen) < len(names):
        parser.error(f"--clients: known are {', '.join(c.name for c in programs.clients()[1:])}")
    with tempfile.TemporaryDirectory() as folder:
        found = measure(folder, [*chosen, programs.LIBGPS], read() if given.check else None)
    rows = []
    for (client, workload), (instructions, *allocations) in found.items():
        ratio = instructions / found[programs.LIBGPS.name, workload][0]
        rows.append([f"{client}, {workload}", f"{instructions:.0f}", f"{ratio:.3f}",
                     *(f"{figure:.3f}" for figure in allocations)])
    show("What a report costs", ["", "instructions", "to libgps", *COLUMNS[1:]], rows)
    if given.update:
        write(found)
    elif given.check:
        wrong = check(found, read())
        if wrong:
            raise SystemExit(
                "\nMore than is allowed:\n  " + "\n  ".join(wrong)
                + "\nFix it, or accept it with `scripts/instructions --update` and explain why.")
        print("\nAll are within their thresholds.")


if __name__ == "__main__":
    programs.until_stopped(main)
