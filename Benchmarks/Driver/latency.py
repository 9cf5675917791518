"""Measures the time from the server's write to the loop's body, on their common clock."""

import time

import programs
import workloads
from tables import median, number, show

NAMES = ("events", "updates", "options", "executor")
# By rate: the fixes skipped at the start, and the seconds per run.
RATES = {10: (5, 12), 1_000: (500, 3), 20_000: (10_000, 2)}


def measure(folder, rounds, clients):
    clients = [client for client in clients if client.name in NAMES]
    path, _, _ = workloads.write(folder, "stamped.jsonl", workloads.positions(1_000))
    for rate, (skip, seconds) in RATES.items():
        options = ["--stamp", "--rate", rate, "--count", skip + rate * seconds]
        environment = {"PERF_LATENCY": "1", "PERF_SKIP": str(skip)}
        if rate == 10:
            pairs = together(clients, path, options, environment)
        else:
            pairs = alternating(rounds, clients, path, options, environment)
        table(rate, clients, pairs)


def alternating(rounds, clients, path, options, environment):
    """Pairs of a run and a run of libgps' loop right after it, by client."""
    pairs = {client.name: [] for client in clients}
    for _ in range(rounds):
        for client in clients:
            pairs[client.name].append(tuple(
                programs.run(one, path, *options, environment=environment)[0]
                for one in (client, programs.LIBGPS)))
    return pairs


def together(clients, path, options, environment):
    """Runs concurrently with offset starts; at this rate each client sleeps most of the time."""
    running = []
    for client in [*clients, programs.LIBGPS]:
        server = programs.Server(path, *options)
        running.append((client, server, programs.start(client, server.port, environment)))
        time.sleep(0.113)
    found = {}
    for client, server, process in running:
        with server:
            found[client.name], _ = programs.finish(client, process)
    return {client.name: [(found[client.name], found["libgps"])] for client in clients}


def table(rate, clients, pairs):
    rows = []
    for client in clients:
        mine, theirs = zip(*pairs[client.name])
        rows.append([
            client.title, *figures(mine),
            *(number(median(a[key] / b[key] for a, b in pairs[client.name]))
              for key in ("p50", "p99"))])
    theirs = [run for runs in pairs.values() for _, run in runs]
    rows.append([programs.LIBGPS.title, *figures(theirs), "1", "1"])
    show(f"Latency at {rate} fixes per second, us",
         ["", "p50", "p99", "p99.9", "max", "CPU us/fix", "switches/fix", "p50 ratio",
          "p99 ratio"], rows)


def figures(runs):
    return [
        *(number(median(run[key] for run in runs), 0) for key in ("p50", "p99", "p999", "max")),
        number(median(run["cpu"] * 1e6 / run["counted"] for run in runs), 1),
        number(median(run["nvcsw"] / run["counted"] for run in runs))]
