"""What a client does while little comes: how often it wakes, and whether between reports."""

import time

import programs
import workloads
from tables import number, show

NAMES = ("events", "updates", "options", "executor")
# Fixes a second, those left out at the beginning, and those counted. At the lower rate anything that
# ticks by itself would show; the pauses stay below those after which a receiver counts as silent.
RATES = ((1, 3, 20), (0.25, 1, 6))


def measure(folder, clients):
    clients = [client for client in clients if client.name in NAMES] + [programs.LIBGPS]
    path, _, _ = workloads.write(folder, "idle.jsonl", workloads.positions(1_000))
    running = []
    for rate, skip, count in RATES:
        for client in clients:  # All at once: each sleeps nearly all of the time.
            server = programs.Server(path, "--rate", rate, "--count", skip + count)
            process = programs.start(client, server.port, {
                "PERF_THREADS": "1", "PERF_SKIP": str(skip),
                "PERF_UNTIL": str(skip + count)})
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
            row += [number(run["cpu"] / run["counted"] * 1e6, 0),
                    number(run["nvcsw"] / run["counted"]),
                    number(run["loopcsw"] / run["counted"])]
        rows.append(row + [number(run["maxrss"] / 1024, 1)])
    # What is more at the lower rate woke between the reports.
    show("Idle: CPU and voluntary switches per fix, of all threads and of the library's own",
         ["", "us at 1 Hz", "all", "own", "us at 1/4 Hz", "all", "own", "peak MB"], rows)
