"""What a client does while little comes: how often it wakes, and whether between reports."""

import time

import programs
import workloads
from tables import number, show

NAMES = ("events", "updates", "options", "executor")
# Fixes a second, those left out at the beginning, and those counted. At the lower rate anything that ticks by itself would show;
# the pauses stay below the time after which a silent gpsd is asked whether it is there.
RATES = ((1, 3, 20), (0.125, 1, 3))


def measure(folder, clients):
    clients = [client for client in clients if client.name in NAMES] + [programs.LIBGPS]
    path, _, _ = workloads.write(folder, "idle.jsonl", workloads.positions(1_000))
    running = []
    for rate, skip, count in RATES:
        for client in clients:  # All at once: each sleeps nearly all of the time.
            server = programs.Server(path, "--rate", rate, "--count", skip + count)
            process = programs.start(client, server.port, {
                "PERF_SKIP": str(skip), "PERF_UNTIL": str(skip + count)})
            running.append((rate, client, server, process))
            time.sleep(0.05)
    found = {}
    for rate, client, server, process in running:
        with server:
            found[client.name, rate], _ = programs.finish(client, process)
    rows = []
    for client in clients:
        row = [client.title]
        for rate, _, _ in RATES:
            run = found[client.name, rate]
            row += [number(run["nvcsw"] / run["counted"]),
                    number(run["cpu"] / run["counted"] * 1e6, 0)]
        rows.append(row + [number(run["maxrss"] / 1024, 1)])
    show("Idle: voluntary switches and CPU per fix; more at the lower rate are those between",
         ["", "switches at 1 Hz", "us", "switches at 1/8 Hz", "us", "peak MB"], rows)
