"""Measures idle clients: how often they wake, and whether they wake between reports."""

import time

import programs
import workloads
from tables import number, show

NAMES = ("events", "updates", "options", "executor")
# Fixes per second, the number skipped at the start, and the number counted. Periodic wake-ups would
# show at the lower rate. The pauses are shorter than the silence timeout of a receiver.
RATES = ((1, 3, 20), (0.25, 1, 6))


def measure(folder, clients):
    clients = [client for client in clients if client.name in NAMES] + [programs.LIBGPS]
    path, _, _ = workloads.write(folder, "idle.jsonl", workloads.positions(1_000))
    running = []
    for rate, skip, count in RATES:
        for client in clients:  # Concurrently: each sleeps most of the time.
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
    # A higher count at the lower rate means wake-ups between reports.
    show("Idle: CPU and voluntary switches per fix, of all threads and of the library's own",
         ["", "us at 1 Hz", "all", "own", "us at 1/4 Hz", "all", "own", "peak MB"], rows)
