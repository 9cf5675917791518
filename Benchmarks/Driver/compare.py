"""Compares clients of the library with libgps' loop in C. Started by scripts/benchmark."""

import argparse
import os
import tempfile

import delivery
import conditions
import growth
import idle
import latency
import programs
import throughput

PHASES = ("throughput", "latency", "idle", "delivery", "growth", "conditions")


def words(choices):
    def split(text):
        names = text.split(",")
        for name in names:
            if name not in choices:
                raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(choices)}")
        return names
    return split


def count(text):
    if not text.isdecimal() or not 1 <= int(text) <= 5_000_000:
        raise argparse.ArgumentTypeError("a number from 1 to 5000000 is expected")
    return int(text)


def main():
    known = [client.name for client in programs.clients()]
    parser = argparse.ArgumentParser(
        prog="scripts/benchmark", description=__doc__, allow_abbrev=False)
    parser.add_argument("--only", type=words(PHASES), default=PHASES, metavar="PHASE,...",
                        help="one or more of " + ", ".join(PHASES))
    parser.add_argument("--clients", type=words(known), metavar="NAME,...",
                        help="one or more of " + ", ".join(known))
    parser.add_argument("--rounds", type=count, default=5)
    parser.add_argument("--lines", type=count, default=100_000,
                        help="number of TPV lines; half as many for the mix")
    parser.add_argument("--file", help="a recording of gpsd's lines, instead of generated lines")
    parser.add_argument("--plots", nargs="?", const=os.path.join(
        programs.ROOT, "Documentation", "Performance"), metavar="FOLDER",
        help="writes the plots of growth, to Documentation/Performance")
    given = parser.parse_args()
    if given.lines < 1_000:
        parser.error("--lines: fewer than 1000 lines measure only the start")
    if given.file and not os.path.isfile(given.file):
        parser.error(f"--file: file not found: {given.file}")
    if given.file and "throughput" not in given.only:
        parser.error("--file is for the phase throughput")
    if given.plots and not {"growth", "conditions"} & set(given.only):
        parser.error("--plots is for the phases growth and conditions")
    clients = programs.clients(given.clients)
    with tempfile.TemporaryDirectory() as folder:
        if "throughput" in given.only:
            throughput.measure(folder, given.lines, given.rounds, clients, given.file)
        if given.file:
            return
        if "latency" in given.only:
            latency.measure(folder, min(2, given.rounds), clients)
        if "idle" in given.only:
            idle.measure(folder, clients)
        if "delivery" in given.only:
            delivery.measure()
        if "growth" in given.only:
            growth.measure(folder, clients, given.plots)
        if "conditions" in given.only:
            conditions.measure(given.plots)


if __name__ == "__main__":
    programs.until_stopped(main)
